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

impl Verdict {
    /// Every verdict, in the order of the rows; the last two are given by the caller, never by [`decide`].
    pub const ALL: [Self; 15] = [
        Self::Hold,
        Self::NotGated,
        Self::Paused,
        Self::NotAttached,
        Self::Done,
        Self::NeedsYou,
        Self::Forced,
        Self::Background,
        Self::Waiting,
        Self::Question,
        Self::Cap,
        Self::TurnLimit,
        Self::NoProgress,
        Self::Duplicate,
        Self::Error,
    ];

    /// The word in ledgers and in `status --json`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Done => "done",
            Self::NotGated => "not-gated",
            Self::NotAttached => "not-attached",
            Self::Forced => "forced",
            Self::Cap => "cap",
            Self::TurnLimit => "turn-limit",
            Self::NoProgress => "no-progress",
            Self::Waiting => "waiting",
            Self::Background => "background",
            Self::Question => "question",
            Self::NeedsYou => "needs-you",
            Self::Paused => "paused",
            Self::Duplicate => "duplicate",
            Self::Error => "error",
        }
    }
}

/// Decides one stop. The rows are looked at in a fixed order and the first that speaks against a hold names the verdict.
///
/// Never answers [`Verdict::Duplicate`] or [`Verdict::Error`]: those are known before there are facts.
pub fn decide(facts: &Facts) -> Verdict {
    let held_in_vain = facts.held_before && !facts.progressed;
    let rows = [
        (!facts.gated, Verdict::NotGated),
        (facts.paused, Verdict::Paused),
        (!facts.attached, Verdict::NotAttached),
        (facts.work == Work::Done, Verdict::Done),
        (facts.work == Work::NeedsYou, Verdict::NeedsYou),
        (facts.active && !facts.hold, Verdict::Forced),
        (matches!(facts.behind, Behind::Subagent | Behind::Shell), Verdict::Background),
        (facts.work == Work::Waiting, Verdict::Waiting),
        (facts.asks, Verdict::Question),
        (facts.blocks.is_none_or(|blocks| blocks >= facts.cap), Verdict::Cap),
        (facts.turn_holds >= TURN_LIMIT, Verdict::TurnLimit),
        (held_in_vain, Verdict::NoProgress),
    ];
    rows.into_iter().find_map(|(speaks, verdict)| speaks.then_some(verdict)).unwrap_or(Verdict::Hold)
}

/// Whether a message ends by asking: its last line with words in it ends with a question mark (`?`, `？`, `؟`). Closing quotes,
/// brackets, Markdown and emoji after the mark are looked through, and so is one short choice such as `[y/N]`.
pub fn asks(last_message: &str) -> bool {
    let Some(line) = last_message.lines().rev().map(without_tail).find(|line| !line.is_empty()) else {
        return false;
    };
    is_question(line) || without_choice(line).is_some_and(|rest| is_question(without_tail(rest)))
}

fn is_question(line: &str) -> bool {
    line.ends_with(['?', '？', '؟'])
}

/// Cuts off what neither says nor ends anything: spaces, quotes, brackets, Markdown, emoji.
fn without_tail(line: &str) -> &str {
    line.trim_end_matches(|c: char| !(c.is_alphanumeric() || ".!?:;,…。！？：；，،؟؛".contains(c)))
}

/// The line without a bracketed choice of at most 20 characters at its end. The closing bracket itself is already cut off.
fn without_choice(line: &str) -> Option<&str> {
    let (rest, choice) = line.rsplit_once(['(', '[', '（'])?;
    (choice.chars().count() <= 20).then_some(rest)
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
