//! A person's words in the chat: the answer is given here, and no model is asked.

use crate::core::chat::Word;
use crate::core::contract::Mode;
use crate::core::event::Reply;
use crate::core::ledger::rfc3339;
use crate::core::next;
use crate::core::text::flatten;
use crate::hook::dialogue;
use crate::hook::scene::Scene;
use crate::store::approval::{self, Trouble};
use crate::store::pending::{self, Pending};
use crate::store::proposals;

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
    let (state, path) = (scene.call.state.clone(), scene.desk.path());
    let what = if head.is_draft() { format!("draft {}", head.goal) } else { head.digest.clone() };
    let Some(code) = code else {
        let pending = Pending {
            session: dialogue::key(scene),
            version: head.version,
            release: what.clone(),
            nonce: dialogue::nonce(scene),
            ..Pending::default()
        };
        if let Err(error) = pending::save(&state, &path, &pending) {
            return format!("steadfast: nothing can be released: the state directory cannot be written ({error}).");
        }
        return format!(
            "steadfast: this takes the gate off {} for good: every stop is let go, and the plan stays as a guide. To gate the work again, a new plan has to be made.\nTo do it: release plan {}\nTo let stops go for a while: pause plan",
            scene.desk.place.name(),
            pending.code(&what)
        );
    };
    let shown = pending::read(&state, &path, &dialogue::key(scene)).filter(|p| p.release == what);
    if shown.is_none_or(|pending| pending.code(&what) != code) {
        return "steadfast: nothing was released: that is not the code that was shown. Type: release plan".to_owned();
    }
    // Forgetting fails only where the gate is off already.
    let _ = pending::clear(&state, &path);
    let at = rfc3339(scene.call.now());
    let mirrors = match approval::release(&scene.call.state, &mut scene.desk, &mut head, snapshot.contract, at) {
        Ok(()) => "",
        Err(Trouble::NotApproved(error)) => {
            return format!("steadfast: nothing was released: the state directory cannot be written ({error}).");
        }
        Err(Trouble::NoMirror(_)) => " Its mirrors beside the plan could not be written.",
    };
    scene.record("release", "", "by a person in the chat");
    format!("steadfast: released. This plan holds nobody any more.{mirrors}")
}
