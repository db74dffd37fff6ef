//! What the model reads. Plan data stands between marks that carry the contract's tag; our own words stand outside.
//!
//! Every text is a pure function of the run: fixed order, no clock, nothing that changes without news. Data is flattened to
//! one line and cut, and nothing in it can pass for a mark or for the gate's sentinel. What a text costs is bounded: the
//! titles are cut shorter, then finished and far phases are folded, until it fits.

mod block;
mod data;
mod notes;
mod prompt;
mod reason;

pub(crate) use data::data;

pub use block::{anchor, full, short, subagent};
pub use notes::{REVOKED, draft, legacy, let_go, offer, rewake, woken};
pub use prompt::is_user_prompt;
pub use reason::{draft_reason, reason};

use crate::core::contract::Mode;
use crate::core::ledger::{HANDOFFS, is_name, is_work};
use crate::core::next::Next;
use crate::core::run::{Proof, Run};
use crate::core::sorted::by_number;
use crate::core::view::{PhaseView, View};

/// The first words of every hold. Some hosts hand a hold back as a prompt of the user; it is known by these words.
pub const SENTINEL: &str = "[steadfast gate]";
/// The most characters of any text.
pub const MAX_CHARS: usize = 4000;
/// The most tokens of the full form, as estimated by [`crate::core::text::cost`].
pub const FULL_TOKENS: usize = 330;
/// The most tokens of the short form.
pub const SHORT_TOKENS: usize = 120;
/// The most tokens of a reason.
pub const REASON_TOKENS: usize = 100;

/// The most tokens of what a hook that slept says.
pub const WAKE_TOKENS: usize = 60;

/// The last record of work of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Last {
    /// The agent's name.
    pub agent: String,
    /// Event and phase, see [`crate::core::ledger::label`].
    pub event: String,
    /// Tick of the record.
    pub tick: u64,
}

/// The last check of the phase at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// It passed.
    pub passed: bool,
    /// Its exit code, where a command decided.
    pub exit: Option<i32>,
    /// How often it was run.
    pub tries: u32,
}

/// Everything a block is made of.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// The run as it counts now.
    pub view: &'a View,
    /// What comes next.
    pub next: &'a Next,
    /// Digest of the contract in hex; its first 6 digits tag the marks.
    pub digest: &'a str,
    /// How far the plan binds.
    pub mode: Mode,
    /// Last record of work per agent, the newest first.
    pub agents: Vec<Last>,
    /// Tick of the last record of work, 0 where there is none.
    pub tick: u64,
    /// Last check of the phase at hand.
    pub check: Option<Check>,
}

impl<'a> Block<'a> {
    /// Takes agents, tick and check from the run state.
    pub fn new(view: &'a View, next: &'a Next, digest: &'a str, mode: Mode, run: &Run) -> Self {
        let agents: Vec<_> = run
            .ledgers
            .iter()
            .filter(|(agent, end)| end.work_tick > 0 && is_name(agent))
            .filter_map(|(agent, end)| {
                Some(Last { agent: agent.clone(), event: known(view, &end.event)?, tick: end.work_tick })
            })
            .collect();
        // The latest first; the ledgers stand in the order of their names.
        let agents = by_number(agents, |last| u64::MAX - last.tick);
        let tick = agents.first().map_or(0, |last| last.tick);
        let check = at_hand(view, next).and_then(last_check);
        Self { view, next, digest, mode, agents, tick, check }
    }
}

/// An event as it may reach the model: words of ours, and the id of an approved phase. The run state lies in the project, so
/// anything else in it is somebody's text.
fn known(view: &View, event: &str) -> Option<String> {
    let mut words = event.split(' ');
    let mut known = vec![words.next().filter(|word| is_work(word))?];
    let mut rest = words.next();
    if known == ["handoff"]
        && let Some(status) = rest.filter(|word| HANDOFFS.contains(word))
    {
        known.push(status);
        rest = words.next();
    }
    known.extend(rest.filter(|id| words.next().is_none() && view.phases.iter().any(|p| p.id == *id)));
    Some(known.join(" "))
}

/// The last check of a phase, if any was run.
fn last_check(phase: &PhaseView) -> Option<Check> {
    let passed = match phase.run.proof {
        Proof::None | Proof::Interrupted => return None,
        Proof::Passed => true,
        Proof::Failed => false,
    };
    Some(Check { passed, exit: phase.run.exit, tries: phase.run.tries })
}

/// The phase a text is about: the one that comes next, else the one in progress.
fn at_hand<'a>(view: &'a View, next: &Next) -> Option<&'a PhaseView> {
    next.phase.and_then(|index| view.phases.get(index)).or_else(|| view.current())
}

/// How a phase stands, in words.
fn standing(phase: &PhaseView) -> String {
    let word =
        if phase.claimed { "claimed complete, not proven".to_owned() } else { phase.status.word().replace('_', " ") };
    if phase.vanished { format!("{word}, missing from task_plan.md") } else { word }
}

/// How a check ended, in words.
fn outcome(check: Check) -> String {
    let Check { passed, exit, tries } = check;
    match exit {
        Some(exit) => format!("exit {exit}, try {tries}"),
        None if passed => format!("passed, try {tries}"),
        None => format!("failed, try {tries}"),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
