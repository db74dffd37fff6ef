//! List items and the boxes in them.

use crate::core::plan::{Status, StepState};
use crate::core::plan_read::status;
use crate::core::scan::scanned;

/// A line that is a list item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'t> {
    /// Columns before the marker.
    pub(super) indent: usize,
    /// Columns before the content.
    pub(super) inner: usize,
    /// What stands after the marker.
    pub(super) content: &'t str,
}

/// Reads a list item. The space after the marker may be missing where a box or bold text follows.
pub(super) fn item(text: &str) -> Option<Item<'_>> {
    scanned(text.len());
    let indent = super::lines::columns(text);
    let body = text.trim_start_matches([' ', '\t']);
    let (rest, width) = if let Some(rest) = body.strip_prefix(['-', '*', '+']) {
        let glued = rest.starts_with(['[', '［']) || (body.starts_with('-') && rest.starts_with("**"));
        (Some(rest).filter(|rest| glued || rest.is_empty() || rest.starts_with([' ', '\t'])), 1)
    } else if let Some(rest) = body.strip_prefix('•') {
        (Some(rest), 1)
    } else {
        let digits = body.bytes().take_while(u8::is_ascii_digit).count();
        let rest = body.get(digits..).and_then(|rest| rest.strip_prefix(['.', ')']));
        let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '[']));
        (rest.filter(|_| (1..=9).contains(&digits)), digits + 1)
    };
    let rest = rest?;
    let content = rest.trim_start_matches([' ', '\t']);
    let gap = rest.len() - content.len();
    let gap = if content.is_empty() || gap > 4 { 1 } else { gap };
    Some(Item { indent, inner: indent + width + gap, content })
}

/// Whether the line is a thematic break, which looks like a list item.
pub(super) fn is_rule(text: &str) -> bool {
    let body = text.trim();
    let Some(first @ ('-' | '*' | '_')) = body.chars().next() else { return false };
    body.chars().all(|c| c == first || c == ' ' || c == '\t') && body.chars().filter(|c| *c == first).count() >= 3
}

/// Something in brackets at the start of a list item or cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxed<'t> {
    /// The text between the brackets.
    pub(super) inner: &'t str,
    /// What follows, trimmed.
    pub(super) rest: &'t str,
    /// What the brackets say.
    pub(super) status: Status,
    /// A status word, not a mark.
    pub(super) word: bool,
}

impl Boxed<'_> {
    /// The state as a step.
    pub(super) fn state(&self) -> StepState {
        match self.status {
            Status::Complete => StepState::Done,
            Status::Skipped => StepState::Dropped,
            _ => StepState::Open,
        }
    }
}

/// Reads `[x] text` or `[complete] text`. `None` for links and for brackets that say nothing about a status.
pub(super) fn boxed(content: &str) -> Option<Boxed<'_>> {
    let (open, close) = if content.starts_with('［') { ('［', '］') } else { ('[', ']') };
    let after = content.strip_prefix(open)?;
    let end = after.char_indices().take(40).find(|(_, c)| *c == close).map(|(at, _)| at)?;
    let inner = after.get(..end)?;
    let rest = after.get(end + close.len_utf8()..)?;
    if rest.starts_with(['(', '[', ':']) {
        return None;
    }
    let rest = rest.trim();
    if let Some(status) = mark(inner) {
        return Some(Boxed { inner, rest, status, word: false });
    }
    let token = status::read(inner);
    (token.written && token.status != Status::Unknown && token.bare()).then_some(Boxed {
        inner,
        rest,
        status: token.status,
        word: true,
    })
}

/// A box with a mark at the start of `text`: its status and length in bytes.
pub(super) fn boxed_mark(text: &str) -> Option<(Status, usize)> {
    let inner = text.strip_prefix('[')?;
    let end = inner.char_indices().take(4).find(|(_, c)| *c == ']').map(|(at, _)| at)?;
    Some((mark(inner.get(..end)?)?, end + 2))
}

/// What the mark in a box says.
fn mark(inner: &str) -> Option<Status> {
    let mut chars = inner.trim().chars().filter(|c| *c != '\u{FE0F}');
    match (chars.next(), chars.next()) {
        (None, _) | (Some('!' | '?' | '*'), None) => Some(Status::Pending),
        (Some('x' | 'X' | '×' | '✓' | '✔' | '✅' | '√' | 'ｘ'), None) => Some(Status::Complete),
        (Some('/' | '~' | '>' | '.'), None) => Some(Status::InProgress),
        (Some('-' | '–' | '—'), None) => Some(Status::Skipped),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items() {
        for (text, indent, inner, content) in [
            ("- a", 0, 2, "a"),
            ("  - [x] a", 2, 4, "[x] a"),
            ("-[x] a", 0, 1, "[x] a"),
            ("-**状态：**完成", 0, 1, "**状态：**完成"),
            ("* a", 0, 2, "a"),
            ("10. a", 0, 4, "a"),
            ("\t- a", 4, 6, "a"),
            ("-", 0, 2, ""),
        ] {
            let item = item(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((item.indent, item.inner, item.content), (indent, inner, content), "{text}");
        }
        for text in ["-a", "**bold**", "*a*", "1.5 x", "a - b", "", "2024.01", "1234567890. x"] {
            assert!(item(text).is_none(), "{text}");
        }
    }

    #[test]
    fn boxes() {
        for (text, status, word, rest) in [
            ("[x] a", Status::Complete, false, "a"),
            ("[X]a", Status::Complete, false, "a"),
            ("[ ] a", Status::Pending, false, "a"),
            ("[] a", Status::Pending, false, "a"),
            ("[ x ] a", Status::Complete, false, "a"),
            ("[/] a", Status::InProgress, false, "a"),
            ("[-] a", Status::Skipped, false, "a"),
            ("[complete] 1. a", Status::Complete, true, "1. a"),
            ("[in progress] a", Status::InProgress, true, "a"),
            ("［x］ a", Status::Complete, false, "a"),
            ("[已完成] a", Status::Complete, true, "a"),
        ] {
            let b = boxed(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((b.status, b.word, b.rest), (status, word, rest), "{text}");
        }
        for text in ["[link](x)", "[ref][x]", "[docs] a", "[complete guide] a", "[x", "x]", "[x]: http"] {
            assert!(boxed(text).is_none(), "{text}");
        }
    }
}
