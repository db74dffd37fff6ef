//! Prompts that people wrote, as against prompts that a host made up.

use super::SENTINEL;
use crate::core::text::{first_chars, flatten};

/// What hosts begin a prompt with that they made up: a note that a background task ended, and what a hook said.
const MADE_UP: [&str; 2] = ["<task-notification", "<hook_prompt"];

/// Whether a prompt is a turn of the user. Not: an empty one, a hold handed back as a prompt (also behind a host's own words
/// such as `Stop hook feedback:`), anything in a host's own marks.
pub fn is_user_prompt(text: &str) -> bool {
    let start = flatten(first_chars(text.trim_start(), 400));
    let start = start.trim_start_matches(['-', '>', ' ']);
    if start.is_empty() {
        return text.chars().count() > 400 && !flatten(text).is_empty();
    }
    let begins = |mark: &str| start.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark));
    if MADE_UP.iter().any(|mark| begins(mark)) {
        return false;
    }
    // In front of a hold a host puts at most a few words that name the hook and end with a colon.
    start.split_once(SENTINEL).is_none_or(|(before, _)| {
        let before = before.trim_end_matches([' ', '-', '"', '\'', '`']);
        let wrapped = before.ends_with(':') && before.to_lowercase().contains("hook");
        !(before.is_empty() || wrapped)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_of_the_user() {
        for text in [
            "go on",
            "?",
            "为什么？",
            "What does [steadfast gate] mean?",
            "The hook said \"[steadfast gate] ...\", why?",
            "Please explain this: [steadfast gate] automatic",
            "- a list\n- of things",
            "<b>bold</b>",
            "<task>do it</task>",
            "<hook>what is this?</hook>",
            "Why did it stop?\n\n<task-notification> was the last line",
            &format!("{}go on", " ".repeat(500)),
            &format!("{}go on", "\u{200b}".repeat(500)),
        ] {
            assert!(is_user_prompt(text), "{text:?}");
        }
    }

    #[test]
    fn prompts_a_host_made_up() {
        for text in [
            "",
            " \n\t",
            "\u{200b}",
            "[steadfast gate]",
            "[steadfast gate] Automatic: not the user.",
            "\n  [steadfast gate] x",
            "\u{feff}[steadfast gate] x",
            "Stop hook feedback:\n[steadfast gate] x",
            "Stop hook feedback:\n- [steadfast hook stop --host claude]: [steadfast gate] x",
            "Stop hook blocking error from command: \"[steadfast gate] x\"",
            "- [steadfast gate] x",
            "<task-notification>\n<id>1</id>",
            "<hook_prompt hook_run_id=\"stop:10:/home/dev/.codex/hooks.json\">[steadfast gate] x</hook_prompt>",
            "  <Task-Notification id=\"1\">",
        ] {
            assert!(!is_user_prompt(text), "{text:?}");
        }
    }
}
