//! The gate: whether one stop is held. Pure and total.

/// What work the plan still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// A phase is in progress.
    Open,
    /// All phases are complete, but a proof is missing or older than the last recorded edit, and this was not asked about yet.
    Stale,
    /// All that is open waits or is blocked by a wait.
    Waiting,
    /// What is left needs a person: parked phases, a failed phase that blocks, nothing ready.
    NeedsYou,
    /// Everything is done.
    Done,
}

/// What runs in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Behind {
    /// Nothing.
    Nothing,
    /// A subagent.
    Subagent,
    /// A shell that no stop was deferred to yet.
    Shell,
    /// Only shells that a stop was already deferred to.
    OldShell,
}

/// Everything a decision looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    /// The head's mode is gate.
    pub gated: bool,
    /// The run is paused.
    pub paused: bool,
    /// This session is the attached one.
    pub attached: bool,
    /// What is left.
    pub work: Work,
    /// `stop_hook_active`.
    pub active: bool,
    /// Hold even then.
    pub hold: bool,
    /// What runs in the background.
    pub behind: Behind,
    /// Somebody attends and the last message ends by asking.
    pub asks: bool,
    /// Blocks of this budget; `None` where the counter cannot be read: at cap.
    pub blocks: Option<u32>,
    /// The most blocks a budget has.
    pub cap: u32,
    /// Holds in this user turn.
    pub turn_holds: u32,
    /// The session (or run) was held before.
    pub held_before: bool,
    /// The high-water mark rose since that hold.
    pub progressed: bool,
}

/// The most holds in one user turn, on every host.
pub const TURN_LIMIT: u32 = 5;
/// The default of `PWF_GATE_CAP`.
pub const DEFAULT_CAP: u32 = 20;

/// Hold, or why the stop is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The stop is held.
    Hold,
    /// The plan is done.
    Done,
    /// The plan has no gate.
    NotGated,
    /// This session is not the attached one.
    NotAttached,
    /// The host says the agent already goes on because of a hold.
    Forced,
    /// The budget is used up.
    Cap,
    /// Held five times in this user turn.
    TurnLimit,
    /// Nothing got better since the last hold.
    NoProgress,
    /// What is open waits.
    Waiting,
    /// Something runs in the background.
    Background,
    /// The agent asked the person who attends.
    Question,
    /// What is left needs a person.
    NeedsYou,
    /// The run is paused.
    Paused,
    /// The same stop was delivered twice.
    Duplicate,
    /// It could not be evaluated.
    Error,
}

/// Decides one stop.
pub fn decide(facts: &Facts) -> Verdict {
    let _ = facts;
    Verdict::Error
}
