//! What a status says: the first token decides, the rest is a note.

use crate::core::plan::Status;
use crate::core::plan_read::fold::{status_mark, status_word, unseen};
use crate::core::plan_read::items;
use crate::core::plan_read::lines::cover;
use crate::core::scan::scanned;

/// A status as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    /// What it means.
    pub(super) status: Status,
    /// The bytes that say so, without emphasis; empty where nothing is written.
    pub(super) text: &'t str,
    /// What follows, without the punctuation between.
    pub(super) note: &'t str,
    /// Something is written.
    pub(super) written: bool,
    /// The note is set off by punctuation, not by a mere space.
    set_off: bool,
}

impl Token<'_> {
    /// Nothing but the token, or a note clearly set off from it: safe to take for a status where a title could stand.
    pub(super) fn bare(&self) -> bool {
        self.note.is_empty() || self.set_off
    }
}

/// Reads the value of a status line, the inside of brackets or a cell.
pub(super) fn read(value: &str) -> Token<'_> {
    scanned(value.len());
    let value = value.trim();
    let mut rest = skip_struck(value);
    if let Some(boxed) = items::boxed(rest).filter(|boxed| boxed.word) {
        let (note, set_off) = note(boxed.rest);
        return Token { note, set_off, ..read(boxed.inner) };
    }
    let (mut mark, mut from) = (None, None);
    let wrap = loop {
        let (next, wrapper) = unwrap(rest);
        let Some((status, length)) = first_mark(next) else {
            rest = next;
            break wrapper;
        };
        from = from.or(Some(next));
        mark = mark.or(Some((status, next.get(..length).unwrap_or_default())));
        rest = next.get(length..).unwrap_or_default();
    };
    let word = status_word(rest).and_then(|(status, length)| {
        let (word, after) = rest.split_at_checked(length)?;
        ends_token(after).then_some((status, word, after))
    });
    let Some((status, word, after)) = word else {
        return match mark {
            Some((status, token)) => Token { status, text: token, note: note(rest).0, written: true, set_off: false },
            None if rest.is_empty() => {
                Token { status: Status::Pending, text: rest, note: "", written: false, set_off: true }
            }
            None => unknown(rest),
        };
    };
    if choice(after) {
        return unknown(rest);
    }
    let (mut last, mut after) = (word, after);
    if from.is_some()
        && let Some(tail) = after.strip_prefix(wrap)
    {
        last = after.get(..wrap.len()).unwrap_or_default();
        after = tail;
    }
    let trail = after.trim_start_matches(['*', '_', '`', ' ']);
    if let Some((_, length)) = status_mark(trail)
        && after.len() - trail.len() <= 1
    {
        (last, after) = trail.split_at_checked(length).unwrap_or((last, after));
    }
    let token = cover(value, from.unwrap_or(word), last);
    let (note, set_off) = note(after);
    Token { status, text: token, note, written: true, set_off }
}

/// Steps over a struck-out former status.
fn skip_struck(value: &str) -> &str {
    let rest = value.strip_prefix("~~").and_then(|inner| inner.find("~~").and_then(|end| inner.get(end + 2..)));
    rest.map_or(value, str::trim_start)
}

/// Steps over emphasis and invisible marks; returns what was stepped over last without a space.
fn unwrap(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || unseen(c));
    let rest = text.trim_start_matches(|c: char| matches!(c, '*' | '_' | '`' | '"') || unseen(c));
    (rest.trim_start(), text.get(..text.len() - rest.len()).unwrap_or_default())
}

/// A box or an emoji that says a status.
fn first_mark(text: &str) -> Option<(Status, usize)> {
    if let Some(found) = status_mark(text) {
        return Some(found);
    }
    items::boxed_mark(text)
}

/// Whether a word ends here: `completely`, `complete?` and `complete-ish` are other words.
fn ends_token(after: &str) -> bool {
    let mut chars = after.chars();
    match chars.next() {
        None => true,
        Some('.' | '!' | '_' | '*' | '`' | '~' | '"' | ',' | ':' | ';') => {
            chars.next().is_none_or(|next| !next.is_alphanumeric())
                || after.starts_with([':', ';', ',', '*', '`', '~', '"'])
        }
        Some(c) => {
            c.is_whitespace()
                || matches!(
                    c,
                    '(' | ')'
                        | '（'
                        | '）'
                        | '['
                        | ']'
                        | '【'
                        | '】'
                        | '：'
                        | '；'
                        | '，'
                        | '、'
                        | '。'
                        | '！'
                        | '—'
                        | '–'
                        | '<'
                )
                || status_mark(after).is_some()
        }
    }
}

