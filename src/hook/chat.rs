//! A person's words in the chat: the answer is given here, and no model is asked.

use serde_json::json;

use crate::core::change::{self, Change};
use crate::core::chat::Word;
use crate::core::contract::Contract;
use crate::core::event::Reply;
use crate::core::ledger::rfc3339;
use crate::core::plan::Status;
use crate::core::text::flatten;
use crate::core::{candidate, differences, next, notes};
use crate::hook::progress;
use crate::hook::scene::{Scene, record};
use crate::store::approval::{self, Grant, Shown};
use crate::store::pending::{self, Pending};
use crate::store::{By, Session, Snapshot};

/// The most lines of a difference that fit a chat.
const LINES: usize = 60;

pub(super) fn answer(scene: &mut Scene<'_, '_>, word: &Word) -> Reply {
    let text = match word {
        Word::Status => status(scene),
        Word::Pause => pause(scene, true),
        Word::Resume => pause(scene, false),
        // Where nobody attends, nobody can have typed it.
        _ if scene.call.event.attended == Some(false) => {
            "steadfast: nothing was approved: the host says that nobody attends this session.".to_owned()
        }
        Word::Show => show(scene),
        Word::Approve(code) => approve(scene, code),
        Word::Reject => reject(scene),
    };
    Reply { deny: Some(text), ..Reply::default() }
}

fn status(scene: &Scene<'_, '_>) -> String {
    let snapshot = scene.snapshot();
    let view = &snapshot.view;
    let mut lines = vec![format!("{}: {}, {}", scene.desk.place.name(), view.progress(), snapshot.attestation.word())];
    for phase in &view.phases {
        let claimed = if phase.claimed { " (claimed, not proven)" } else { "" };
        lines.push(format!("  {}. {}: {}{claimed}", phase.number, flatten(&phase.title), phase.status.word()));
    }
    let next = next::next(view);
    lines.push(format!(
        "blocks {}, holds {}{}",
        scene.desk.run.blocks,
        scene.desk.run.holds,
        if scene.desk.run.paused { ", paused" } else { "" }
    ));
    let command = if next.command.is_empty() { String::new() } else { format!(" ({})", next.command) };
    lines.push(format!("next: {}{command}", flatten(&next.why)));
    lines.join("\n")
}

fn pause(scene: &mut Scene<'_, '_>, pause: bool) -> String {
    if scene.desk.run.paused == pause {
        return if pause { "steadfast: the run is paused already." } else { "steadfast: the run is not paused." }
            .to_owned();
    }
    scene.desk.run.paused = pause;
    scene.record(if pause { "pause" } else { "resume" }, "", "by a person in the chat");
    if pause {
        "steadfast: paused. Every stop is let go until you type: resume plan".to_owned()
    } else {
        "steadfast: resumed. The gate judges stops again.".to_owned()
    }
}

/// What the file asks for, as it would be approved.
fn asked(snapshot: &Snapshot) -> Result<Contract, String> {
    let Some(head) = &snapshot.head else {
        return Err("steadfast: this plan was not made here. Approve it in a terminal: steadfast attest".to_owned());
    };
    let (_, mut asked) = candidate::strict(&snapshot.bytes, head.mode, head.gate).map_err(|problems| {
        let lines: Vec<String> =
            problems.iter().take(8).map(|p| format!("  line {}: {}: {}", p.line, p.what, p.fix)).collect();
        format!("steadfast: task_plan.md cannot be approved yet:\n{}", lines.join("\n"))
    })?;
    if let Some(approved) = &snapshot.contract {
        notes::forget(&mut asked, approved);
    }
    Ok(asked)
}

