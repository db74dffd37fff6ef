//! An extension that the attached session wrote into its plan is adopted by the hook that saw the edit.

use crate::core::change::Change;
use crate::core::ledger::rfc3339;
use crate::hook::progress;
use crate::hook::scene::Scene;
use crate::store::approval::{self, Grant, Shown};
use crate::store::{By, Snapshot};

/// Approves what the file asks for, where it only adds to the plan and adds no command. Gives the new version.
pub(super) fn extension(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) -> Option<u64> {
    let mut head = snapshot.head.clone()?;
    let old = snapshot.contract.as_ref()?;
    let asked = snapshot.weigh(&snapshot.bytes).ok()?;
    let known: Vec<String> = old.commands().collect();
    if asked.change != Some(Change::Extends) || !asked.commands().all(|command| known.contains(&command)) {
        return None;
    }
    if asked.bytes != snapshot.bytes && !scene.desk.replace_plan(&snapshot.bytes, &asked.bytes).ok()? {
        return None;
    }
    let grant = Grant { by: By::Agent, shown: Shown::Nothing, at: rfc3339(scene.call.now()) };
    match approval::grant(&scene.call.state, &scene.desk, &mut head, &asked.contract, grant) {
        Ok(()) | Err(approval::Trouble::NoMirror(_)) => {}
        Err(approval::Trouble::NotApproved(_)) => return None,
    }
    let approved = scene.snapshot();
    progress::adopt(scene, &approved, false, ": its edit only adds");
    Some(head.version)
}
