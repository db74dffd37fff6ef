//! Compares words with the tables: case, accents, full-width forms and invisible marks do not matter, and a space stands for a
//! space, a hyphen or an underscore.

use unicode_normalization::char::decompose_compatible;

use crate::core::plan::Status;
use crate::core::plan_read::words::{MARKS, STATUS};

/// The status word at the start of `text` and its length in bytes. What follows is not looked at.
pub(super) fn status_word(text: &str) -> Option<(Status, usize)> {
    let mut best: Option<(Status, usize)> = None;
    for (status, words) in STATUS {
        for word in *words {
            if let Some(length) = prefix(text, word)
                && best.is_none_or(|(_, longest)| length > longest)
            {
                best = Some((*status, length));
            }
        }
    }
    best
}

/// The status emoji at the start of `text` and its length in bytes.
pub(super) fn status_mark(text: &str) -> Option<(Status, usize)> {
    let first = text.chars().next()?;
    let (_, status) = MARKS.iter().find(|(mark, _)| *mark == first)?;
    let length = first.len_utf8();
    let selector = text.get(length..).is_some_and(|rest| rest.starts_with('\u{FE0F}'));
    Some((*status, if selector { length + 3 } else { length }))
}

/// The longest of `words` at the start of `text`: its length in bytes.
pub(super) fn any_prefix(text: &str, words: &[&str]) -> Option<usize> {
    words.iter().filter_map(|word| prefix(text, word)).max()
}

/// Whether `text` is one of `words`.
pub(super) fn is_any(text: &str, words: &[&str]) -> bool {
    let text = text.trim();
    words.iter().any(|word| prefix(text, word) == Some(text.len()))
}

/// How many bytes of `text` spell `word`.
pub(super) fn prefix(text: &str, word: &str) -> Option<usize> {
    if text.chars().next().zip(word.chars().next()).is_some_and(|(got, wanted)| differ(got, wanted)) {
        return None;
    }
    let mut rest = text.char_indices().filter_map(|(at, c)| Some((at + c.len_utf8(), fold(c)?)));
    let mut end = 0;
    for wanted in word.chars().filter_map(fold) {
        let (after, got) = rest.next()?;
        if got != wanted {
            return None;
        }
        end = after;
    }
    let invisible = |c: &char| fold(*c).is_none();
    Some(end + text.get(end..)?.chars().take_while(invisible).map(char::len_utf8).sum::<usize>())
}

/// Whether two first characters can be told apart without a look into the tables of Unicode. Most words fail here.
fn differ(got: char, wanted: char) -> bool {
    match (got, wanted) {
        ('!'..='~', ' '..='~') => fold(got) != fold(wanted),
        // Latin letters with accents are below U+0250; those that only look like ASCII are above U+2000.
        ('!'..='\u{24F}', '\u{370}'..) => got != '\u{AD}',
        ('\u{370}'..='\u{5FF}' | '\u{620}'..='\u{1FFF}' | '\u{3040}'..='\u{D7FF}', ..='\u{24F}') => got != '\u{180E}',
        _ => false,
    }
}

/// What a character counts as; `None` for accents and for marks nobody sees.
fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(if matches!(c, '_' | '-') { ' ' } else { c.to_ascii_lowercase() });
    }
    if matches!(c, '\u{4E00}'..='\u{9FFF}') {
        return Some(c);
    }
    if unseen(c) || matches!(c, '\u{300}'..='\u{36F}' | '\u{64B}'..='\u{65F}' | '\u{FE0F}') {
        return None;
    }
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    let base = first.unwrap_or(c);
    base.to_lowercase().next()
}

/// Characters without width or that change the direction of what follows.
pub(crate) fn unseen(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206F}' | '\u{FEFF}' | '\u{180E}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding() {
        for (text, word) in [
            ("In-Progress", "in progress"),
            ("IN_PROGRESS", "in progress"),
            ("Concluída", "concluida"),
            ("Conclui\u{301}da", "concluída"),
            ("\u{200F}المرحلة", "المرحلة"),
            ("ＤＯＮＥ", "done"),
            ("進行中", "進行中"),
        ] {
            assert_eq!(prefix(text, word), Some(text.len()), "{text}");
        }
        assert_eq!(prefix("phase 1", "phase"), Some(5));
        assert_eq!(prefix("pha", "phase"), None);
    }

    #[test]
    fn the_longest_word_counts() {
        assert_eq!(status_word("completed"), Some((Status::Complete, 9)));
        assert_eq!(status_word("تم التخطي").map(|(s, _)| s), Some(Status::Skipped));
        assert_eq!(status_word("fine"), None);
    }
}
