//! An extension that the attached session wrote into its plan is adopted by the hook that saw the edit.

use serde_json::json;

use crate::core::change::{Change, change};
use crate::core::contract::Contract;
use crate::core::ledger::rfc3339;
use crate::core::plan::Status;
use crate::core::{candidate, notes};
use crate::hook::scene::{Scene, record};
use crate::store::approval::{self, Grant, Shown};
use crate::store::{By, Snapshot};

/// Approves what the file asks for, where it only adds to the plan and adds no command. Gives the new version.
pub(super) fn extension(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) -> Option<u64> {
    let mut head = snapshot.head.clone()?;
    let old = snapshot.contract.as_ref()?;
    let (bytes, mut asked) = candidate::strict(&snapshot.bytes, head.mode, head.gate).ok()?;
    notes::forget(&mut asked, old);
    let finished = |id: &str| snapshot.view.phases.iter().any(|p| p.id == id && p.status == Status::Complete);
    if change(old, &asked, &finished) != Change::Extends
        || commands(&asked).any(|c| !commands(old).any(|known| known == c))
    {
        return None;
    }
    if bytes != snapshot.bytes && !scene.desk.replace_plan(&snapshot.bytes, &bytes).ok()? {
        return None;
    }
    let grant = Grant { by: By::Agent, shown: Shown::Nothing, at: rfc3339(scene.call.now()) };
    match approval::grant(&scene.call.state, &scene.desk, &mut head, &asked, grant) {
        Ok(()) | Err(approval::Trouble::NoMirror(_)) => {}
        Err(approval::Trouble::NotApproved(_)) => return None,
    }
    let mut attest = record(scene.call, "attest", &format!("version {} by agent: its edit only adds", head.version));
    attest.data = json!({ "version": head.version, "sha256": head.digest, "by": "agent" });
    scene.records.push(attest);
    Some(head.version)
}

fn commands(contract: &Contract) -> impl Iterator<Item = &String> {
    contract.phases.iter().flat_map(|p| &p.checks)
}
