//! Making ready what waited and need not any longer, for hooks and for `wake`.

use std::path::Path;

use crate::core::contract::ContractPhase;
use crate::core::plan::{Status, StepState};
use crate::core::run::{PhaseRun, Proof, phase_key};
use crate::core::view::PhaseView;
use crate::core::wait::Condition;
use crate::core::{plan_edit, plan_read};
use crate::store::desk::Desk;
use crate::store::snapshot::Snapshot;
use crate::store::{digest, disk};

/// A phase that is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Woken {
    /// Its id.
    pub phase: String,
    /// By what, in words.
    pub evidence: String,
}

impl Desk {
    /// Ends every wait whose condition is met. `passed`: whether a command of the plan exited 0 just now; nobody but `wake` runs
    /// one. The file's words follow where it can be written.
    pub fn awaken(&mut self, snapshot: &Snapshot, now: u64, passed: &dyn Fn(&str) -> bool) -> Vec<Woken> {
        let woken = snapshot.over(&self.place.root, now, passed);
        for woken in &woken {
            let run = self.run.phases.entry(phase_key(&woken.phase)).or_default();
            run.met |= run.wait.is_none();
            ready(run);
        }
        if !woken.is_empty() {
            self.write_ready(snapshot, &woken);
        }
        woken
    }

    /// What is ready is pending in the file, too, and the boxes of a routine are open again. What somebody else writes just now
    /// stays as it is: the record counts.
    fn write_ready(&self, snapshot: &Snapshot, woken: &[Woken]) {
        let mut bytes = snapshot.bytes.clone();
        for woken in woken {
            let routine = snapshot.view.find(&woken.phase).is_some_and(|p| p.every.is_some());
            let plan = plan_read::read(&bytes);
            let Some(index) = plan.phases.iter().position(|p| p.id.as_ref() == Some(&woken.phase)) else { continue };
            let boxes = plan.phases.get(index).map_or(0, |p| if routine { p.steps.len() } else { 0 });
            for step in 0..boxes {
                let plan = plan_read::read(&bytes);
                if let Ok(open) = plan_edit::set_step(&bytes, &plan, index, step, StepState::Open) {
                    bytes = open;
                }
            }
            let plan = plan_read::read(&bytes);
            if let Ok(changed) = plan_edit::set_status(&bytes, &plan, index, Status::Pending) {
                bytes = changed;
            }
        }
        if bytes != snapshot.bytes {
            let _ = self.replace_plan(&snapshot.bytes, &bytes);
        }
    }
}

impl Snapshot {
    /// The phases that need not wait any longer. `passed` as with [`Desk::awaken`].
    pub fn over(&self, root: &Path, now: u64, passed: &dyn Fn(&str) -> bool) -> Vec<Woken> {
        let Some(contract) = &self.contract else { return Vec::new() };
        let there = |path: &str| is_there(root, path);
        let evidence = |phase: &PhaseView| {
            let asked = contract.phase(&phase.id)?;
            let answered = self.head.as_ref().is_some_and(|h| h.is_answered(asked));
            let given = self.head.as_ref().is_some_and(|h| h.word_on(asked, &phase.run).1);
            match &phase.run.wait {
                Some(wait) if wait.human && given => Some("the user approved it".to_owned()),
                Some(wait) => wait.over(now, &there),
                None if phase.run.met => None,
                None => declared(asked, now, &there, passed, answered),
            }
        };
        waiting(self).filter_map(|p| Some(Woken { phase: p.id.clone(), evidence: evidence(p)? })).collect()
    }

    /// Shows phases that need not wait any longer as what they are about to be, for one that only looks.
    pub fn awake(&mut self, woken: &[Woken]) {
        for phase in self.view.phases.iter_mut().filter(|p| woken.iter().any(|w| w.phase == p.id)) {
            phase.status = Status::Pending;
            phase.waits.clear();
            ready(&mut phase.run);
        }
    }

    /// Whether a phase waits for something whose end a hook can see that goes on looking for a day.
    pub fn waits_in_sight(&self, now: u64) -> bool {
        let Some(contract) = &self.contract else { return false };
        waiting(self).any(|phase| {
            let ready = phase.depends_on.iter().all(|id| self.view.find(id).is_some_and(PhaseView::settled));
            let Some(asked) = contract.phase(&phase.id).filter(|_| ready) else { return false };
            let given = self.head.as_ref().is_some_and(|h| h.is_answered(asked));
            let seen = |text: &String| Condition::parse(text).is_ok_and(|c| c.in_sight(now, given));
            match &phase.run.wait {
                Some(wait) => wait.in_sight(now),
                None => !phase.run.met && asked.waits_for.iter().all(seen),
            }
        })
    }
}

fn waiting(snapshot: &Snapshot) -> impl Iterator<Item = &PhaseView> {
    snapshot.view.phases.iter().filter(|p| p.status == Status::Waiting)
}

/// A phase that waited is pending. A routine has to show everything anew.
fn ready(run: &mut PhaseRun) {
    if run.status == Some(Status::Complete) || run.rounds > 0 {
        (run.proof, run.seen, run.seen_tick) = (Proof::None, 0, 0);
    }
    if run.proof == Proof::Failed {
        // What it waited for may be what its check lacked: the failure says nothing about now.
        run.tree.clear();
        (run.alike, run.again) = (0, 0);
    }
    run.status = Some(Status::Pending);
    run.wait = None;
    run.why.clear();
}

/// By what the conditions that the plan names are met; `None` where one is not.
fn declared(
    phase: &ContractPhase,
    now: u64,
    there: &dyn Fn(&str) -> bool,
    passed: &dyn Fn(&str) -> bool,
    given: bool,
) -> Option<String> {
    let mut met = Vec::new();
    for text in &phase.waits_for {
        let condition = Condition::parse(text).ok()?;
        let is = match &condition {
            Condition::Human(_) => given,
            Condition::Command(command) => passed(command),
            other => other.met(now, there),
        };
        if !is {
            return None;
        }
        met.push(condition.words());
    }
    Some(format!("it waited {}", met.join(", ")))
}

/// Whether a file lies at a path beneath the root. A path that leads out is nowhere.
pub fn is_there(root: &Path, path: &str) -> bool {
    digest::beneath(root, path).and_then(|p| disk::kind(&p)).is_some_and(|k| k.file || k.dir)
}
