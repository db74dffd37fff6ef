//! Text on its way to a model or into a ledger: flattened to one line, cut to a width, and weighed.

use crate::core::scan::scanned;

/// One line without hidden characters: control characters, line ends and runs of space become one space; zero-width, bidi,
/// variation and tag characters are dropped.
pub fn flatten(text: &str) -> String {
    flatten_to(text, usize::MAX)
}

/// The beginning of the flattened text, at least `most` characters of it where it has more: a text without an end is not
/// looked at to its end.
pub fn flatten_to(text: &str, most: usize) -> String {
    if text.len() <= most && is_flat(text) {
        scanned(text.len());
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len().min(most));
    let (mut space, mut count) = (false, 0);
    let mut chars = text.chars();
    while count < most
        && let Some(c) = chars.next()
    {
        if is_hidden(c) {
            continue;
        }
        if c.is_whitespace() || c.is_control() {
            space = !out.is_empty();
        } else {
            if std::mem::take(&mut space) {
                out.push(' ');
            }
            out.push(c);
            count += 1;
        }
    }
    scanned(text.len() - chars.as_str().len());
    out
}

/// Plain ASCII words with one space between them, as most text is: seen byte by byte, which is cheap.
fn is_flat(text: &str) -> bool {
    let mut after_space = true;
    let words = text.bytes().all(|b| {
        let space = b == b' ';
        let fine = if space { !after_space } else { b.is_ascii_graphic() };
        after_space = space;
        fine
    });
    words && !text.ends_with(' ')
}

/// Whether a character shows nothing by itself but changes how or what others read.
pub fn is_hidden(c: char) -> bool {
    // Most text is plain, and this is asked of every character that reaches a model.
    c >= '\u{ad}'
        && matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Columns a character takes; every character counts, so that columns bound characters.
fn columns(c: char) -> usize {
    match u32::from(c) {
        ..0x1100 => 1,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f000..=0x1faff
        | 0x20000..=0x3ffff => 2,
        _ => 1,
    }
}

/// At most `width` columns of `text`, the last of them an ellipsis where something was cut off.
pub fn cut(text: &str, width: usize) -> String {
    scanned(text.len());
    // No character takes more columns than bytes.
    if text.len() <= width || text.chars().map(columns).sum::<usize>() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let head: String = text
        .chars()
        .take_while(|c| {
            used += columns(*c);
            used <= width
        })
        .collect();
    format!("{}…", head.trim_end())
}

/// At most `count` characters of `text`.
pub fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}

/// An estimate of how many tokens a model reads, rather too high than too low (`tests/tokens.rs` compares it with `o200k`).
pub fn cost(text: &str) -> usize {
    scanned(text.len());
    let (mut tokens, mut quarters) = (0, 0usize);
    let mut run = Run::default();
    let mut before = ' ';
    for c in text.chars() {
        let kind = Kind::of(c);
        if kind != run.kind {
            tokens += run.cost();
            run = Run { kind, ..Run::default() };
        }
        run.length += 1;
        run.capitals += usize::from(c.is_ascii_uppercase());
        match kind {
            // A space is part of a word that follows, but not of a number.
            Kind::Number if run.length == 1 && before == ' ' => tokens += 1,
            Kind::Other => quarters += quarters_of(c),
            _ => {}
        }
        before = c;
    }
    tokens + run.cost() + quarters.div_ceil(4)
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    Sign,
    #[default]
    Space,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            ' ' => Self::Space,
            'a'..='z' | 'A'..='Z' => Self::Word,
            '0'..='9' => Self::Number,
            _ if c.is_ascii() => Self::Sign,
            _ => Self::Other,
        }
    }
}

/// Characters of one kind.
#[derive(Default)]
struct Run {
    kind: Kind,
    length: usize,
    capitals: usize,
}

impl Run {
    fn cost(&self) -> usize {
        match self.kind {
            Kind::Word => {
                let plain = if self.length < 8 { 1 } else { self.length.div_ceil(5) };
                plain + self.capitals.saturating_sub(1).div_ceil(2)
            }
            Kind::Number => self.length.div_ceil(3),
            Kind::Sign => self.length.div_ceil(2),
            Kind::Space | Kind::Other => 0,
        }
    }
}

/// Quarters of a token that a character outside of ASCII costs.
fn quarters_of(c: char) -> usize {
    match u32::from(c) {
        // Scripts that vocabularies know words of.
        0xc0..=0x2af | 0x370..=0x10ff | 0x1780..=0x17ff | 0x1e00..=0x1fff if c.is_alphabetic() => 2,
        0x2010..=0x2027 | 0x3000..=0x33ff | 0x4e00..=0x9fff | 0xac00..=0xd7a3 | 0xff00..=0xffef => 4,
        0x1200..=0x167f => 10,
        0x80..=0x2fff => 6,
        _ => 12,
    }
}

/// Whether a path, as written, stays beneath where it starts.
pub fn is_beneath(relative: &str) -> bool {
    use std::path::{Component, Path};
    Path::new(relative).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn flattened() {
        assert_eq!(flatten("  a\r\n\tb\u{2028}c\u{85}d  "), "a b c d");
        assert_eq!(flatten("a\u{200b}b\u{202e}c\u{feff}\u{e0041}\u{fe0f}"), "abc");
        assert_eq!(flatten("a\u{0}\u{1b}[31mb"), "a [31mb");
        assert_eq!(flatten("\u{200b} \n"), "");
        for (text, flat) in [("a b", "a b"), ("a  b", "a b"), (" a", "a"), ("a ", "a"), ("", ""), (" ", "")] {
            assert_eq!(flatten(text), flat, "{text:?}");
        }
    }

    #[test]
    fn cut_to_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("ab cdef", 4), "ab…");
        assert_eq!(cut("重写解析器", 10), "重写解析器");
        assert_eq!(cut("重写解析器", 9), "重写解析…");
        assert_eq!(cut("重写解析器", 8), "重写解…");
        assert_eq!(cut("ab", 1), "…");
    }

    #[test]
    fn first_characters() {
        assert_eq!(first_chars("重写解析器", 2), "重写");
        assert_eq!(first_chars("ab", 2), "ab");
        assert_eq!(first_chars("ab", 0), "");
    }

    proptest! {
        #[test]
        fn bounds(text in "\\PC{0,120}|[\\x00-\\x7f]{0,40}", width in 1usize..90) {
            let flat = flatten(&text);
            prop_assert_eq!(flatten(&flat), flat.clone());
            let breaks = ['\n', '\r', '\u{2028}'];
            prop_assert!(!flat.contains(breaks));
            prop_assert_eq!(cut(&flatten_to(&text, width + 1), width), cut(&flat, width));
            let short = cut(&flat, width);
            prop_assert!(short.chars().map(columns).sum::<usize>() <= width);
            prop_assert!(cost(&short) <= cost(&flat) + 3);
        }
    }
}
