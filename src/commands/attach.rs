//! `attach`: this session works on the plan, or the next one will.

use crate::commands::ctx::{Ctx, LATER};
use crate::error::{Failure, Result};
use crate::store::{Place, attach};

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let place = ctx.place_here().or_else(|_| ctx.place())?;
    if place.id.is_empty() {
        return legacy(ctx, &place);
    }
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    if let Some(why) = &snapshot.head_trouble {
        return Err(Failure::fault("the approval of this plan cannot be used", why.clone(), "steadfast doctor"));
    }
    let records = Vec::from_iter(ctx.attach(&mut desk, true)?);
    ctx.commit(&mut desk, records)?;
    let text = match &ctx.who {
        Some(_) if ctx.waits_for_a_hook(&place) => format!("attaching to {} {LATER}", place.id),
        Some((host, _)) => format!("this {} session is attached to {}", host.name, place.id),
        None => format!("the next session that starts here within 24 hours will be attached to {}", place.id),
    };
    ctx.say(&desk, &text);
    Ok(())
}

/// A plan in the project root has no run to attach to; its outline is shown to the session that asks for it.
fn legacy(ctx: &Ctx, place: &Place) -> Result<()> {
    let state = ctx.state_for(place)?;
    let Some((host, who)) = &ctx.who else {
        return Err(Failure::no(
            "a plan in the project root is shown only to a session that attaches itself",
            "it has no run that could wait for the next session",
            "steadfast init --from task_plan.md",
        ));
    };
    attach::bind_legacy(&state, place, who).map_err(|error| {
        Failure::fault("this session cannot be attached", format!("{}: {error}", state.display()), "steadfast doctor")
    })?;
    ctx.out.line(&format!(
        "this {} session is shown the outline of {}; it is never held by it",
        host.name,
        place.name()
    ));
    Ok(())
}
