//! What is put in front of the model, and the news that go with it.

use crate::core::contract::{Contract, Mode, digest_start};
use crate::core::event::{Kind, Reply};
use crate::core::inject::{self, Block};
use crate::core::next;
use crate::hook::Call;
use crate::hook::scene::Scene;
use crate::hook::{chat, progress, session_start};
use crate::store::{Attestation, Desk, Session, Snapshot};

/// A prompt: resets the turn where a person wrote it, and injects.
pub(super) fn prompt(scene: &mut Scene<'_, '_>, text: &str) -> Reply {
    // A host may report a subagent's task as a prompt.
    if scene.call.event.agent.is_some() {
        return Reply::default();
    }
    session_start::host_process(scene);
    if let Some(word) = crate::core::chat::word(text) {
        return chat::answer(scene, &word);
    }
    if inject::is_user_prompt(text) {
        scene.session.turn_holds = 0;
        scene.session.calls = 0;
        if scene.desk.run.blocks > 0 {
            // A mirror that cannot be written keeps the larger, older count: the safe side.
            let _ = scene.desk.set_blocks(0);
        }
        scene.record("prompt", "", "user prompt");
    }
    block(scene, false)
}

/// The full form: at session start, after compaction.
pub(super) fn full(scene: &mut Scene<'_, '_>) -> Reply {
    block(scene, true)
}

fn block(scene: &mut Scene<'_, '_>, full: bool) -> Reply {
    let mut snapshot = scene.snapshot();
    if progress::take_over(scene, &snapshot) {
        snapshot.look_again(&scene.desk.run);
    }
    let woken = woken(scene, &mut snapshot);
    scene.session.fenced = snapshot.contract.as_ref().is_some_and(Contract::is_fenced);
    scene.desk.run.fenced = scene.session.fenced;
    let key = key(&snapshot);
    let context = text(&snapshot, &scene.desk, full || scene.session.compacted || scene.session.injected != key);
    scene.session.compacted = false;
    scene.session.injected = key;
    // Not every client shows what a session start says, and each news is told once: it waits for the prompt.
    let start = matches!(scene.call.event.kind, Kind::SessionStart(_));
    let notice = if start { None } else { news(scene, &snapshot) };
    let context = match (woken, context) {
        (Some(woken), Some(context)) => Some(format!("{woken}\n{context}")),
        (woken, context) => context.or(woken),
    };
    Reply { context, notice, ..Reply::default() }
}

/// What need not wait any longer is ready, and is told once: what this hook found, and what `wake` found before.
fn woken(scene: &mut Scene<'_, '_>, snapshot: &mut Snapshot) -> Option<String> {
    let ready = progress::awaken(scene, snapshot);
    if !ready.is_empty() {
        *snapshot = scene.snapshot();
        progress::open_next(scene, snapshot);
        *snapshot = scene.snapshot();
    }
    let by_wake = usize::try_from(std::mem::take(&mut scene.desk.run.woke)).unwrap_or(0);
    let phase = snapshot.view.phases.iter().find(|p| p.number == by_wake || ready.first() == Some(&p.id))?;
    (snapshot.contract.is_some()).then(|| inject::woken(phase.number, &phase.title))
}

/// What decides whether a block is news: what is approved, and how the file stands to it.
fn key(snapshot: &Snapshot) -> String {
    let head = snapshot.head.as_ref().map(|h| h.digest.as_str()).unwrap_or_default();
    let by_file = matches!(snapshot.attestation, Attestation::Draft | Attestation::None | Attestation::Unapproved);
    let file = if by_file { snapshot.file_digest() } else { String::new() };
    digest_start(format!("{head} {} {file}", snapshot.attestation.word()).as_bytes(), 16)
}

/// The text for the model. Only approved content, the goal of a draft, or a legacy plan framed as data.
fn text(snapshot: &Snapshot, desk: &Desk, full: bool) -> Option<String> {
    if snapshot.head_trouble.is_some() {
        return None;
    }
    match snapshot.attestation {
        Attestation::Draft => snapshot.head.as_ref().map(|head| inject::draft(&head.goal, &desk.place.file())),
        Attestation::Approved | Attestation::Changed => {
            let next = next::next(&snapshot.view);
            let block = block_of(snapshot, desk, &next);
            Some(if full { inject::full(&block) } else { inject::short(&block) })
        }
        // These are told when they are news, not at every turn.
        Attestation::None if full && snapshot.has_phases() => {
            snapshot.plan.as_ref().map(|plan| inject::legacy(plan, &desk.place.file()))
        }
        Attestation::Revoked if full => Some(inject::REVOKED.to_owned()),
        Attestation::None | Attestation::Unapproved | Attestation::Revoked => None,
    }
}

