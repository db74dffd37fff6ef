//! The line that names a phase: tag, phase word, number, title, tag, id.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::core::plan_read::fold::{any_prefix, prefix, status_mark, unseen};
use crate::core::plan_read::number::{self, Number};
use crate::core::plan_read::status::{self, Token};
use crate::core::plan_read::words::{OTHER_PHASE, PHASE};
use crate::core::scan::scanned;

/// How clearly a line names a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// No phase word.
    Plain,
    /// `Milestone 1`, `批次 1`.
    Other,
    /// `Phase 1`.
    Phase,
}

/// A name taken apart.
#[derive(Clone, Debug)]
pub(super) struct Name<'t> {
    /// Whether a phase word and a number were there.
    pub(super) kind: Kind,
    /// The number.
    pub(super) number: Option<Number>,
    /// The title as shown.
    pub(super) title: String,
    /// The id of a `{#id}` suffix.
    pub(super) id: Option<&'t str>,
    /// A status written beside the name.
    pub(super) tag: Option<Token<'t>>,
    /// A bracketed word before the name that is no status.
    pub(super) odd_tag: Option<&'t str>,
}

/// Reads the text of a heading, item or cell.
pub(super) fn read(text: &str) -> Name<'_> {
    scanned(text.len());
    let (rest, mut tag, odd_tag) = front(text);
    let (rest, end_tag, id) = back(rest);
    tag = tag.or(end_tag);
    let (kind, number, after) = phase_word(rest).unwrap_or((Kind::Plain, None, rest));
    let (number, after) = if kind == Kind::Plain { listed(rest) } else { (number, after) };
    let title = clean(after);
    let title = if title.is_empty() { clean(rest) } else { title };
    Name { kind, number, title, id, tag, odd_tag }
}

/// Text as shown: trimmed, white space joined, without emphasis around it, composed (NFC).
pub(super) fn clean(text: &str) -> String {
    let mut text = text.trim();
    if text.matches("**").count() % 2 == 1 {
        text = text.strip_prefix("**").or_else(|| text.strip_suffix("**")).unwrap_or(text).trim();
    }
    let joined = joined(text);
    for mark in ["**", "__", "*", "_", "`"] {
        if let Some(inner) = joined.strip_prefix(mark).and_then(|t| t.strip_suffix(mark))
            && !inner.is_empty()
            && !inner.contains(mark)
        {
            return inner.trim().to_owned();
        }
    }
    match joined.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
        Some((bold, rest)) => format!("{bold}{rest}").trim().to_owned(),
        None => joined,
    }
}

/// Trimmed, white space joined, composed (NFC).
pub(super) fn joined(text: &str) -> String {
    scanned(text.len());
    let text: Cow<'_, str> = if text.is_ascii() { text.into() } else { text.nfc().collect::<String>().into() };
    let mut out = String::with_capacity(text.len());
    // Line separators and control characters stay, for the approval to refuse.
    let space = |c: char| c == '\t' || (c.is_whitespace() && !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}'));
    for word in text.split(space).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Takes emphasis, emoji and tags off the front.
fn front(text: &str) -> (&str, Option<Token<'_>>, Option<&str>) {
    let (mut rest, mut tag, mut odd) = (text.trim(), None, None);
    for _ in 0..6 {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || unseen(c));
        if let Some((_, length)) = status_mark(rest) {
            let (mark, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            tag = tag.or(Some(status::read(mark)));
            rest = after;
        } else if let Some((inner, after)) = enclosed(rest) {
            let token = status::read(inner);
            if token.written && token.status != crate::core::plan::Status::Unknown && token.bare() {
                tag = Some(token);
            } else if rest.starts_with(['[', '【']) && !after.trim().is_empty() && !after.starts_with('(') {
                odd = Some(inner);
            } else {
                break;
            }
            rest = after;
        } else if rest.starts_with(ornament) && rest.len() > 4 {
            rest = rest.trim_start_matches(ornament);
        } else {
            break;
        }
    }
    (rest, tag, odd)
}

/// Emoji without a meaning here.
fn ornament(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2BFF}' | '\u{FE0F}' | '\u{1F300}'..='\u{1FAFF}')
}

/// `[x]`, `【x】` or `` `x` `` at the start: what is inside and after.
fn enclosed(text: &str) -> Option<(&str, &str)> {
    let open = text.chars().next()?;
    let close = match open {
        '[' => ']',
        '【' => '】',
        '`' => '`',
        _ => return None,
    };
    let inner = text.get(open.len_utf8()..)?;
    let end = inner.char_indices().take(60).find(|(_, c)| *c == close).map(|(at, _)| at)?;
    Some((inner.get(..end)?, inner.get(end + close.len_utf8()..)?))
}

