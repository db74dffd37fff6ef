//! Taking over what was written by hand: statuses and boxes in the file become records and raise the high-water mark.

use crate::core::plan::Status;
use crate::core::run::phase_key;
use crate::hook::scene::Scene;
use crate::store::{Snapshot, approval};

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

/// Has the run take over what is approved, where it has not, and records that; `how` stands behind the words of the record.
/// Whether there was anything to take over.
pub(super) fn adopt(scene: &mut Scene<'_, '_>, approved: &Snapshot, weakened: bool, how: &str) -> bool {
    let Some((summary, data)) = approval::take_over(&mut scene.desk, approved, weakened) else { return false };
    scene.record("attest", "", &format!("{summary}{how}"));
    if let Some(record) = scene.records.last_mut() {
        record.data = data;
    }
    true
}

/// Records every approved phase whose status in the file counts and is news. Whether there was any.
pub(super) fn take_over(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) -> bool {
    if snapshot.contract.is_none() {
        return false;
    }
    // An approval that was cut off before the run knew of it.
    let mut news = adopt(scene, snapshot, false, "");
    for phase in snapshot.view.phases.iter().filter(|p| !p.vanished) {
        let key = phase_key(&phase.id);
        let known = scene.desk.run.phases.get(&key).and_then(|p| p.status);
        if known == Some(phase.status) || (known.is_none() && phase.status == Status::Pending) {
            continue;
        }
        news = true;
        let now = scene.call.now();
        let run = scene.desk.run.phases.entry(key).or_default();
        run.status = Some(phase.status);
        if phase.status == Status::Complete {
            run.finish(phase.every, now);
        }
        // "Claimed" is the file's word against a missing proof: it is in progress, which is no news.
        if let Some(event) = event(phase.status).filter(|_| !phase.claimed) {
            let id = phase.id.clone();
            let until = scene.desk.run.phases.get(&phase_key(&id)).and_then(|p| p.wait.as_ref()).map(|w| w.until);
            scene.record(event, &id, "as written in the plan file");
            if let (Some(until), Some(record)) = (until, scene.records.last_mut()) {
                record.data = serde_json::json!({ "until": until });
            }
        }
    }
    scene.desk.raise(&snapshot.view);
    news
}

/// Makes ready what need not wait any longer. The phases that are ready now.
pub(super) fn awaken(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) -> Vec<String> {
    if scene.desk.run.paused || !snapshot.view.phases.iter().any(|p| p.status == Status::Waiting) {
        return Vec::new();
    }
    let now = scene.call.now();
    let woken = scene.desk.awaken(snapshot, now, &|_| false);
    for woken in &woken {
        scene.record("wake", &woken.phase, &woken.evidence);
    }
    woken.into_iter().map(|w| w.phase).collect()
}

/// Opens the next phase, as [`crate::store::Desk::open_next`]. Whether one was opened.
pub(super) fn open_next(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) -> bool {
    // A file that cannot be written is judged as it is.
    let Ok(Some(id)) = scene.desk.open_next(snapshot) else { return false };
    scene.record("phase_start", &id, "opened by the runtime");
    true
}