/// The approval was revoked while the agent is busy: told once, to the agent and to the user.
pub(super) fn revoked(scene: &mut Scene<'_, '_>) -> Option<Reply> {
    let snapshot = scene.snapshot();
    let key = key(&snapshot);
    if snapshot.attestation != Attestation::Revoked || scene.session.injected == key {
        return None;
    }
    scene.session.injected = key;
    Some(Reply { context: text(&snapshot, &scene.desk, true), notice: news(scene, &snapshot), ..Reply::default() })
}

fn block_of<'a>(snapshot: &'a Snapshot, desk: &Desk, next: &'a next::Next) -> Block<'a> {
    let (digest, mode) = snapshot.head.as_ref().map_or(("", Mode::Plain), |h| (h.digest.as_str(), h.mode));
    Block::new(&snapshot.view, next, digest, mode, &desk.run)
}

/// One line after many tool calls without a verb. Nothing where no contract is approved.
pub(super) fn anchor(scene: &Scene<'_, '_>, calls: u32) -> Reply {
    let snapshot = scene.snapshot();
    if snapshot.contract.is_none() || snapshot.head_trouble.is_some() {
        return Reply::default();
    }
    let next = next::next(&snapshot.view);
    Reply { context: Some(inject::anchor(&block_of(&snapshot, &scene.desk, &next), calls)), ..Reply::default() }
}

/// One line to the user for each change of the plan that is not in force.
pub(super) fn news(scene: &mut Scene<'_, '_>, snapshot: &Snapshot) -> Option<String> {
    let text = if let Some(why) = &snapshot.head_trouble {
        format!(
            "steadfast: the approval of this plan cannot be used ({why}); nothing is injected. See: steadfast doctor"
        )
    } else {
        match snapshot.attestation {
            Attestation::Changed if snapshot.plan.is_none() => {
                "steadfast: task_plan.md is missing or empty; the approved copy goes on. Bring it back, or: steadfast attest --diff".to_owned()
            }
            Attestation::Changed => {
                "steadfast: an edit of task_plan.md is not in force yet; the approved plan goes on. To approve it: type approve plan here, or steadfast attest in a terminal".to_owned()
            }
            Attestation::Unapproved => {
                "steadfast: this plan was approved somewhere else, not here, so nothing of it is injected. To approve it: steadfast attest".to_owned()
            }
            Attestation::Revoked => {
                "steadfast: the approval of this plan was revoked; nothing of it is injected and nobody is held. To approve it again: steadfast attest".to_owned()
            }
            Attestation::None if !snapshot.has_phases() => "steadfast: task_plan.md has no phase list, so there is nothing to inject. See: steadfast doctor".to_owned(),
            _ => return None,
        }
    };
    let key = digest_start(format!("{} {text}", snapshot.file_digest()).as_bytes(), 16);
    if scene.session.told_user == key {
        return None;
    }
    scene.session.told_user = key;
    Some(text)
}

/// The short form for a subagent, which does not edit the plan.
pub(super) fn subagent(scene: &mut Scene<'_, '_>) -> Reply {
    scene.record("subagent_start", "", "subagent started");
    let snapshot = scene.snapshot();
    if snapshot.contract.is_none() || snapshot.head_trouble.is_some() {
        return Reply::default();
    }
    let next = next::next(&snapshot.view);
    Reply { context: Some(inject::subagent(&block_of(&snapshot, &scene.desk, &next))), ..Reply::default() }
}

/// The block where nothing can be written.
pub(super) fn read_only(call: &Call<'_>, session: &Session) -> Reply {
    Desk::look(&session.place()).map_or_else(|_| Reply::default(), |desk| of_desk(call, &desk))
}

/// The full block of a desk, as it is.
pub(super) fn of_desk(call: &Call<'_>, desk: &Desk) -> Reply {
    let snapshot = Snapshot::take(Some(&call.state), desk);
    Reply { context: text(&snapshot, desk, true), ..Reply::default() }
}

/// The outline of a legacy plan, and the key that tells whether it is news.
pub(super) fn legacy(call: &Call<'_>, desk: &Desk) -> (String, Reply) {
    let snapshot = Snapshot::take(Some(&call.state), desk);
    let context =
        snapshot.plan.as_ref().map(|plan| inject::legacy(plan, &desk.place.file())).filter(|text| !text.is_empty());
    (key(&snapshot), Reply { context, ..Reply::default() })
}
