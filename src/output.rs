//! The only place that prints. Everything that goes to a terminal is cleaned first: plan titles and ledger notes are
//! text of strangers.
#![expect(clippy::disallowed_methods, reason = "the one door to the terminal asks the environment about colour")]

use std::io::{self, IsTerminal, Write};

use crate::error::Failure;
use crate::world::World;

/// Where a verb writes.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Standard output is a terminal.
    pub terminal: bool,
    /// It is a terminal whose cursor can be moved.
    pub moves: bool,
    /// Colours are wanted.
    pub colour: bool,
    /// Print JSON.
    pub json: bool,
}

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As it is.
    Plain,
    /// Heavier.
    Bold,
    /// Lighter.
    Dim,
    /// Good.
    Green,
    /// Attention.
    Yellow,
    /// Bad.
    Red,
    /// A command or name.
    Cyan,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\u{1b}[1m",
            Self::Dim => "\u{1b}[2m",
            Self::Green => "\u{1b}[32m",
            Self::Yellow => "\u{1b}[33m",
            Self::Red => "\u{1b}[31m",
            Self::Cyan => "\u{1b}[36m",
        }
    }
}

impl Output {
    /// What this process writes to.
    pub fn real(json: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        let moves = terminal && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && moves;
        let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|v| v != "0");
        Self { terminal, moves, colour: !json && (forced || wanted), json }
    }

    /// Writes one line.
    pub fn line(self, text: &str) {
        let mut out = io::stdout().lock();
        // A reader that went away is no fault of the verb.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }

    /// Writes one line of text that may be anybody's: it is cleaned.
    pub fn plain(self, text: &str) {
        self.line(&clean(text));
    }

    /// Writes text as it is, for bytes that were composed elsewhere.
    pub fn raw(self, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }

    /// Writes a JSON value on one line.
    pub fn value(self, value: &serde_json::Value) {
        self.line(&value.to_string());
    }

    /// Writes a line to standard error.
    pub fn aside(self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Text in a style, where colours are wanted. The text is cleaned.
    pub fn paint(self, style: Style, text: &str) -> String {
        let text = clean(text);
        if self.colour && style != Style::Plain { format!("{}{text}\u{1b}[0m", style.code()) } else { text }
    }

    /// Prints a failure in the form people and programs expect, and gives its exit code.
    pub fn failure(self, failure: &Failure) -> u8 {
        if failure.what.is_empty() {
            // Said already.
            return failure.code;
        }
        if self.json {
            let fix = clean(&failure.fix);
            let (command, note) = fix.split_once("  # ").unwrap_or((&fix, ""));
            self.value(&serde_json::json!({
                "error": clean(&failure.what), "why": clean(&failure.why), "fix": command, "note": note, "code": failure.code,
            }));
            return failure.code;
        }
        let mut err = io::stderr().lock();
        let _ = writeln!(err, "error: {}", clean(&failure.what));
        if !failure.why.is_empty() {
            let _ = writeln!(err, "  why: {}", clean(&failure.why));
        }
        if !failure.fix.is_empty() {
            // Not every shell takes a comment at its prompt, so what is said about a fix stands below it.
            let fix = clean(&failure.fix);
            let (command, note) = fix.split_once("  # ").unwrap_or((&fix, ""));
            let _ = writeln!(err, "  fix: {command}");
            if !note.is_empty() {
                let _ = writeln!(err, "       ({note})");
            }
        }
        failure.code
    }
}

/// Whether a character could move the cursor, hide text or change its direction.
pub fn unsafe_char(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{061c}' | '\u{00ad}' | '\u{2028}' | '\u{2029}')
}

/// Drops unsafe characters; tabs become a space, line breaks stay.
pub fn clean(text: &str) -> String {
    text.chars()
        .filter_map(|c| {
            if c == '\t' {
                Some(' ')
            } else if c == '\n' || !unsafe_char(c) {
                Some(c)
            } else {
                None
            }
        })
        .collect()
}

/// A word as a shell reads it: in quotes where it needs them.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('-') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Writes the one answer of a hook, in one write and without a buffer.
pub fn hook_answer(text: &str) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match World.write_out(rest) {
            Ok(n) => rest = rest.get(n..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A host that went away needs no answer.
            Err(_) => return,
        }
    }
}

/// A line of diagnosis of a hook, which no host shows to the model.
pub fn hook_aside(text: &str) {
    let _ = writeln!(io::stderr().lock(), "steadfast: {}", clean(text));
}

/// The one line of a hook that wakes its session: the host hands it to the model.
pub fn hook_wakes(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", clean(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_is_one_word() {
        for (word, quoted) in [
            ("/tmp/a.b-c", "/tmp/a.b-c"),
            ("my proj", "'my proj'"),
            ("a$(touch b)", "'a$(touch b)'"),
            ("it's", "'it'\\''s'"),
            ("-rf", "'-rf'"),
            ("", "''"),
            ("a;b", "'a;b'"),
        ] {
            assert_eq!(quote(word), quoted);
        }
    }
}
