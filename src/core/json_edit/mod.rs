//! Edits of a settings file that belongs to somebody else: our entries go in and out, every other byte stays.
//!
//! JSON with comments and trailing commas is understood, a byte order mark, any indentation and any line ending. Taking our
//! entries out again gives back the text from before they went in, byte for byte, without a record of it being kept: how a
//! container was written tells whether it was there before us (see `place`).

mod hooks;
mod permissions;
mod place;
mod render;
mod scan;
#[cfg(test)]
mod tests;

pub use hooks::{
    HookEntry, OurHook, hooks_as_written, lacking, members_as_written, merge_hooks, our_hooks, remove_hooks,
};
pub use permissions::{merge_permissions, remove_permissions};

/// Why a settings text was left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What stands in the way there.
    pub what: String,
}

impl EditError {
    /// An error at a byte position of `text`.
    fn at(text: &str, position: usize, what: impl Into<String>) -> Self {
        let before = text.get(..position).unwrap_or(text);
        let before = before.strip_prefix(BOM).unwrap_or(before);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self { line, column, what: what.into() }
    }
}

impl std::fmt::Display for EditError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for EditError {}

/// The byte order mark some editors of Windows put in front.
const BOM: char = '\u{feff}';
