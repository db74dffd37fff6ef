//! Taking over what was written by hand: statuses and boxes in the file become records and raise the high-water mark.

use crate::core::contract::Mode;
use crate::core::next::{self, Kind};
use crate::core::plan::Status;
use crate::core::plan_edit;
use crate::core::run::phase_key;
use crate::hook::attached::Scene;
use crate::store::Snapshot;

/// The ledger's word for a status that was reached.
pub(crate) fn event(status: Status) -> Option<&'static str> {
    match status {
        Status::InProgress => Some("phase_start"),
        Status::Complete => Some("phase_complete"),
        Status::Failed => Some("phase_failed"),
        Status::Skipped => Some("phase_skipped"),
        Status::Waiting => Some("phase_waiting"),
        Status::Pending | Status::Unknown => None,
    }
}

/// Records every approved phase whose status in the file counts and is news. Whether there was any.
pub(super) fn take_over(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) -> bool {
    if snapshot.contract.is_none() {
        return false;
    }
    let mut news = false;
    for phase in snapshot.view.phases.iter().filter(|p| !p.vanished) {
        let key = phase_key(&phase.id);
        let known = scene.desk.run.phases.get(&key).and_then(|p| p.status);
        if known == Some(phase.status) || (known.is_none() && phase.status == Status::Pending) {
            continue;
        }
        news = true;
        scene.desk.run.phases.entry(key).or_default().status = Some(phase.status);
        // "Claimed" is the file's word against a missing proof: it is in progress, which is no news.
        if let Some(event) = event(phase.status).filter(|_| !phase.claimed) {
            let id = phase.id.clone();
            scene.record(event, &id, "as written in the plan file");
        }
    }
    raise(scene, snapshot);
    news
}

/// Raises the high-water mark. A phase settled for the first time gives the gate a new budget.
fn raise(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) {
    let counts = snapshot.view.counts(scene.desk.run.mark.files);
    if counts.phases > scene.desk.run.mark.phases && scene.desk.run.blocks > 0 {
        // The mirror may keep the older, larger count: the safe side.
        let _ = scene.desk.set_blocks(0);
    }
    scene.desk.run.mark = scene.desk.run.mark.max(counts);
}

/// In a gated run one phase is always in progress: where none is, the next ready one is opened before the stop is judged.
pub(super) fn open_next(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) -> bool {
    let gated = snapshot.head.as_ref().is_some_and(|h| h.mode == Mode::Gate);
    if !gated || snapshot.contract.is_none() || scene.desk.run.paused {
        return false;
    }
    let next = next::next(&snapshot.view);
    let Some(phase) = next.phase.filter(|_| next.kind == Kind::Start).and_then(|i| snapshot.view.phases.get(i)) else {
        return false;
    };
    if phase.status == Status::Failed {
        return false;
    }
    let written = snapshot.plan.as_ref().and_then(|plan| {
        let index = plan.phases.iter().position(|p| p.id.as_deref() == Some(phase.id.as_str()))?;
        plan_edit::set_status(&snapshot.bytes, plan, index, Status::InProgress).ok()
    });
    let Some(bytes) = written else { return false };
    if !scene.desk.replace_plan(&snapshot.bytes, &bytes).unwrap_or(false) {
        return false;
    }
    scene.desk.run.phases.entry(phase_key(&phase.id)).or_default().status = Some(Status::InProgress);
    let id = phase.id.clone();
    scene.record("phase_start", &id, "opened by the runtime");
    true
}
