//! A person's words in the chat: the answer is given here, and no model is asked.

use crate::core::chat::Word;
use crate::core::contract::{ContractPhase, Mode, digest_start};
use crate::core::event::Reply;
use crate::core::ledger::rfc3339;
use crate::core::next;
use crate::core::plan::StepState;
use crate::core::text::flatten;
use crate::core::view::PhaseView;
use crate::core::wait;
use crate::hook::dialogue::{self, untrusted};
use crate::hook::progress;
use crate::hook::scene::Scene;
use crate::store::approval::{self, Trouble};
use crate::store::head::Subject;
use crate::store::pending::{self, Pending};
use crate::store::proposals;

/// How many steps of a phase are shown.
const STEPS: usize = 20;
const NO_MIRRORS: &str = " Its mirrors beside the plan could not be written.";

pub(super) fn answer(scene: &mut Scene<'_, '_>, word: &Word) -> Reply {
    let text = match word {
        Word::Status => status(scene),
        // Where nobody attends, nobody can have typed it.
        _ if scene.call.event.attended == Some(false) => {
            "steadfast: nothing was done: the host says that nobody attends this session. A person types it in a terminal: steadfast attest, pause, resume or release."
                .to_owned()
        }
        Word::Show => dialogue::show(scene),
        Word::Approve(code) => dialogue::approve(scene, code),
        Word::Phase(name, code) => phase(scene, name, code.as_deref()),
        Word::Reject => dialogue::reject(scene),
        Word::Pause => pause(scene, true),
        Word::Resume => pause(scene, false),
        Word::Release(code) => release(scene, code.as_deref()),
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
    let waiting: Vec<String> = proposals::open(&scene.desk, &snapshot).iter().map(|p| p.n.to_string()).collect();
    if !waiting.is_empty() {
        lines.push(format!("proposals: {}; to see them: approve plan", waiting.join(", ")));
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

/// Two steps, because it cannot be taken back, and because people ask for release plans.
fn release(scene: &mut Scene<'_, '_>, code: Option<&str>) -> String {
    let snapshot = scene.snapshot();
    let Some(mut head) = snapshot.head.clone().filter(|h| h.mode != Mode::Plain) else {
        return "steadfast: this plan has no gate.".to_owned();
    };
    let what = if head.is_draft() { format!("draft {}", head.goal) } else { head.digest.clone() };
    let Some(code) = code else {
        let name = scene.desk.place.name().to_owned();
        return shown(scene, head.version, what).map_or_else(|error| not_kept(&error), |code| {
            format!(
                "steadfast: this takes the gate off {name} for good: every stop is let go, and the plan stays as a guide. To gate the work again, a new plan has to be made.\nTo do it: release plan {code}\nTo let stops go for a while: pause plan"
            )
        });
    };
    if !typed(scene, &what, code) {
        return "steadfast: nothing was released: that is not the code that was shown. Type: release plan".to_owned();
    }
    let at = rfc3339(scene.call.now());
    let mirrors = match approval::release(&scene.call.state, &mut scene.desk, &mut head, snapshot.contract, at) {
        Ok(()) => "",
        Err(Trouble::NotApproved(error)) => return not_kept(&error),
        Err(Trouble::NoMirror(_)) => NO_MIRRORS,
    };
    scene.record("release", "", "by a person in the chat");
    format!("steadfast: released. This plan holds nobody any more.{mirrors}")
}

/// A person's word on what a phase came to. Two steps: they see what that is, and the code stands for the phase as it is approved.
fn phase(scene: &mut Scene<'_, '_>, name: &str, code: Option<&str>) -> String {
    let snapshot = scene.snapshot();
    let named = |p: &&PhaseView| p.id.to_lowercase() == name || p.number.to_string() == name;
    let (Some(head), Some(contract)) = (&snapshot.head, &snapshot.contract) else {
        return "steadfast: nothing of this plan is approved. Type: approve plan".to_owned();
    };
    let found = snapshot.view.phases.iter().find(named);
    let asks = |p: &&PhaseView| contract.phase(&p.id).is_some_and(ContractPhase::asks_a_person);
    let (Some(view), Some(approved)) =
        (found, found.and_then(|view| contract.phase(&view.id).filter(|c| c.asks_a_person())))
    else {
        let ids: Vec<&str> = snapshot.view.phases.iter().filter(asks).map(|p| p.id.as_str()).collect();
        let ids = if ids.is_empty() { "none does".to_owned() } else { ids.join(", ") };
        return format!("steadfast: no such phase asks for your approval; in this plan: {ids}.");
    };
    let (word, said) = head.word_on(approved, &view.run);
    if said {
        return format!("steadfast: {} is approved already.", view.id);
    }
    let shows = phase_lines(view, approved).concat();
    // The code stands for what was shown: a step that is open again since, or an edit that a hook saw, is something else.
    let seen = digest_start(format!("{shows}{}", scene.desk.run.edit_tick).as_bytes(), 16);
    let what = format!("phase {} {} {seen}", view.id, approved.digest());
    let Some(code) = code else {
        let title = format!("steadfast: {}. {}: {}", view.number, untrusted(&view.title), view.status.word());
        return shown(scene, head.version, what).map_or_else(
            |error| not_kept(&error),
            |code| {
                let to = match word {
                    Subject::Question => "say yes to what it waits for",
                    Subject::Result => "approve what it came to",
                };
                format!("{title}\n{shows}To {to}: approve phase {} {code}", view.id)
            },
        );
    };
    if !typed(scene, &what, code) {
        return format!(
            "steadfast: nothing was approved: that is not the code that was shown, or the phase changed since. Type: approve phase {name}"
        );
    }
    let mirrors = match approval::give(&scene.call.state, &scene.desk, &mut head.clone(), approved, word) {
        Ok(()) => "",
        Err(Trouble::NotApproved(error)) => return not_kept(&error),
        Err(Trouble::NoMirror(_)) => NO_MIRRORS,
    };
    scene.record("note", &view.id, "a person approved it in the chat");
    let mut now = scene.snapshot();
    if !progress::awaken(scene, &now).is_empty() {
        now = scene.snapshot();
    }
    progress::open_next(scene, &now);
    format!("steadfast: {} is approved.{mirrors} The agent reads it at its next turn.", view.id)
}

/// What a person sees of how far a phase came before they give their word.
fn phase_lines(view: &PhaseView, approved: &ContractPhase) -> Vec<String> {
    let step = |(text, state): &(String, StepState)| format!("  [{}] {}\n", state.mark(), untrusted(text));
    let mut lines: Vec<String> = view.steps.iter().take(STEPS).map(step).collect();
    if view.steps.len() > STEPS {
        lines.push(format!("  and {} steps more\n", view.steps.len() - STEPS));
    }
    if !approved.checks.is_empty() {
        lines.push(format!("  its check: {}\n", wait::shown_proof(&view.run)));
    }
    lines.extend(wait::question(&view.run).map(|text| format!("  the agent asks: {}\n", untrusted(text))));
    lines.extend(approved.waits_for.iter().map(|text| format!("  waits for {}\n", untrusted(text))));
    lines
}

/// Keeps that this was shown, and gives the code for it.
fn shown(scene: &Scene<'_, '_>, version: u64, deed: String) -> Result<String, std::io::Error> {
    let (session, nonce) = (dialogue::key(scene), dialogue::nonce(scene));
    let pending = Pending { session, version, deed, nonce, ..Pending::default() };
    pending::save(&scene.call.state, &scene.desk.path(), &pending).map(|()| pending.code(&pending.deed))
}

/// Whether this is the code that was shown for this, to this session. It counts once.
fn typed(scene: &Scene<'_, '_>, deed: &str, code: &str) -> bool {
    let (state, path) = (&scene.call.state, scene.desk.path());
    let shown = pending::read(state, &path, &dialogue::key(scene)).filter(|p| p.deed == deed);
    let typed = shown.is_some_and(|pending| pending.code(deed) == code);
    if typed {
        // Forgetting fails only where the deed fails, too.
        let _ = pending::clear(state, &path);
    }
    typed
}

fn not_kept(error: &std::io::Error) -> String {
    format!("steadfast: nothing was done: the state directory cannot be written ({error}).")
}