/// Takes an id and tags off the end.
fn back(text: &str) -> (&str, Option<Token<'_>>, Option<&str>) {
    let (mut rest, mut tag, mut id) = (text.trim_end(), None, None);
    for _ in 0..6 {
        if let Some((before, name)) = id.is_none().then(|| id_suffix(rest)).flatten() {
            id = Some(name);
            rest = before.trim_end();
        } else if let Some((before, token)) = tag.is_none().then(|| tag_suffix(rest)).flatten() {
            tag = Some(token);
            rest = before.trim_end();
        } else {
            break;
        }
    }
    (rest, tag, id)
}

/// `{#id}` at the end.
fn id_suffix(text: &str) -> Option<(&str, &str)> {
    let body = text.strip_suffix('}')?;
    let at = body.char_indices().rev().take(80).find(|(_, c)| *c == '{').map(|(at, _)| at)?;
    let id = body.get(at..)?.strip_prefix("{#")?;
    (!id.is_empty() && !id.contains(char::is_whitespace)).then_some((text.get(..at)?, id))
}

/// A status in brackets, parentheses or backticks, as an emoji or after a dash, at the end.
fn tag_suffix(text: &str) -> Option<(&str, Token<'_>)> {
    let sure = |token: &Token<'_>| token.written && token.status != crate::core::plan::Status::Unknown && token.bare();
    let bare = text.trim_end_matches(['*', '\u{FE0F}']);
    let last = bare.chars().next_back()?;
    let open = match last {
        ')' => Some('('),
        '）' => Some('（'),
        ']' => Some('['),
        '】' => Some('【'),
        '`' => Some('`'),
        _ => None,
    };
    if let Some(open) = open {
        let inner = bare.get(..bare.len() - last.len_utf8())?;
        let at = inner.char_indices().rev().take(80).find(|(_, c)| *c == open).map(|(at, _)| at)?;
        let token = status::read(inner.get(at + open.len_utf8()..)?);
        return sure(&token).then_some((text.get(..at)?, token));
    }
    let at = bare.len() - last.len_utf8();
    if status_mark(bare.get(at..)?).is_some() {
        let before = bare.get(..at)?;
        let token = status::read(text.get(at..)?);
        // `COMPLETED ✅` at the end of a heading: the word goes with its emoji.
        return Some(dashed(text).filter(|(_, token)| sure(token)).unwrap_or((before, token)));
    }
    dashed(text).filter(|(_, token)| sure(token) && token.note.is_empty())
}

/// What stands after the last spaced dash.
fn dashed(text: &str) -> Option<(&str, Token<'_>)> {
    let (at, dash) = text
        .char_indices()
        .rev()
        .take(40)
        .filter(|(_, c)| matches!(c, '-' | '–' | '—'))
        .find(|(at, _)| *at > 0 && text.get(..*at).is_some_and(|before| before.ends_with(' ')))?;
    let value = text.get(at + dash.len_utf8()..)?.strip_prefix(' ')?;
    let before = text.get(..at)?.trim_end_matches([' ', '-', '–', '—']);
    Some((before, status::read(value)))
}

/// A phase word with its number, and what follows them.
fn phase_word(text: &str) -> Option<(Kind, Option<Number>, &str)> {
    let text = text.trim_start_matches(['*', '_', '`']);
    [(Kind::Phase, PHASE), (Kind::Other, OTHER_PHASE)].into_iter().find_map(|(kind, words)| {
        let (number, rest) = word_number(text, words).or_else(|| number_word(text, words))?;
        Some((kind, Some(number), separated(rest)))
    })
}

/// `Phase 1`, `阶段一`, `Phase #1`.
fn word_number<'t>(text: &'t str, words: &[&str]) -> Option<(Number, &'t str)> {
    let rest = text.get(any_prefix(text, words)?..)?;
    let rest = rest.trim_start_matches(['*', '_', ' ', '\t', '\u{A0}', '\u{3000}', '#', '-']);
    let found = number::read(rest)?;
    let rest = rest.get(found.length..)?;
    let total = rest.strip_prefix(" of ").or_else(|| rest.strip_prefix('/')).and_then(|total| {
        let total_number = number::digits(total)?;
        total.get(total_number.length..)
    });
    Some((found, total.unwrap_or(rest)))
}

/// `第一阶段`, `第 2 阶段`, `1단계`.
fn number_word<'t>(text: &'t str, words: &[&str]) -> Option<(Number, &'t str)> {
    let nth = text.strip_prefix('第');
    let rest = nth.unwrap_or(text).trim_start();
    let found = number::read(rest)?;
    let after = rest.get(found.length..)?.trim_start();
    let after = after.strip_prefix('个').unwrap_or(after);
    let length = match nth {
        Some(_) => any_prefix(after, words)?,
        None => prefix(after, "단계")?,
    };
    Some((found, after.get(length..)?))
}

/// `1. Survey`, `2) Build`, `3、测试`: the number of a listed title.
fn listed(text: &str) -> (Option<Number>, &str) {
    let bare = text.trim_start_matches(['*', '_']);
    let split = number::digits(bare).and_then(|found| {
        let rest = bare.get(found.length..)?;
        let after = rest.trim_start_matches(['*', '_']).strip_prefix(['.', ')', '、', ':', '：', '．'])?;
        Some((found, after))
            .filter(|(_, after)| !after.is_empty() && (after.starts_with([' ', '*']) || !after.is_ascii()))
    });
    match split {
        Some((found, after)) => (Some(found), after.trim_start()),
        None => (None, text),
    }
}

