//! `start`: begin a phase, or try a failed one again.

use crate::commands::args::Start;
use crate::commands::ctx::Ctx;
use crate::commands::edit;
use crate::commands::prove::{self, Way};
use crate::core::next;
use crate::core::plan::Status;
use crate::core::run::{Proof, phase_key};
use crate::core::view::{PhaseView, View};
use crate::error::{Failure, Result};
use crate::store::{Desk, Place};

pub(super) fn run(ctx: &Ctx, args: &Start) -> Result<()> {
    let place = ctx.place()?;
    let mut desk = ctx.desk(&place)?;
    let mut snapshot = ctx.snapshot(&desk);
    Ctx::approved(&snapshot)?;
    let woken = edit::awaken(ctx, &mut desk, &mut snapshot);
    if !woken.is_empty() {
        // It is so, whatever becomes of this verb.
        ctx.commit(&mut desk, woken)?;
    }
    let view = &snapshot.view;
    let ready = next::next(view).phase.and_then(|i| view.phases.get(i));
    let phase = match (&args.phase, ready) {
        (Some(name), _) => edit::phase(view, Some(name))?,
        (None, Some(ready)) => ready,
        (None, None) => {
            return Err(Failure::no("there is no phase to start", next::next(view).why, "steadfast status"));
        }
    };
    match phase.status {
        Status::InProgress if phase.run.status == Some(Status::InProgress) => {
            ctx.say(&desk, &format!("{} is in progress already", phase.id));
            return Ok(());
        }
        Status::Complete => {
            return Err(Failure::no(
                format!("phase `{}` is complete", phase.id),
                "a finished phase is not begun again",
                "steadfast attest  # when a new phase is in the plan",
            ));
        }
        _ => {}
    }
    if !phase.waits.is_empty() && phase.run.wait.is_none() {
        return Err(waits(phase));
    }
    if let Some(open) = phase.depends_on.iter().find_map(|id| view.find(id).filter(|p| !p.settled())) {
        return Err(not_yet(view, phase, open));
    }
    if let Some(other) = view.current().filter(|o| o.id != phase.id && !args.also) {
        return Err(Failure::no(
            format!("phase `{}` is in progress", other.id),
            "one phase at a time keeps the run on its plan; finish it first, or begin this one beside it with --also",
            format!("steadfast next  # or: steadfast start {} --also", phase.id),
        ));
    }
    let id = phase.id.clone();
    let retry = phase.run.status == Some(Status::Failed);
    edit::status(&desk, &id, Status::InProgress)?;
    let run = desk.run.phases.entry(phase_key(&id)).or_default();
    run.status = Some(Status::InProgress);
    run.wait = None;
    let event = if retry { "phase_retry" } else { "phase_start" };
    let mut records = Vec::from_iter(ctx.attach(&mut desk, false)?);
    records.push(ctx.record(event, &id, "started by a verb"));
    ctx.commit(&mut desk, records)?;
    let text = if args.baseline { baseline(ctx, &place, desk, &id)? } else { format!("started {id}") };
    ctx.say(&Ctx::look(&place)?, &text);
    Ok(())
}

/// A dependency is open; where it failed or waits, that is what keeps the phase back.
fn not_yet(view: &View, phase: &PhaseView, open: &PhaseView) -> Failure {
    let why = if open.run.why.is_empty() { String::new() } else { format!(": {}", open.run.why) };
    let (what, fix) = match open.status {
        Status::Failed => (format!("failed{why}"), format!("steadfast start {}  # tries it again", open.id)),
        Status::Waiting => (format!("waits {}", open.waits), "steadfast next".to_owned()),
        Status::InProgress => ("is not complete".to_owned(), "steadfast next".to_owned()),
        // Where that one cannot begin either, its own refusal says so.
        _ if view.current().is_some() => ("is not complete".to_owned(), "steadfast next".to_owned()),
        _ => ("is not complete".to_owned(), format!("steadfast start {}", open.id)),
    };
    Failure::no(
        format!("phase `{}` cannot begin yet", phase.id),
        format!("it depends on `{}`, which {what}", open.id),
        fix,
    )
}

/// What the plan itself lets a phase wait for is not passed over by a verb.
pub(super) fn waits(phase: &PhaseView) -> Failure {
    let human = phase.waits.contains("for the user");
    Failure::no(
        format!("phase `{}` waits {}", phase.id, phase.waits),
        "the approved plan says so; it is looked at by hooks and by steadfast wake",
        if human {
            format!(
                "steadfast approve {0}  # typed by the user, in a terminal; in the chat: approve phase {0}",
                phase.id
            )
        } else {
            "steadfast next".to_owned()
        },
    )
}

/// Runs the check before the work: it should fail now, so that passing later says something.
fn baseline(ctx: &Ctx, place: &Place, desk: Desk, id: &str) -> Result<String> {
    drop(desk);
    let way = Way { ask: true, again: false, reuse: false };
    let results = prove::prove(ctx, place, &[id.to_owned()], prove::LIMIT, way)?;
    Ok(match results.first().map(|r| r.proof) {
        Some(Proof::Passed) => {
            format!("started {id}; its check passes before the work, so it cannot tell whether the work was done")
        }
        Some(Proof::Interrupted) => format!("started {id}; its check was interrupted"),
        Some(_) => format!("started {id}; its check fails, as it should before the work"),
        None => format!("started {id}; it has no check"),
    })
}
