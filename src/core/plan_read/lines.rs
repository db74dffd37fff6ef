//! Cuts bytes into lines: LF, CRLF and CR end one, a leading BOM is dropped, and each line is decoded on its own, so that one
//! bad byte costs one line and not the file.

use std::borrow::Cow;
use std::ops::Range;

use crate::core::scan::scanned;

/// One line of the file, without its ending.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Line number, from 1.
    pub(super) number: usize,
    /// Offset of the first byte in the file.
    pub(super) start: usize,
    /// Offset just after the last byte, before the line ending.
    pub(super) end: usize,
    text: Cow<'a, str>,
    /// The bytes are valid UTF-8: offsets in `text` are offsets in the file.
    pub(super) exact: bool,
    /// Part of a fence, a comment, raw HTML or indented code.
    pub(super) hidden: bool,
}

impl Line<'_> {
    /// The text. HTML comments are blanked with spaces, byte for byte, so that offsets stay true. Every reader gets it here,
    /// so every look at a line is counted.
    pub(super) fn text(&self) -> &str {
        scanned(self.text.len());
        &self.text
    }

    /// Puts a text of the same length in place of it.
    pub(super) fn blank_to(&mut self, text: String) {
        self.text = Cow::Owned(text);
    }

    /// Whether there is nothing to read here.
    pub(super) fn blank(&self) -> bool {
        self.hidden || self.text().trim().is_empty()
    }

    /// Columns before the first character, tabs counted to the next multiple of four.
    pub(super) fn indent(&self) -> usize {
        columns(self.text())
    }

    /// Where `part`, a slice of this line's text, lies in the file. `None` where the line was not valid UTF-8.
    pub(super) fn span(&self, part: &str) -> Option<Range<usize>> {
        let at = offset(&self.text, part);
        (self.exact && at + part.len() <= self.text.len()).then(|| self.start + at..self.start + at + part.len())
    }
}

/// The offset of `part` in `whole`, of which it is a slice.
pub(super) fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(whole.as_ptr().addr())
}

/// The text between two slices of `whole`: from the start of `first` to the end of `last`.
pub(super) fn cover<'t>(whole: &'t str, first: &str, last: &str) -> &'t str {
    whole.get(offset(whole, first)..offset(whole, last) + last.len()).unwrap_or_default()
}

/// Columns of white space at the start of `text`.
pub(super) fn columns(text: &str) -> usize {
    let mut columns = 0;
    for c in text.chars() {
        match c {
            ' ' => columns += 1,
            '\t' => columns = (columns / 4 + 1) * 4,
            _ => break,
        }
    }
    columns
}

/// Cuts `bytes` into lines.
pub(super) fn split(bytes: &[u8]) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    while let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) {
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        scanned(length);
        let body = rest.get(..length).unwrap_or_default();
        let text = String::from_utf8_lossy(body);
        let exact = matches!(text, Cow::Borrowed(_));
        lines.push(Line { number: lines.len() + 1, start, end: start + length, text, exact, hidden: false });
        start += length + ending(bytes, start + length).len();
    }
    lines
}

/// The line ending at offset `at`; empty at the end of the file.
pub(crate) fn ending(bytes: &[u8], at: usize) -> &'static str {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => "\r\n",
        (Some(b'\r'), _) => "\r",
        (Some(b'\n'), _) => "\n",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_ends_a_line() {
        let lines = split(b"\xEF\xBB\xBFa\nb\r\nc\rd\n\ne");
        let texts: Vec<_> = lines.iter().map(Line::text).collect();
        assert_eq!(texts, ["a", "b", "c", "d", "", "e"]);
        assert_eq!(lines[0].start, 3);
        assert_eq!(lines[5].number, 6);
    }

    #[test]
    fn a_bad_byte_costs_one_line() {
        let lines = split(b"ok\n\xD2\nok");
        assert!(lines[0].exact && lines[2].exact);
        assert!(!lines[1].exact);
        assert_eq!(lines[1].span(lines[1].text()), None);
        assert_eq!(lines[2].span(lines[2].text()), Some(5..7));
    }
}
