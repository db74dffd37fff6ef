//! The effective state of a run: the approved contract, joined with the statuses in the file and what the runtime recorded.
//! `next`, `gate`, `inject` and `status` all look at this one value.

use crate::core::contract::{Contract, ContractPhase};
use crate::core::plan::{Plan, Status, StepState};
use crate::core::run::{Mark, PhaseRun, Proof, Run, phase_key};

/// A phase as it counts now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseView {
    /// The contract's id.
    pub id: String,
    /// Position in the contract, from 1.
    pub number: usize,
    /// The approved title.
    pub title: String,
    /// The effective status.
    pub status: Status,
    /// The file says `complete`, but a check the contract asks for has not passed: open.
    pub claimed: bool,
    /// The phase is in the contract but no longer in the file.
    pub vanished: bool,
    /// Approved steps with the state of their boxes.
    pub steps: Vec<(String, StepState)>,
    /// Ids of phases that come first.
    pub depends_on: Vec<String>,
    /// Whether the contract asks for a proof.
    pub needs_proof: bool,
    /// What the runtime recorded.
    pub run: PhaseRun,
}

impl PhaseView {
    /// Finished for good or parked: nothing to do here.
    pub fn settled(&self) -> bool {
        matches!(self.status, Status::Complete | Status::Skipped)
    }

    /// The first open step.
    pub fn open_step(&self) -> Option<(usize, &str)> {
        self.steps
            .iter()
            .enumerate()
            .find(|(_, (_, state))| *state == StepState::Open)
            .map(|(i, (text, _))| (i, text.as_str()))
    }
}

/// A whole run as it counts now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The approved goal.
    pub goal: String,
    /// Phases in contract order.
    pub phases: Vec<PhaseView>,
}

impl View {
    /// Joins what is approved with what is on disk. `plan` is `None` where the file is missing or unreadable: then the
    /// last recorded statuses count.
    pub fn new(contract: &Contract, plan: Option<&Plan>, run: &Run) -> Self {
        let phases =
            contract.phases.iter().enumerate().map(|(index, phase)| phase_view(index + 1, phase, plan, run)).collect();
        Self { goal: contract.goal.clone(), phases }
    }

    /// A plan that nothing approves, as it is written: for people, never for the model.
    pub fn unapproved(plan: &Plan) -> Self {
        let phases = plan
            .phases
            .iter()
            .enumerate()
            .map(|(index, phase)| PhaseView {
                id: phase.id.clone().unwrap_or_else(|| (index + 1).to_string()),
                number: index + 1,
                title: phase.title.clone(),
                status: phase.status,
                steps: phase.steps.iter().map(|s| (s.text.clone(), s.state)).collect(),
                depends_on: phase.fields.depends_on.clone(),
                needs_proof: !phase.fields.checks.is_empty(),
                ..PhaseView::default()
            })
            .collect();
        Self { goal: plan.goal.clone(), phases }
    }

    /// The phase in progress.
    pub fn current(&self) -> Option<&PhaseView> {
        self.phases.iter().find(|p| p.status == Status::InProgress)
    }

    /// The phase with this id, or with this number.
    pub fn find(&self, name: &str) -> Option<&PhaseView> {
        self.phases
            .iter()
            .find(|p| p.id == name)
            .or_else(|| name.parse::<usize>().ok().and_then(|n| self.phases.iter().find(|p| p.number == n)))
    }

    /// How many phases have this status.
    pub fn count(&self, status: Status) -> usize {
        self.phases.iter().filter(|p| p.status == status).count()
    }

    /// Present counts, to be compared with the high-water mark. `files` is taken from the caller: it only ever grows.
    pub fn counts(&self, files: u32) -> Mark {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Mark {
            phases: count(self.phases.iter().filter(|p| p.settled()).count()),
            boxes: count(self.phases.iter().flat_map(|p| &p.steps).filter(|(_, s)| *s == StepState::Done).count()),
            proofs: count(self.phases.iter().filter(|p| p.run.proof == Proof::Passed).count()),
            files,
        }
    }
}

fn phase_view(number: usize, phase: &ContractPhase, plan: Option<&Plan>, run: &Run) -> PhaseView {
    let recorded = run.phases.get(&phase_key(&phase.id)).cloned().unwrap_or_default();
    let written = plan.and_then(|plan| {
        plan.phases.iter().find(|p| p.id.as_deref() == Some(phase.id.as_str()) && p.title == phase.title)
    });
    let needs_proof = phase.needs_proof();
    let proven = !needs_proof || (recorded.proof == Proof::Passed && recorded.checks == phase.proof_tag());
    let last = recorded.status.unwrap_or_default();
    let (status, claimed) = match written.map(|p| p.status) {
        // Out of sight is not out of the contract.
        None => (last, false),
        Some(Status::Complete) if proven => (Status::Complete, false),
        Some(Status::Complete) => (Status::InProgress, true),
        // These need a reason, which only a verb records.
        Some(Status::Skipped | Status::Waiting | Status::Failed) => {
            (written_needs_record(written.map(|p| p.status), last), false)
        }
        Some(other) => (other, false),
    };
    let steps = phase
        .steps
        .iter()
        .map(|text| {
            let state = written
                .and_then(|p| p.steps.iter().find(|s| step_matches(&s.text, text)))
                .map_or(StepState::Open, |s| s.state);
            (text.clone(), state)
        })
        .collect();
    PhaseView {
        id: phase.id.clone(),
        number,
        title: phase.title.clone(),
        status,
        claimed,
        vanished: written.is_none(),
        steps,
        depends_on: phase.depends_on.clone(),
        needs_proof,
        run: recorded,
    }
}

fn written_needs_record(written: Option<Status>, recorded: Status) -> Status {
    match written {
        Some(status) if status == recorded => status,
        // What was recorded before goes on; a finished phase cannot be unfinished by such a word either.
        _ if matches!(recorded, Status::Unknown) => Status::Pending,
        _ => recorded,
    }
}

/// A step is the approved one while its line still begins with the approved text (agents append notes).
pub fn step_matches(line: &str, approved: &str) -> bool {
    line.strip_prefix(approved).is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_alphanumeric()))
}
