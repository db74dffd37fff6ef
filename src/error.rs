//! Errors as people read them: what happened, why, and a command that mends it. Exit codes.

/// All went well, also when there was nothing to do.
pub const FINE: u8 = 0;
/// The answer is no: a check failed, something was refused.
pub const NO: u8 = 1;
/// The command line was wrong.
pub const USAGE: u8 = 2;
/// Our fault, or the disk's.
pub const FAULT: u8 = 3;

/// A failed verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Exit code: [`NO`], [`USAGE`] or [`FAULT`].
    pub code: u8,
    /// What did not work.
    pub what: String,
    /// Why.
    pub why: String,
    /// A command, or one sentence, that mends it.
    pub fix: String,
}

/// What a verb returns.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// The answer is no.
    pub fn no(what: impl Into<String>, why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { code: NO, what: what.into(), why: why.into(), fix: fix.into() }
    }

    /// The command line was wrong.
    pub fn usage(what: impl Into<String>, why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { code: USAGE, ..Self::no(what, why, fix) }
    }

    /// The disk or this program failed.
    pub fn fault(what: impl Into<String>, why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { code: FAULT, ..Self::no(what, why, fix) }
    }
}
