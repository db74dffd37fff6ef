//! The next-work rule.

use std::collections::BTreeMap;

use crate::core::gate::Work;
use crate::core::plan::{Status, StepState};
use crate::core::proof;
use crate::core::run::{Proof, Run};
use crate::core::text::flatten;
use crate::core::view::{PhaseView, View};

/// A failed phase whose checks were run this often is no longer retried without a person.
pub const TRIES: u32 = 3;

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

/// Names the next work. Total: answers for any view, and never names a phase to work on whose dependencies are open.
///
/// In this order: the phase in progress; a routine that is due; the first pending one that is ready; a failed one that is ready and was tried fewer
/// than [`TRIES`] times; what waits; what blocks; where only phases that an agent parked are left, planning; done.
pub fn next(view: &View) -> Next {
    if view.phases.is_empty() {
        return Next {
            kind: Kind::Plan,
            phase: None,
            step: None,
            why: "the plan has no approved phases".to_owned(),
            command: "steadfast attest".to_owned(),
        };
    }
    let settled = Settled::of(view);
    let ready = |wanted: &dyn Fn(&PhaseView) -> bool| {
        view.phases.iter().enumerate().find(|(_, phase)| wanted(phase) && settled.open_dependency(phase).is_none())
    };
    if let Some((index, phase)) = ready(&|p| p.status == Status::InProgress) {
        return go_on(view, index, phase);
    }
    if let Some((index, phase)) = ready(&|p| p.every.is_some() && p.status == Status::Pending) {
        return start(view, index, phase, "this routine is due".to_owned());
    }
    if let Some((index, phase)) = ready(&|p| matches!(p.status, Status::Pending | Status::Unknown)) {
        let why =
            if phase.depends_on.is_empty() { "it comes next" } else { "what it depends on is finished or parked" };
        return start(view, index, phase, why.to_owned());
    }
    if let Some((index, phase)) = ready(&|p| p.status == Status::Failed && p.run.tries < TRIES) {
        return start(view, index, phase, format!("failed{}; try again or change the approach", reason(phase)));
    }
    if let Some((index, phase)) = ready(&|p| p.status == Status::Waiting) {
        return Next {
            kind: Kind::Waiting,
            phase: Some(index),
            step: None,
            why: if phase.waits.is_empty() {
                format!("phase {} waits{}", phase.number, reason(phase))
            } else {
                format!("phase {} waits {}", phase.number, flatten(&phase.waits))
            },
            command: "steadfast status".to_owned(),
        };
    }
    if view.phases.iter().all(PhaseView::settled) {
        return settled_all(view);
    }
    blocked(view, &settled)
}

/// Every phase is complete or parked. What an agent parked is not achieved, and the plan has nothing else: it is time to plan.
fn settled_all(view: &View) -> Next {
    let parked = view.phases.iter().filter(|p| parked_by_agent(p)).count();
    let (kind, why, command) = match parked {
        0 if view.count(Status::Skipped) > 0 => (Kind::Done, "every phase is complete or parked".to_owned(), "status"),
        0 => (Kind::Done, "every phase is complete".to_owned(), "status"),
        n => {
            let parked = if n == 1 { "1 parked phase".to_owned() } else { format!("{n} parked phases") };
            (Kind::Plan, format!("nothing is left but {parked}: add phases to the plan, or ask the user"), "attest")
        }
    };
    Next { kind, phase: None, step: None, why, command: format!("steadfast {command}") }
}

/// What work the plan still holds, for the gate. `stale`: a proof is missing or older than the last recorded edit, and it
/// was not asked about yet. It follows [`next`], so that the gate never holds for something `next` does not name.
///
/// A view without phases needs a person: there is nothing to hold for, and "done" would be wrong.
pub fn work(view: &View, stale: bool) -> Work {
    match next(view).kind {
        Kind::Work | Kind::Start => Work::Open,
        Kind::Waiting => Work::Waiting,
        Kind::Blocked | Kind::Plan => Work::NeedsYou,
        Kind::Done if stale => Work::Stale,
        Kind::Done => Work::Done,
    }
}

/// Whether a complete phase lacks the proof its contract asks for, or was proven before the last recorded edit, and this was not
/// asked about since that proof: whoever does not answer is not asked again after each further edit. The caller that asks then sets
/// [`Run::asked_tick`] to the larger of [`Run::edit_tick`] and 1.
pub fn stale(view: &View, run: &Run) -> bool {
    let unproven = |phase: &PhaseView| {
        phase.status == Status::Complete
            && phase.needs_proof
            && (phase.run.proof != Proof::Passed || phase.run.proof_tick < run.edit_tick)
    };
    view.phases.iter().any(|phase| unproven(phase) && run.asked_tick <= phase.run.proof_tick)
}

