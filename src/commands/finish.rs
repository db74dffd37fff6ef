//! `done`, `fail` and `skip`: how a phase ends.

use crate::commands::args::{Done, Reason};
use crate::commands::ctx::Ctx;
use crate::commands::prove::{self, Way};
use crate::commands::{attest, edit, hand_off, pause};
use crate::core::plan::{Status, StepState};
use crate::core::run::{Proof, phase_key};
use crate::error::{Failure, Result};
use crate::store::{Desk, Place, Snapshot, approval};

/// The most of a reason that the run state keeps, in characters. The ledger has all of it.
const WHY: usize = 80;

pub(super) fn done(ctx: &Ctx, args: &Done) -> Result<()> {
    let place = ctx.place()?;
    let snapshot = {
        let desk = Ctx::look(&place)?;
        ctx.snapshot(&desk)
    };
    Ctx::approved(&snapshot)?;
    let phase = edit::phase(&snapshot.view, args.phase.as_deref())?;
    let (id, before) = (phase.id.clone(), phase.run.status);
    if phase.status == Status::Complete && phase.run.status == Some(Status::Complete) {
        let desk = Ctx::look(&place)?;
        ctx.say(&desk, &format!("{id} is complete already"));
        return Ok(());
    }
    // What the file alone says is recorded, whoever wrote it: a person, or a verb that was killed.
    let written = phase.status == Status::Complete;
    if !phase.waits.is_empty() && phase.run.wait.is_none() {
        return Err(super::start::waits(phase));
    }
    if let Some(open) = phase.depends_on.iter().find(|d| snapshot.view.find(d).is_some_and(|p| !p.settled())) {
        return Err(Failure::no(
            format!("phase `{id}` cannot be complete yet"),
            format!("it depends on `{open}`, which is not"),
            format!("steadfast done {open}"),
        ));
    }
    if phase.needs_proof {
        // The lock is not held while commands run: hooks need it.
        let way = Way { ask: true, again: false, reuse: true };
        let one = std::slice::from_ref(&id);
        let mut results = prove::prove(ctx, &place, one, prove::LIMIT, way)?;
        if results.iter().any(|result| result.moved) {
            // What changed while it ran may be what it had looked at already.
            results = prove::prove(ctx, &place, one, prove::LIMIT, way)?;
        }
        hand_off::word_missing(ctx, &place, &results)?;
        prove::demand(&results)?;
    } else {
        let open: Vec<&str> =
            phase.steps.iter().filter(|(_, s)| *s == StepState::Open).map(|(t, _)| t.as_str()).collect();
        if !open.is_empty() && !args.anyway && !written {
            return Err(Failure::no(
                format!("phase `{id}` has open steps"),
                open.join("; "),
                format!("steadfast step {id}"),
            ));
        }
    }
    let every = phase.every;
    let mut desk = ctx.desk(&place)?;
    let recorded = desk.run.phases.get(&phase_key(&id)).and_then(|run| run.status);
    if recorded != before && matches!(recorded, Some(Status::Failed | Status::Skipped | Status::Waiting)) {
        return Err(Failure::no(
            format!("phase `{id}` was recorded as {} meanwhile", recorded.map_or("", Status::word)),
            "what was said while its check ran counts",
            format!("steadfast start {id}"),
        ));
    }
    // A routine comes again: in the file, too, it waits for that.
    edit::status(&desk, &id, if every.is_some() { Status::Waiting } else { Status::Complete })?;
    let run = desk.run.phases.entry(phase_key(&id)).or_default();
    run.status = Some(Status::Complete);
    run.finish(every, ctx.world.now());
    let again = run.wait.as_ref().map(|wait| (wait.until, wait.words()));
    let mut record = ctx.record("phase_complete", &id, "completed by a verb");
    if let Some(why) = &args.why {
        record.data = serde_json::json!({ "why": why });
    }
    if let Some((until, _)) = &again {
        record.data = serde_json::json!({ "why": args.why, "until": until });
    }
    edit::settle(ctx, &mut desk, record)?;
    ctx.say(
        &desk,
        &match again {
            Some((_, words)) => format!("{id} is done for this time; it waits {words}"),
            None => format!("{id} is complete"),
        },
    );
    Ok(())
}