/// Steps over what separates a number from its title.
fn separated(rest: &str) -> &str {
    let bare = rest.trim_start_matches(['*', '_', '`']);
    bare.trim_start_matches(|c: char| {
        c.is_whitespace()
            || unseen(c)
            || matches!(
                c,
                ':' | '：' | '.' | '．' | '、' | ')' | '）' | '-' | '–' | '—' | '|' | '·' | ',' | '，' | '/' | '→'
            )
    })
    .trim_start_matches('*')
}

/// Whether `text` is an id or number and nothing else, as in the first column of a table.
pub(super) fn lone_number(text: &str) -> Option<Number> {
    let text = text.trim().trim_matches(['*', '_', '`']).trim_start_matches('#');
    if let Some(found) = number::digits(text).filter(|found| found.length == text.len()) {
        return Some(found);
    }
    let (_, found, rest) = phase_word(text)?;
    found.filter(|_| rest.trim_matches(['*', '_', '`', ' ']).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::plan::Status;

    #[track_caller]
    fn is(text: &str, number: Option<&str>, title: &str, tag: Option<Status>, id: Option<&str>) {
        let name = read(text);
        let got =
            (name.number.as_ref().map(|n| n.text.as_str()), name.title.as_str(), name.tag.map(|t| t.status), name.id);
        assert_eq!(got, (number, title, tag, id), "{text}");
    }

    #[test]
    fn names() {
        is("Phase 1: Survey", Some("1"), "Survey", None, None);
        is("Phase 1: Survey {#survey}", Some("1"), "Survey", None, Some("survey"));
        is("Phase 1: Survey ✅", Some("1"), "Survey", Some(Status::Complete), None);
        is("Phase 1: Survey ⏸️ {#s}", Some("1"), "Survey", Some(Status::Waiting), Some("s"));
        is("Phase 1: Survey {#s} `complete`", Some("1"), "Survey", Some(Status::Complete), Some("s"));
        is("[VERIFIED] Phase 0: Survey", Some("0"), "Survey", Some(Status::Complete), None);
        is("✅ Phase 1: Survey", Some("1"), "Survey", Some(Status::Complete), None);
        is("🚀 Phase 1: Survey", Some("1"), "Survey", None, None);
        is("阶段1：调研 `complete`", Some("1"), "调研", Some(Status::Complete), None);
        is("第一阶段：调研", Some("一"), "调研", None, None);
        is("第 2 阶段：构建", Some("2"), "构建", None, None);
        is("阶段一 调研", Some("一"), "调研", None, None);
        is("**Phase 1: Survey**", Some("1"), "Survey", None, None);
        is("**Phase 1:** Survey", Some("1"), "Survey", None, None);
        is("Phase 1 — Survey", Some("1"), "Survey", None, None);
        is("Phase 1 - Survey - DONE", Some("1"), "Survey", Some(Status::Complete), None);
        is("Phase 1: Survey (complete)", Some("1"), "Survey", Some(Status::Complete), None);
        is("Phase 1: Survey (done by hand)", Some("1"), "Survey (done by hand)", None, None);
        is("Phase 1: Survey (2 days)", Some("1"), "Survey (2 days)", None, None);
        is("Phase 1 of 5: Survey", Some("1"), "Survey", None, None);
        is("Phase A: Survey", Some("A"), "Survey", None, None);
        is("Fase 1", Some("1"), "Fase 1", None, None);
        is("المرحلة 1: المسح", Some("1"), "المسح", None, None);
        is("1. Survey", Some("1"), "Survey", None, None);
        is("**1. Survey**", Some("1"), "Survey", None, None);
        is("Survey", None, "Survey", None, None);
        is("Add `foo` to **bar** flags", None, "Add `foo` to **bar** flags", None, None);
        is("2024.01.05 log", None, "2024.01.05 log", None, None);
        is("Make it complete", None, "Make it complete", None, None);
        is("Phase 2: Build COMPLETED ✅", Some("2"), "Build COMPLETED", Some(Status::Complete), None);
    }

    #[test]
    fn kinds() {
        for (text, kind) in [
            ("Phase 1", Kind::Phase),
            ("批次 1：x", Kind::Other),
            ("Milestone 2", Kind::Other),
            ("Current Phase", Kind::Plain),
            ("Current Phase: Complete", Kind::Plain),
            ("Phase: Complete", Kind::Plain),
            ("Phases", Kind::Plain),
            ("Phasing 1", Kind::Plain),
            ("Step 1", Kind::Plain),
            ("Next Phase", Kind::Plain),
        ] {
            assert_eq!(read(text).kind, kind, "{text}");
        }
    }
}