/// How a phase is named in a command: its id, or its number where the id is long or would need quoting.
pub fn name(view: &View, phase: &PhaseView) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let number = phase.number.to_string();
    let short = (1..=16).contains(&phase.id.len()) && phase.id.chars().all(plain) && !phase.id.starts_with('-');
    if short || view.phases.iter().any(|other| other.id == number) { phase.id.clone() } else { number }
}

/// Which ids a dependency is met by. Made once, so that a long plan stays linear.
struct Settled<'a>(BTreeMap<&'a str, bool>);

impl<'a> Settled<'a> {
    fn of(view: &'a View) -> Self {
        let mut ids = BTreeMap::new();
        for phase in &view.phases {
            let settled = ids.entry(phase.id.as_str()).or_insert(true);
            *settled &= phase.settled();
        }
        Self(ids)
    }

    /// The id of the first dependency that is neither complete nor parked. One that is not in the plan is open for ever.
    fn open_dependency<'p>(&self, phase: &'p PhaseView) -> Option<&'p str> {
        phase.depends_on.iter().map(String::as_str).find(|id| !self.0.get(id).copied().unwrap_or(false))
    }
}

/// Parked by an agent: a person has to look at it.
pub fn parked_by_agent(phase: &PhaseView) -> bool {
    phase.status == Status::Skipped && phase.run.by_agent
}

/// The recorded reason as `: reason`, or nothing.
fn reason(phase: &PhaseView) -> String {
    let why = flatten(&phase.run.why);
    if why.is_empty() { why } else { format!(": {why}") }
}

fn go_on(view: &View, index: usize, phase: &PhaseView) -> Next {
    let name = name(view, phase);
    let open = phase.steps.iter().filter(|(_, state)| *state == StepState::Open).count();
    let alike = phase.run.proof == Proof::Failed && phase.run.alike >= proof::ALIKE;
    let (step, why, command) = if alike {
        let exit = phase.run.exit.map(|exit| format!(" with exit {exit}")).unwrap_or_default();
        let why = format!(
            "its check failed {} times{exit} on the same files: change the approach, or ask the user",
            phase.run.alike
        );
        (None, why, format!("steadfast fail {name} --why \"...\""))
    } else if phase.claimed {
        let why = "it is marked complete, but its check has not passed".to_owned();
        (None, why, format!("steadfast check {name}"))
    } else if let Some((step, _)) = phase.open_step() {
        let why = if open == 1 { "1 step is open".to_owned() } else { format!("{open} steps are open") };
        (Some(step), why, format!("steadfast step {name} {}", step + 1))
    } else if phase.steps.is_empty() {
        (None, "it is in progress".to_owned(), format!("steadfast done {name}"))
    } else {
        (None, "no step is open".to_owned(), format!("steadfast done {name}"))
    };
    Next { kind: Kind::Work, phase: Some(index), step, why, command }
}

fn start(view: &View, index: usize, phase: &PhaseView, why: String) -> Next {
    let step = phase.open_step().map(|(step, _)| step);
    Next { kind: Kind::Start, phase: Some(index), step, why, command: format!("steadfast start {}", name(view, phase)) }
}

/// Nothing is ready and nothing waits: a failed phase that was tried often enough, or dependencies nobody can meet.
fn blocked(view: &View, settled: &Settled<'_>) -> Next {
    let exhausted = view
        .phases
        .iter()
        .enumerate()
        .find(|(_, phase)| phase.status == Status::Failed && settled.open_dependency(phase).is_none());
    if let Some((index, phase)) = exhausted {
        let behind: Vec<_> = view
            .phases
            .iter()
            .filter(|p| !p.settled() && p.depends_on.contains(&phase.id))
            .map(|p| p.number.to_string())
            .collect();
        let whom = if behind.is_empty() { String::new() } else { format!("; it blocks {}", behind.join(", ")) };
        let why = format!("phase {} failed{} ({} tries){whom}", phase.number, reason(phase), phase.run.tries);
        return Next {
            kind: Kind::Blocked,
            phase: Some(index),
            step: None,
            why,
            command: format!("steadfast start {}", name(view, phase)),
        };
    }
    let stuck = view.phases.iter().find_map(|phase| {
        let dependency = settled.open_dependency(phase).filter(|_| !phase.settled())?;
        let on = view.phases.iter().find(|p| p.id == dependency);
        Some(match on {
            Some(on) => format!("phase {} depends on phase {}, which can never become ready", phase.number, on.number),
            None => format!("phase {} depends on {}, which is not in the plan", phase.number, flatten(dependency)),
        })
    });
    Next {
        kind: Kind::Blocked,
        phase: None,
        step: None,
        why: stuck.unwrap_or_else(|| "nothing in the plan is ready".to_owned()),
        command: "steadfast status".to_owned(),
    }
}

#[cfg(test)]
#[path = "next_tests.rs"]
mod tests;