fn show(scene: &mut Scene<'_, '_>) -> String {
    let snapshot = scene.snapshot();
    let asked = match asked(&snapshot) {
        Ok(asked) => asked,
        Err(text) => return text,
    };
    let old = snapshot.contract.clone().unwrap_or_else(|| Contract {
        v: asked.v,
        mode: asked.mode,
        gate: asked.gate,
        ..Contract::default()
    });
    let differences = differences::differences(&old, &asked);
    let version = snapshot.head.as_ref().map_or(0, |h| h.version);
    if differences.is_empty() && snapshot.contract.is_some() {
        return "steadfast: nothing to approve: the plan asks for what is approved.".to_owned();
    }
    let contract = String::from_utf8(asked.to_bytes()).unwrap_or_default();
    let pending = Pending { session: key(scene), version, contract };
    if let Err(error) = pending::save(&scene.call.state, &scene.desk.path(), &pending) {
        return format!("steadfast: nothing can be approved: the state directory cannot be written ({error}).");
    }
    let mut lines: Vec<String> =
        differences.iter().take(LINES).map(|d| format!("  {}", flatten(&d.to_string()))).collect();
    if differences.len() > LINES {
        lines.push(format!("  and {} more; see all of them: steadfast attest --diff", differences.len() - LINES));
    }
    let runs: Vec<String> =
        asked.phases.iter().flat_map(|p| &p.checks).map(|c| format!("  runs: {}", flatten(c))).collect();
    lines.extend(runs);
    format!(
        "steadfast: what would change:\n{}\nTo approve exactly this: approve plan {}\nTo leave it: reject plan",
        lines.join("\n"),
        pending.code()
    )
}

fn key(scene: &Scene<'_, '_>) -> String {
    Session::key(scene.call.host.id, &scene.call.event.session)
}

fn approve(scene: &mut Scene<'_, '_>, code: &str) -> String {
    let state = scene.call.state.clone();
    let path = scene.desk.path();
    let Some(pending) = pending::read(&state, &path).filter(|p| p.session == key(scene)) else {
        return "steadfast: nothing was shown to be approved. Type: approve plan".to_owned();
    };
    if pending.code() != code {
        return "steadfast: nothing was approved: that is not the code that was shown. Type: approve plan".to_owned();
    }
    let snapshot = scene.snapshot();
    let (Some(mut head), Some(contract)) = (snapshot.head.clone(), pending.parsed()) else {
        return "steadfast: nothing was approved: the approval of this plan cannot be used. See: steadfast doctor"
            .to_owned();
    };
    if head.version != pending.version {
        return "steadfast: nothing was approved: another version was approved since. Type: approve plan".to_owned();
    }
    let finished = |id: &str| snapshot.view.phases.iter().any(|p| p.id == id && p.status == Status::Complete);
    let weakened =
        snapshot.contract.as_ref().is_some_and(|old| change::change(old, &contract, &finished) == Change::Weakens);
    let grant = Grant { by: By::Person, shown: Shown::Commands, at: rfc3339(scene.call.now()) };
    let mirrors = match approval::grant(&state, &scene.desk, &mut head, &contract, grant) {
        Ok(()) => "",
        Err(approval::Trouble::NotApproved(error)) => {
            return format!("steadfast: nothing was approved: the state directory cannot be written ({error}).");
        }
        Err(approval::Trouble::NoMirror(_)) => " Its mirrors beside the plan could not be written.",
    };
    // Forgetting fails only where the next `approve plan` writes it anew.
    let _ = pending::clear(&state, &path);
    if let Ok(bytes) = candidate::with_ids(&snapshot.bytes)
        && bytes != snapshot.bytes
    {
        // Without its ids the file asks for something else, which the user is then told.
        let _ = scene.desk.replace_plan(&snapshot.bytes, &bytes);
    }
    let approved = scene.snapshot();
    approval::adopt(&mut scene.desk, &approved, weakened);
    let mut attest = record(scene.call, "attest", &format!("version {} by person", head.version));
    attest.data = json!({ "version": head.version, "sha256": head.digest, "by": "person" });
    scene.records.push(attest);
    progress::open_next(scene, &approved);
    format!("steadfast: approved as version {}.{mirrors} The agent reads it at its next turn.", head.version)
}

fn reject(scene: &mut Scene<'_, '_>) -> String {
    let known = pending::read(&scene.call.state, &scene.desk.path()).is_some();
    if let Err(error) = pending::clear(&scene.call.state, &scene.desk.path()) {
        return format!("steadfast: what was shown cannot be forgotten ({error}).");
    }
    if !known {
        return "steadfast: nothing was shown to be approved.".to_owned();
    }
    scene.record("note", "", "a person rejected the changed plan");
    "steadfast: rejected. What was approved before goes on.".to_owned()
}
