//! The next-work rule.

use crate::core::view::View;

/// What kind of work comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Go on with the phase in progress.
    Work,
    /// Start a pending (or retry a failed) phase.
    Start,
    /// Something blocks everything that is open.
    Blocked,
    /// All that is open waits.
    Waiting,
    /// Nothing left in the plan that can be done: plan more or ask.
    Plan,
    /// Everything is done.
    Done,
}

impl Kind {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Start => "start",
            Self::Blocked => "blocked",
            Self::Waiting => "waiting",
            Self::Plan => "plan",
            Self::Done => "done",
        }
    }
}

/// The answer of the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// What kind of work.
    pub kind: Kind,
    /// Index into [`View::phases`].
    pub phase: Option<usize>,
    /// Index of the step in that phase.
    pub step: Option<usize>,
    /// One short sentence: why this.
    pub why: String,
    /// The command that moves the work on.
    pub command: String,
}

/// Names the next work. Total: answers for any view.
pub fn next(view: &View) -> Next {
    let _ = view;
    Next { kind: Kind::Done, phase: None, step: None, why: String::new(), command: String::new() }
}
