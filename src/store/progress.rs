//! What moves a run on, for hooks and verbs alike: the high-water mark, and the phase that is opened next.

use std::io;

use crate::core::contract::{ContractPhase, Mode};
use crate::core::next::{self, Kind};
use crate::core::plan::Status;
use crate::core::plan_edit;
use crate::core::proof::{self, Outcome};
use crate::core::run::{Proof, phase_key};
use crate::core::view::View;
use crate::store::desk::Desk;
use crate::store::snapshot::Snapshot;

impl Desk {
    /// Raises the high-water mark to what is there now. A phase settled for the first time gives the gate a new budget.
    pub fn raise(&mut self, view: &View) {
        let counts = view.counts(self.run.mark.files);
        if counts.phases > self.run.mark.phases && self.run.blocks > 0 {
            // The mirror may keep the older, larger count: the safe side.
            let _ = self.set_blocks(0);
        }
        self.run.mark = self.run.mark.max(counts);
    }

    /// Records what the conditions of a phase came to. Whether that opens a complete phase again; its status in the file is the
    /// caller's to write.
    pub fn prove(&mut self, phase: &ContractPhase, outcome: &Outcome) -> bool {
        let run = self.run.phases.entry(phase_key(&phase.id)).or_default();
        proof::take(run, phase, outcome);
        let reopens = outcome.proof == Proof::Failed && run.status == Some(Status::Complete);
        if reopens {
            run.status = Some(Status::InProgress);
        }
        reopens
    }

    /// In a gated run that no person paused one phase is always in progress: opens the next ready one where none is, and gives its
    /// id. A failed phase is tried again by a verb only. A file that somebody else writes just now is left for the next event.
    ///
    /// # Errors
    /// The system's, from the plan file.
    pub fn open_next(&mut self, snapshot: &Snapshot) -> io::Result<Option<String>> {
        let gated = snapshot.head.as_ref().is_some_and(|h| h.mode == Mode::Gate) && snapshot.contract.is_some();
        let next = next::next(&snapshot.view);
        let ready = next.phase.filter(|_| next.kind == Kind::Start).and_then(|i| snapshot.view.phases.get(i));
        let opens = gated && !self.run.paused;
        let Some(phase) = ready.filter(|p| opens && p.status != Status::Failed) else { return Ok(None) };
        if !self.write_status(snapshot, &phase.id, Status::InProgress)? {
            return Ok(None);
        }
        self.run.phases.entry(phase_key(&phase.id)).or_default().status = Some(Status::InProgress);
        Ok(Some(phase.id.clone()))
    }

    /// Writes the status of a phase into the plan file as it was read. `false`: the file cannot be changed there, or somebody else
    /// wrote it meanwhile. Of a phase that is no longer in the file what is recorded counts.
    ///
    /// # Errors
    /// The system's.
    pub fn write_status(&self, snapshot: &Snapshot, id: &str, status: Status) -> io::Result<bool> {
        let Some(plan) = &snapshot.plan else { return Ok(true) };
        let Some(index) = plan.phases.iter().position(|p| p.id.as_deref() == Some(id)) else { return Ok(true) };
        match plan_edit::set_status(&snapshot.bytes, plan, index, status) {
            Ok(bytes) => Ok(bytes == snapshot.bytes || self.replace_plan(&snapshot.bytes, &bytes)?),
            Err(_) => Ok(false),
        }
    }
}
