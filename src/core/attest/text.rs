//! Text that may stand in a contract.

use unicode_normalization::UnicodeNormalization;

use crate::core::plan::Problem;
use crate::core::plan_read::fold::unseen;

/// Takes texts over and gathers what is wrong with them.
pub(super) struct Text {
    pub(super) problems: Vec<Problem>,
}

impl Text {
    /// The text trimmed and composed (NFC). `most` counts characters; `shown` text is prose, where brackets alone make a
    /// placeholder.
    pub(super) fn take(&mut self, what: &str, text: &str, line: usize, most: usize, shown: bool) -> String {
        let text = text.trim();
        let text: String = if text.is_ascii() { text.to_owned() } else { text.nfc().collect() };
        let wrong = if text.is_empty() {
            Some((format!("the {what} is empty"), format!("write the {what}")))
        } else if is_placeholder(&text) && (shown || !is_test(&text)) {
            Some((
                format!("the {what} is still the placeholder `{}`", text.chars().take(60).collect::<String>()),
                format!("write the {what}, or take the line out"),
            ))
        } else if let Some(bad) = text.chars().find(|c| is_bad(*c)) {
            Some((
                format!("the {what} holds U+{:04X}, {}", u32::from(bad), kind(bad)),
                "take the character out".to_owned(),
            ))
        } else {
            let length = text.chars().count();
            (length > most)
                .then(|| (format!("the {what} has {length} characters"), format!("shorten it to {most} characters")))
        };
        if let Some((what, fix)) = wrong {
            self.problems.push(Problem { line, what, fix });
        }
        text
    }

    /// Checks that a path stays beneath the root.
    pub(super) fn path(&mut self, path: &str, line: usize) {
        let drive = path.as_bytes().get(1) == Some(&b':');
        let leaves = path.starts_with(['/', '\\', '~']) || drive || path.split(['/', '\\']).any(|part| part == "..");
        if leaves || path.split('/').all(|part| matches!(part, "" | ".")) && !path.is_empty() {
            self.problems.push(Problem {
                line,
                what: format!(
                    "the artifact `{}` is not a path beneath the project",
                    path.chars().take(60).collect::<String>()
                ),
                fix: "write a relative path without `..`".to_owned(),
            });
        }
    }
}

/// Wholly in square brackets: left over from a template.
fn is_placeholder(text: &str) -> bool {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| !inner.contains(['[', ']']))
}

/// `[ -f file ]` is a command; `[a command that passes]` is left over from a template.
fn is_test(text: &str) -> bool {
    text.starts_with("[ ") || text.starts_with("[[")
}

/// Characters that hide, reorder or break what a person sees.
fn is_bad(c: char) -> bool {
    c.is_control()
        || unseen(c)
        || matches!(c,
            '\u{2028}' | '\u{2029}' | '\u{FFFD}' | '\u{FFF9}'..='\u{FFFB}' | '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}'
            | '\u{E0000}'..='\u{E0FFF}')
}

fn kind(c: char) -> &'static str {
    match c {
        _ if c.is_control() => "a control character",
        '\u{FFFD}' => "which stands for bytes that are not UTF-8",
        '\u{2028}' | '\u{2029}' => "a line separator",
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            "which changes the direction of text"
        }
        _ => "which nobody sees",
    }
}
