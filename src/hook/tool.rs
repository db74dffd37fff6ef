//! After a tool: edits, failures, and one re-anchoring line after many calls without a verb.

use std::path::Path;

use serde_json::json;

use crate::core::contract::{Mode, digest};
use crate::core::event::{Kind, Reply, ToolCall};
use crate::core::guard::plain;
use crate::core::ledger::OUTSIDE;
use crate::core::native;
use crate::core::run::Course;
use crate::core::seen::Seen;
use crate::hook::scene::{Scene, record};
use crate::hook::{adopt, context, observe, progress};
use crate::store::{Attestation, HeadRead, disk, head, layout};

/// After how many tool calls without a verb the agent is reminded once.
const ANCHOR: u32 = 40;
/// The most of an edited file that is read for its digest, in bytes.
const MAX_FILE: u64 = 1024 * 1024;

pub(super) fn answer(scene: &mut Scene<'_, '_>, call: &ToolCall) -> Reply {
    let main = scene.call.event.agent.is_none();
    if main {
        let verb = call.command.as_deref().is_some_and(|c| c.contains("steadfast "));
        scene.session.calls = if verb { 0 } else { scene.session.calls.saturating_add(1) };
    }
    if call.failed {
        let mut failure = record(scene.call, "tool_failure", &call.name);
        failure.data = call.exit.map_or(serde_json::Value::Null, |code| json!({ "exit": code }));
        scene.records.push(failure);
    }
    if call.command.is_some() {
        observe::answer(scene, call);
    }
    let mut plan_touched = false;
    for path in &call.edits {
        plan_touched |= edit(scene, path, call);
    }
    if plan_touched && main {
        return plan_edited(scene);
    }
    if main
        && scene.desk.run.revoked
        && let Some(reply) = context::revoked(scene)
    {
        return reply;
    }
    if main && let Some(text) = course(scene) {
        return Reply { context: Some(text.to_owned()), ..Reply::default() };
    }
    if main && scene.session.calls >= ANCHOR {
        let calls = std::mem::take(&mut scene.session.calls);
        return context::anchor(scene, calls);
    }
    Reply::default()
}

/// Whether an event that is no stop, prompt or start would have been recorded.
pub(super) fn leaves_a_record(event: &Kind) -> bool {
    match event {
        Kind::PostTool(call) => call.failed || !call.edits.is_empty(),
        Kind::PreTool(_) => false,
        _ => true,
    }
}

/// Records one edit. Whether it was the plan file.
fn edit(scene: &mut Scene<'_, '_>, path: &Path, call: &ToolCall) -> bool {
    let base = scene.call.event.cwd.clone().unwrap_or_else(|| scene.desk.place.root.clone());
    let full = plain(&base, path);
    let root = scene.desk.place.root.clone();
    let real = full.parent().and_then(|p| disk::canonical(p).ok()).zip(full.file_name()).map(|(p, n)| p.join(n));
    let full = real.unwrap_or(full);
    if full == scene.desk.place.dir().join(layout::PLAN) {
        return true;
    }
    // Notes about the work are not the work.
    if full.starts_with(root.join(layout::PLANNING)) {
        return false;
    }
    // Beyond the project neither names nor contents are looked at: the ledger may be shared.
    let inside = full.strip_prefix(&root).ok().map(native::shown);
    let beneath = inside.is_some();
    let name = inside.unwrap_or_else(|| OUTSIDE.to_owned());
    let read = if beneath { disk::read(&full, MAX_FILE).bytes() } else { None };
    let content = read.map_or_else(|| call.input_digest.clone(), |bytes| digest(&bytes));
    let mut seen = Seen::parse(&scene.desk.run.seen);
    if seen.insert(digest(format!("{name}\n{content}").as_bytes())) {
        scene.desk.run.mark.files = scene.desk.run.mark.files.saturating_add(1);
        scene.desk.run.seen = seen.to_text();
    }
    let mut edit = record(scene.call, "edit", &call.name);
    edit.files = vec![name];
    edit.data = json!({ "digest": content.chars().take(16).collect::<String>() });
    scene.records.push(edit);
    false
}

/// A person paused, resumed or released the run while the agent was busy: told once each.
fn course(scene: &mut Scene<'_, '_>) -> Option<&'static str> {
    let (told, now) = (scene.session.told_course, scene.desk.run.course());
    if told == now {
        return None;
    }
    // The mark lies in the project; what the agent hears is what is so.
    if now == Course::Released && !is_released(scene) {
        scene.desk.run.released = false;
        return None;
    }
    scene.session.told_course = now;
    match now {
        Course::Paused => Some(
            "steadfast: the user paused this run. Bring what you do to a safe end and stop; you are not held.\nDo not start another phase until the user goes on.",
        ),
        Course::Released => Some(
            "steadfast: the user took the gate off this plan. You are not held any more.\nThe plan stays as a guide: bring what you do to a safe end, then follow what the user says.",
        ),
        Course::Running if told == Course::Paused => Some(
            "steadfast: the user resumed this run. The plan is in force again.\nGo on with what comes next: steadfast next",
        ),
        Course::Running => None,
    }
}

fn is_released(scene: &Scene<'_, '_>) -> bool {
    matches!(head::read(&scene.call.state, &scene.desk.path()), HeadRead::Head(head, _) if head.mode == Mode::Plain)
}

/// The agent changed the plan: what it wrote is taken over, and it hears once if its contract is not in force.
fn plan_edited(scene: &mut Scene<'_, '_>) -> Reply {
    let mut snapshot = scene.snapshot();
    let mut adopted = None;
    if snapshot.attestation == Attestation::Changed {
        adopted = adopt::extension(scene, &snapshot);
        if adopted.is_some() {
            snapshot = scene.snapshot();
        }
    }
    progress::take_over(scene, &snapshot);
    let mut reply = Reply { notice: context::news(scene, &snapshot), ..Reply::default() };
    if let Some(version) = adopted {
        reply.context = Some(format!("steadfast: what this edit adds to the plan is in force, as version {version}."));
    } else if snapshot.attestation == Attestation::Changed && scene.session.told_agent != snapshot.file_digest() {
        scene.session.told_agent = snapshot.file_digest();
        reply.context = Some(
            "steadfast: this edit changes what the plan asks for, so the approved plan goes on until it is approved. If it only adds to the plan: steadfast attest. If it takes something away or rewords it, a person has to approve it. Keep it for them: steadfast propose --why \"...\", then steadfast restore."
                .to_owned(),
        );
    }
    reply
}
