//! Numbers of phases: `1`, `6A`, `1.2`, `P1`, `A`, `IV`, `三`, `one`.

use super::fold::{any_prefix, unseen};
use super::words::ORDINALS;

/// A number as written, and what it counts as in a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// As written, digits of other scripts turned into ASCII.
    pub(super) text: String,
    /// Position in a sequence. `None` for `1.2` and the like.
    pub(super) value: Option<u32>,
    /// Bytes it takes.
    pub(super) length: usize,
}

/// The number at the start of `text`, if something that is not part of a word follows it.
pub(super) fn read(text: &str) -> Option<Number> {
    digits(text).or_else(|| cjk(text)).or_else(|| roman(text)).or_else(|| letter(text)).or_else(|| ordinal(text))
}

/// `1`, `01`, `1.2`, `6A`, `P1`, and digits of other scripts.
pub(super) fn digits(text: &str) -> Option<Number> {
    let mut out = String::new();
    let mut length = 0;
    let mut plain = true;
    let mut seen = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next_digit = chars.peek().copied().and_then(digit).is_some();
        if let Some(value) = digit(c) {
            out.push(char::from_digit(value, 10)?);
            seen += 1;
        } else if matches!(c, '.' | '-') && seen > 0 && next_digit {
            out.push(c);
            plain = false;
        } else if seen == 0 && length == 0 && c.is_ascii_uppercase() && next_digit {
            out.push(c);
        } else if seen > 0 && c.is_ascii_alphabetic() && !chars.peek().is_some_and(|next| next.is_alphanumeric()) {
            out.push(c);
            length += 1;
            plain = false;
            break;
        } else {
            break;
        }
        length += c.len_utf8();
        if out.len() > 12 {
            return None;
        }
    }
    let rest = text.get(length..)?;
    let value = plain.then(|| out.trim_start_matches(|c: char| c.is_ascii_uppercase()).parse().ok()).flatten();
    (seen > 0 && ends(rest)).then_some(Number { text: out, value, length })
}

fn cjk(text: &str) -> Option<Number> {
    let length: usize = text.chars().take(5).take_while(|c| cjk_value(*c).is_some()).map(char::len_utf8).sum();
    let word = text.get(..length).filter(|word| !word.is_empty())?;
    let (mut total, mut unit) = (0, 0);
    for c in word.chars() {
        match cjk_value(c)? {
            10 => {
                total += if unit == 0 { 10 } else { unit * 10 };
                unit = 0;
            }
            value => unit = value,
        }
    }
    Some(Number { text: word.to_owned(), value: Some(total + unit), length })
}

fn cjk_value(c: char) -> Option<u32> {
    "零一二三四五六七八九十"
        .chars()
        .position(|digit| digit == c)
        .or((c == '两').then_some(2))
        .and_then(|n| u32::try_from(n).ok())
}

fn roman(text: &str) -> Option<Number> {
    let length = text.bytes().take(6).take_while(|byte| matches!(byte, b'I' | b'V' | b'X')).count();
    let word = text.get(..length).filter(|word| !word.is_empty() && ends(text.get(length..).unwrap_or_default()))?;
    let worth = |c| match c {
        'X' => 10,
        'V' => 5,
        _ => 1,
    };
    let mut total = 0;
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().map_or(0, |next| worth(*next));
        if worth(c) < next {
            total += next - worth(c);
            chars.next();
        } else {
            total += worth(c);
        }
    }
    Some(Number { text: word.to_owned(), value: Some(total), length })
}

fn letter(text: &str) -> Option<Number> {
    let first = text.chars().next().filter(char::is_ascii_uppercase)?;
    ends(text.get(1..)?).then(|| Number {
        text: first.to_string(),
        value: Some(u32::from(first) - u32::from('A') + 1),
        length: 1,
    })
}

fn ordinal(text: &str) -> Option<Number> {
    ORDINALS.iter().zip(1..).find_map(|(words, value)| {
        let length = any_prefix(text, words).filter(|length| ends(text.get(*length..).unwrap_or_default()))?;
        Some(Number { text: text.get(..length)?.to_owned(), value: Some(value), length })
    })
}

fn digit(c: char) -> Option<u32> {
    let base = match c {
        '0'..='9' => '0',
        '０'..='９' => '０',
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        _ => return None,
    };
    Some(u32::from(c) - u32::from(base))
}

/// Whether no letter or digit of the same word follows. Text of scripts without spaces may.
fn ends(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| !(c.is_ascii_alphanumeric() || c == '_') || unseen(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, written, value) in [
            ("1: a", "1", Some(1)),
            ("01 a", "01", Some(1)),
            ("1.2 a", "1.2", None),
            ("1. a", "1", Some(1)),
            ("6A：a", "6A", None),
            ("P1", "P1", Some(1)),
            ("A: a", "A", Some(1)),
            ("IV - a", "IV", Some(4)),
            ("IX", "IX", Some(9)),
            ("三：a", "三", Some(3)),
            ("十二", "十二", Some(12)),
            ("二十", "二十", Some(20)),
            ("٣: a", "3", Some(3)),
            ("２：a", "2", Some(2)),
            ("one: a", "one", Some(1)),
            ("الأولى: a", "الأولى", Some(1)),
        ] {
            let number = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((number.text.as_str(), number.value), (written, value), "{text}");
        }
        for text in ["a new one", "Complete", "", ": x", "1st", "1abc", "Next", "onerous", "Plan", "1234567890123"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
