//! The file as it would be.

use std::borrow::Cow;

use crate::core::event::{Replacement, Writing};
use crate::core::patch;

/// Larger than any file that is judged, in bytes.
const LARGE: usize = 2 * 1024 * 1024;

/// What a file with this text becomes; a file that is not there has none. `None` where that cannot be said, or where the tool
/// will fail by itself.
pub fn after(old: &str, what: &Writing) -> Option<String> {
    match what {
        Writing::Whole(text) => Some(text.clone()),
        Writing::Replace(list) => {
            // What grows beyond that is no plan any more, whatever else is done to it.
            let small = |text: &String| text.len() <= LARGE;
            list.iter().try_fold(unix(old).into_owned(), |text, replacement| {
                if small(&text) { replaced(&text, replacement) } else { Some(text) }
            })
        }
        Writing::Patch(hunks) => patch::apply(old, hunks),
        Writing::Remove => Some(String::new()),
        Writing::Unknown => None,
    }
}

/// As the tools do it (Claude Code 2.1.332): what is replaced stands there once, unless all of it is meant; nothing can be
/// replaced in a blank file alone, which makes it.
fn replaced(text: &str, Replacement { old, new, all }: &Replacement) -> Option<String> {
    let (old, new) = (unix(old), unix(new));
    if old.is_empty() {
        return text.trim().is_empty().then(|| new.into_owned());
    }
    let mut found = text.match_indices(old.as_ref());
    match (found.next(), found.next()) {
        (None, _) => None,
        (Some(_), Some(_)) if !all => None,
        _ => Some(text.replace(old.as_ref(), &new)),
    }
}

/// Tools match line by line, whatever the line ending of the file.
fn unix(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_doubles_again_and_again_is_given_up_on() {
        let list = vec![edit("o", "oo", true); 60];
        let grown = after("o", &Writing::Replace(list)).unwrap();
        assert!(grown.len() > LARGE && grown.len() <= 2 * LARGE, "{}", grown.len());
    }

    fn edit(old: &str, new: &str, all: bool) -> Replacement {
        Replacement { old: old.to_owned(), new: new.to_owned(), all }
    }

    #[test]
    fn as_the_tools_do_it() {
        let become_of = |old: &str, list: &[Replacement]| after(old, &Writing::Replace(list.to_vec()));
        for (old, list, new) in [
            ("a b", vec![edit("a", "c", false)], Some("c b")),
            ("a a", vec![edit("a", "c", false)], None),
            ("a a", vec![edit("a", "c", true)], Some("c c")),
            ("a", vec![edit("x", "c", true)], None),
            ("", vec![edit("", "new", false)], Some("new")),
            (" \n", vec![edit("", "new", false)], Some("new")),
            ("a", vec![edit("", "new", false)], None),
            ("a\r\nb\r\n", vec![edit("a\nb", "c\nd", false)], Some("c\nd\n")),
            ("a\nb\n", vec![edit("a\r\nb", "c", false)], Some("c\n")),
            ("a b", vec![edit("a", "c", false), edit("c", "d", false)], Some("d b")),
            ("a b", vec![edit("a", "c", false), edit("a", "d", false)], None),
            ("a", vec![], Some("a")),
        ] {
            assert_eq!(become_of(old, &list).as_deref(), new, "{old:?} {list:?}");
        }
        assert_eq!(after("a", &Writing::Whole("b".to_owned())).as_deref(), Some("b"));
        assert_eq!(after("a", &Writing::Remove).as_deref(), Some(""));
        assert_eq!(after("a", &Writing::Unknown), None);
    }
}
