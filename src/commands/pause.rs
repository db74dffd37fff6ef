//! `pause` and `resume`: a paused run holds nobody.

use crate::commands::ctx::Ctx;
use crate::error::{Failure, Result};
use crate::hosts;

pub(super) fn run(ctx: &Ctx, pause: bool) -> Result<()> {
    only_a_person(ctx, if pause { "pause" } else { "resume" })?;
    let place = ctx.place()?;
    let mut desk = ctx.desk(&place)?;
    if desk.run.paused == pause {
        ctx.say(&desk, if pause { "the run is paused already" } else { "the run is not paused" });
        return Ok(());
    }
    desk.run.paused = pause;
    let record = ctx.record(if pause { "pause" } else { "resume" }, "", "by a person");
    ctx.commit(&mut desk, vec![record])?;
    ctx.say(
        &desk,
        if pause {
            "paused: every stop is let go. Go on: steadfast resume"
        } else {
            "resumed: the gate judges stops again"
        },
    );
    Ok(())
}

/// An agent that could do this would hold its own keys.
pub(super) fn only_a_person(ctx: &Ctx, verb: &str) -> Result<()> {
    if ctx.person() {
        return Ok(());
    }
    let inside = hosts::inside(&|name| ctx.world.var(name));
    Err(for_a_person(verb, inside, &format!("steadfast {verb}")))
}

/// The refusal of a verb that is a person's; `command` is what they type.
pub(super) fn for_a_person(verb: &str, inside: bool, command: &str) -> Failure {
    Failure::no(
        format!("`{verb}` is for the person, not for the agent"),
        if inside {
            "this shell belongs to an agent's session"
        } else {
            "nobody sits at this shell: it has no terminal"
        },
        format!("{command}  # typed by the user, in a terminal"),
    )
}