pub(super) fn fail(ctx: &Ctx, args: &Reason) -> Result<()> {
    let id = end(ctx, args, Status::Failed, "phase_failed")?;
    let desk = Ctx::look(&ctx.place()?)?;
    ctx.say(&desk, &format!("{id} is recorded as failed; to try again: steadfast start {id}"));
    Ok(())
}

pub(super) fn skip(ctx: &Ctx, args: &Reason) -> Result<()> {
    let id = end(ctx, args, Status::Skipped, "phase_skipped")?;
    let desk = Ctx::look(&ctx.place()?)?;
    ctx.say(
        &desk,
        &if ctx.who.is_some() {
            format!("{id} is parked; the run will end as needs-you, not as done")
        } else {
            format!("{id} is parked")
        },
    );
    Ok(())
}

fn end(ctx: &Ctx, args: &Reason, status: Status, event: &str) -> Result<String> {
    if args.why.trim().is_empty() {
        return Err(Failure::usage(
            "a reason is needed",
            "it is what a person reads in the morning",
            "steadfast next  # or the same verb with --why \"what keeps it back\"",
        ));
    }
    let place = ctx.place()?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    Ctx::approved(&snapshot)?;
    let phase = edit::phase(&snapshot.view, args.phase.as_deref())?;
    if phase.status == Status::Complete {
        return Err(Failure::no(
            format!("phase `{}` is complete", phase.id),
            "a finished phase stays finished",
            "steadfast next",
        ));
    }
    let id = phase.id.clone();
    // What comes of it after this is something else than what a person gave their word on.
    take_word_back(ctx, &place, &desk, &snapshot, &id)?;
    edit::status(&desk, &id, status)?;
    let run = desk.run.phases.entry(phase_key(&id)).or_default();
    run.status = Some(status);
    run.why = short(&args.why);
    run.by_agent = !ctx.person();
    if status == Status::Failed {
        run.tries += u32::from(!phase.needs_proof);
    }
    let mut record = ctx.record(event, &id, &args.why);
    record.data = serde_json::json!({ "by": if ctx.person() { "person" } else { "agent" }, "why": args.why });
    edit::settle(ctx, &mut desk, record)?;
    Ok(id)
}

/// A person opens a finished phase again. Nobody else can: a finished phase stays finished.
pub(super) fn reopen(ctx: &Ctx, args: &Reason) -> Result<()> {
    pause::only_a_person(
        ctx,
        &format!(
            "reopen {}--why \"...\"",
            args.phase.as_deref().map(|p| format!("{} ", crate::output::quote(p))).unwrap_or_default()
        ),
    )?;
    let place = ctx.place()?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    Ctx::approved(&snapshot)?;
    let phase = edit::phase(&snapshot.view, args.phase.as_deref())?;
    if !phase.settled() {
        return Err(Failure::no(
            format!("phase `{}` is open", phase.id),
            "only a finished one can be opened again",
            "steadfast next",
        ));
    }
    let id = phase.id.clone();
    take_word_back(ctx, &place, &desk, &snapshot, &id)?;
    let status = if snapshot.view.current().is_some() { Status::Pending } else { Status::InProgress };
    edit::status(&desk, &id, status)?;
    let run = desk.run.phases.entry(phase_key(&id)).or_default();
    run.status = Some(status);
    run.proof = Proof::None;
    run.why = short(&args.why);
    run.by_agent = false;
    let mut record = ctx.record("phase_reopened", &id, &args.why);
    record.data = serde_json::json!({ "by": "person", "why": args.why, "status": status.word() });
    ctx.commit(&mut desk, vec![record])?;
    ctx.say(&desk, &format!("{id} is open again"));
    Ok(())
}

/// Ends a person's word on what a phase came to, where there is one.
fn take_word_back(ctx: &Ctx, place: &Place, desk: &Desk, snapshot: &Snapshot, id: &str) -> Result<()> {
    let approved = snapshot.contract.as_ref().and_then(|c| c.phase(id));
    let (Some(mut head), Some(approved)) = (snapshot.head.clone(), approved) else { return Ok(()) };
    attest::published(approval::ungive(&ctx.state_for(place)?, desk, &mut head, approved))
}

/// A reason as the run state keeps it.
pub(super) fn short(why: &str) -> String {
    crate::output::clean(why).replace('\n', " ").chars().take(WHY).collect()
}
