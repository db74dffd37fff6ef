//! The session's own shell ran the very command of a check, in the project root: that is a proof as good as a second run.

use serde_json::json;

use crate::core::contract::digest_start;
use crate::core::event::ToolCall;
use crate::core::guard::only_verbs;
use crate::core::plan::Status;
use crate::core::proof;
use crate::core::run::phase_key;
use crate::hook::scene::{Scene, record};

/// How late after its tool a hook may start, in milliseconds.
const MARGIN: u64 = 500;

/// Records what a shell command proves.
pub(super) fn answer(scene: &mut Scene<'_, '_>, call: &ToolCall) {
    let Some(command) = call.command.as_deref().map(str::trim) else { return };
    if scene.desk.run.checks.is_empty() {
        return;
    }
    // Whether it is a check at all is known without reading the plan.
    let mark = digest_start(command.as_bytes(), 8);
    if scene.call.event.agent.is_some() || !scene.desk.run.checks.contains(&mark) {
        if !only_verbs(command) {
            scene.desk.run.phases.values_mut().for_each(|run| _ = proof::unsee(run));
        }
        return;
    }
    // Not every host says how a command ended.
    let Some(exit) = call.exit else { return };
    let here = scene.call.event.cwd.as_ref() == Some(&scene.desk.place.root);
    if call.background || !here || (exit == 0 && edited_meanwhile(scene, call)) {
        return;
    }
    let snapshot = scene.snapshot();
    let Some(contract) = &snapshot.contract else { return };
    let tick = scene.desk.run.tick;
    let mut proved = false;
    for phase in contract.phases.iter().filter(|p| p.checks.iter().any(|c| c == command)) {
        let run = scene.desk.run.phases.entry(phase_key(&phase.id)).or_default();
        let Some(outcome) = proof::observe(run, phase, command, exit, tick) else { continue };
        proved = true;
        let reopened = scene.desk.prove(phase, &outcome);
        let word = outcome.proof.word();
        let mut proof = record(scene.call, "proof", &format!("check {word}"));
        proof.phase.clone_from(&phase.id);
        proof.data = json!({
            "result": word, "exit": exit, "checks": phase.proof_tag(), "by": "observed",
        });
        scene.records.push(proof);
        if reopened {
            reopen(scene, &phase.id);
        }
    }
    if proved {
        let view = scene.snapshot().view;
        scene.desk.raise(&view);
    }
}

/// Whether an edit was recorded while the command ran, or so shortly before that nobody can tell.
fn edited_meanwhile(scene: &Scene<'_, '_>, call: &ToolCall) -> bool {
    let Some(took) = call.took else { return false };
    let begun = scene.call.millis().saturating_sub(took);
    scene.desk.run.edit_ms.saturating_add(MARGIN) > begun
}

/// A complete phase whose check fails is open again, in the file too where it can be written.
fn reopen(scene: &mut Scene<'_, '_>, id: &str) {
    let now = scene.snapshot();
    // What cannot be written just now is taken over by the next event.
    let _ = scene.desk.write_status(&now, id, Status::InProgress);
    scene.record("phase_start", id, "opened again: its check fails");
}
