//! The words a person types into a chat as a whole prompt, answered by the hook without a model call.

/// A chat word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// `plan status`
    Status,
    /// `approve plan`: show what would be approved.
    Show,
    /// `approve plan <code>`
    Approve(String),
    /// `approve phase NAME [code]`: without a code, show what it came to. The name is in lower case.
    Phase(String, Option<String>),
    /// `reject plan`
    Reject,
    /// `pause plan`
    Pause,
    /// `resume plan`
    Resume,
    /// `release plan [code]`: without a code, show what that does.
    Release(Option<String>),
}

/// The chat word that is the whole prompt, whatever its case and spacing.
pub fn word(prompt: &str) -> Option<Word> {
    if prompt.len() > 128 {
        return None;
    }
    let prompt = prompt.to_lowercase();
    // A client may put an answered prompt back into its input line, before what is typed next.
    let again = |word: &&str| prompt.trim().strip_prefix(*word).filter(|rest| rest.starts_with(*word));
    let prompt = ["approve plan", "release plan", "approve phase"].iter().find_map(again).unwrap_or(&prompt);
    let is_code = |code: &str| code.len() == 8 && code.bytes().all(|b| b.is_ascii_hexdigit());
    let words: Vec<&str> = prompt.split_whitespace().collect();
    match words.as_slice() {
        ["plan", "status"] => Some(Word::Status),
        ["approve", "plan"] => Some(Word::Show),
        ["approve", "plan", code] if is_code(code) => Some(Word::Approve((*code).to_owned())),
        ["approve", "phase", name] => Some(Word::Phase((*name).to_owned(), None)),
        ["approve", "phase", name, code] if is_code(code) => {
            Some(Word::Phase((*name).to_owned(), Some((*code).to_owned())))
        }
        ["reject", "plan"] => Some(Word::Reject),
        ["pause", "plan"] => Some(Word::Pause),
        ["resume", "plan"] => Some(Word::Resume),
        ["release", "plan"] => Some(Word::Release(None)),
        ["release", "plan", code] if is_code(code) => Some(Word::Release(Some((*code).to_owned()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_prompt_is_a_word() {
        for (prompt, expected) in [
            ("approve plan", Some(Word::Show)),
            ("  Approve   Plan \n", Some(Word::Show)),
            ("approve plan 1A2b3c4d", Some(Word::Approve("1a2b3c4d".into()))),
            ("approve planapprove plan 1a2b3c4d", Some(Word::Approve("1a2b3c4d".into()))),
            ("approve phase Ship", Some(Word::Phase("ship".into(), None))),
            ("approve phase 3 1a2b3c4d", Some(Word::Phase("3".into(), Some("1a2b3c4d".into())))),
            ("approve phaseapprove phase 3 1a2b3c4d", Some(Word::Phase("3".into(), Some("1a2b3c4d".into())))),
            ("approve phase deadbeef", Some(Word::Phase("deadbeef".into(), None))),
            ("approve phase", None),
            ("approve phase two of the work", None),
            ("approve phase 3 please", None),
            ("reject plan", Some(Word::Reject)),
            ("plan status", Some(Word::Status)),
            ("pause plan", Some(Word::Pause)),
            ("resume plan", Some(Word::Resume)),
            ("Release plan", Some(Word::Release(None))),
            ("release planrelease plan 1a2b3c4d", Some(Word::Release(Some("1a2b3c4d".into())))),
            ("release plan for the spring", None),
            ("release plan 1a2b3c4", None),
            ("please approve plan", None),
            ("approve plan please", None),
            ("approve plan and go on", None),
            ("approve the plan", None),
            ("\"approve plan\"", None),
            ("resume", None),
            ("", None),
        ] {
            assert_eq!(word(prompt), expected, "{prompt:?}");
        }
    }
}
