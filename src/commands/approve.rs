//! `approve`: a person's word on what a phase came to.

use crate::commands::args::Approve;
use crate::commands::ctx::Ctx;
use crate::commands::{attest, edit, pause};
use crate::core::wait;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::store::approval;
use crate::store::head::Subject;

pub(super) fn run(ctx: &Ctx, args: &Approve) -> Result<()> {
    let place = ctx.place()?;
    let snapshot = ctx.snapshot(&Ctx::look(&place)?);
    Ctx::approved(&snapshot)?;
    let id = edit::phase(&snapshot.view, args.phase.as_deref())?.id.clone();
    let asked = snapshot.contract.as_ref().and_then(|c| c.phase(&id));
    let Some(phase) = asked.filter(|p| p.asks_a_person()) else {
        if snapshot.view.find(&id).and_then(|p| p.run.wait.as_ref()).is_some_and(|wait| wait.human) {
            return Err(Failure::no(
                format!("phase `{id}` asks for an answer, not for an approval"),
                "tell it to the agent; what waits for you is taken up again by `start`",
                format!("steadfast start {id}"),
            ));
        }
        return Err(Failure::no(
            format!("phase `{id}` asks for no approval"),
            "only a phase with `Approval: human` or `WaitsFor: human ...` waits for a person",
            "steadfast status",
        ));
    };
    pause::only_a_person(ctx, &format!("approve {}", crate::output::quote(&id)))?;
    let run = snapshot.view.find(&id).map(|p| p.run.clone()).unwrap_or_default();
    let Some((word, said)) = snapshot.head.as_ref().map(|h| h.word_on(phase, &run)) else {
        return Err(Failure::no(
            "nothing of this plan is approved",
            "its phases ask for nothing yet",
            "steadfast attest",
        ));
    };
    if said {
        ctx.say(&Ctx::look(&place)?, &format!("{id} is approved already"));
        return Ok(());
    }
    ctx.out.line(&format!("{}  {}", ctx.out.paint(Style::Bold, &phase.title), ctx.out.paint(Style::Dim, &id)));
    for step in &phase.steps {
        ctx.out.line(&format!("  - {}", ctx.out.paint(Style::Plain, step)));
    }
    for question in phase.questions() {
        ctx.out.line(&format!("  waits for {}", ctx.out.paint(Style::Plain, question)));
    }
    if word == Subject::Result && !phase.checks.is_empty() {
        ctx.out.line(&format!("  its check: {}", wait::shown_proof(&run)));
    }
    if let Some(question) = wait::question(&run) {
        ctx.out.line(&format!("  the agent asks: {}", ctx.out.paint(Style::Plain, question)));
    }
    let what = match word {
        Subject::Question => "to say yes to what it waits for, type yes: ",
        Subject::Result => "to approve what this phase came to, type yes: ",
    };
    if ctx.world.ask(what).unwrap_or_default().trim() != "yes" {
        return Err(Failure::no("nothing was approved", "yes was not typed", format!("steadfast approve {id}")));
    }
    let state = ctx.state_for(&place)?;
    let mut desk = ctx.desk(&place)?;
    let now = ctx.snapshot(&desk);
    let (Some(mut head), true) = (now.head.clone(), now.contract == snapshot.contract) else {
        return Err(Failure::no("nothing was approved", "the plan was approved anew meanwhile", "steadfast status"));
    };
    attest::published(approval::give(&state, &desk, &mut head, phase, word))?;
    let mut records = vec![ctx.record("note", &id, "a person approved it")];
    let mut snapshot = ctx.snapshot(&desk);
    records.extend(edit::awaken(ctx, &mut desk, &mut snapshot));
    ctx.commit(&mut desk, records)?;
    ctx.say(&desk, &format!("{id} is approved"));
    Ok(())
}