/// A list to choose from (`pending | complete`), left over from a template.
fn choice(after: &str) -> bool {
    after.trim_start_matches(['*', '`', '_']).trim_start().starts_with(['|', '/'])
}

/// An unknown status: all up to a note that is clearly set off.
fn unknown(rest: &str) -> Token<'_> {
    let end = rest
        .char_indices()
        .find(|(at, c)| {
            let tail = rest.get(*at..).unwrap_or_default();
            matches!(c, '(' | '（' | ';' | '；' | '—' | '–') || tail.starts_with(" - ")
        })
        .map_or(rest.len(), |(at, _)| at);
    let token = rest.get(..end).unwrap_or(rest).trim_end().trim_end_matches(['*', '_', '`']);
    let (note, set_off) = note(rest.get(end..).unwrap_or_default());
    Token { status: Status::Unknown, text: token, note, written: true, set_off }
}

/// The note, and whether punctuation sets it off.
fn note(after: &str) -> (&str, bool) {
    let after = after.trim_start_matches(['*', '_', '`', '~', '"']).trim();
    let text =
        after.trim_start_matches([':', '：', ';', '；', ',', '，', '、', '.', '。', '!', '！', '—', '–', '-', ' ']);
    let inner = text
        .strip_prefix('(')
        .and_then(|t| t.strip_suffix(')'))
        .or_else(|| text.strip_prefix('（').and_then(|t| t.strip_suffix('）')));
    let inner = inner.filter(|t| !t.contains(['(', '（']));
    let set_off = text.len() < after.len() || text.starts_with(['(', '（', '[']);
    (inner.unwrap_or(text).trim_end_matches(['*', '_', '`']).trim(), set_off)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(value: &str, status: Status, token: &str, note: &str) {
        let read = read(value);
        assert_eq!((read.status, read.text, read.note), (status, token, note), "{value}");
    }

    #[test]
    fn the_first_token_decides() {
        is("complete", Status::Complete, "complete", "");
        is("complete (local only)", Status::Complete, "complete", "local only");
        is("complete（hash）", Status::Complete, "complete", "hash");
        is("complete: note", Status::Complete, "complete", "note");
        is("complete; note", Status::Complete, "complete", "note");
        is("complete - note", Status::Complete, "complete", "note");
        is("complete, note", Status::Complete, "complete", "note");
        is("BLOCKED — reason", Status::Waiting, "BLOCKED", "reason");
        is("paused for requested deployment", Status::Waiting, "paused", "for requested deployment");
        is("SKIPPED at user request", Status::Skipped, "SKIPPED", "at user request");
        is("in progress (2/5)", Status::InProgress, "in progress", "2/5");
        is("已完成，见日志", Status::Complete, "已完成", "见日志");
        is("done.", Status::Complete, "done", "");
        is("", Status::Pending, "", "");
    }

    #[test]
    fn other_words_are_unknown() {
        for word in [
            "completely broken",
            "complete?",
            "incomplete",
            "not complete",
            "complete-ish",
            "complete/blocked",
            "完成度80%",
            "90% complete",
            "pending | in_progress | complete",
            "complete / failed",
            "done_by",
            "complete.md",
        ] {
            let read = read(word);
            assert_eq!((read.status, read.written), (Status::Unknown, true), "{word}");
        }
        is("completely broken (since noon)", Status::Unknown, "completely broken", "since noon");
    }

    #[test]
    fn marks_and_emphasis() {
        is("**complete**", Status::Complete, "complete", "");
        is("`in_progress` now", Status::InProgress, "in_progress", "now");
        is("_complete_", Status::Complete, "complete", "");
        is("COMPLETED ✅", Status::Complete, "COMPLETED ✅", "");
        is("✅ complete (a)", Status::Complete, "✅ complete", "a");
        is("✅ **complete** (a)", Status::Complete, "✅ **complete**", "a");
        is("[x] completed", Status::Complete, "[x] completed", "");
        is("[x]", Status::Complete, "[x]", "");
        is("[complete]", Status::Complete, "complete", "");
        is("⏸️", Status::Waiting, "⏸️", "");
        is("⏳ In Progress", Status::InProgress, "⏳ In Progress", "");
        is("❌ Not started", Status::Pending, "❌ Not started", "");
        is("~~pending~~ complete", Status::Complete, "complete", "");
        is("\u{200F}مكتمل\u{200F}", Status::Complete, "مكتمل\u{200F}", "");
    }
}
