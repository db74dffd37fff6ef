//! `check`: run the commands that decide whether a phase is done, and record the proof.

use std::time::Duration;

use crate::commands::args::Check;
use crate::commands::ctx::Ctx;
use crate::commands::prove::{Way, demand, prove};
use crate::commands::{edit, hand_off};
use crate::core::plan::Status;
use crate::error::Result;

pub(super) fn run(ctx: &Ctx, args: &Check) -> Result<()> {
    let place = ctx.place()?;
    let snapshot = {
        let desk = Ctx::look(&place)?;
        ctx.snapshot(&desk)
    };
    Ctx::approved(&snapshot)?;
    let ids: Vec<String> = if args.all {
        // What was not begun has nothing to show yet.
        let begun = |s: Status| !matches!(s, Status::Pending | Status::Skipped);
        snapshot.view.phases.iter().filter(|p| p.needs_proof && begun(p.status)).map(|p| p.id.clone()).collect()
    } else {
        let phase = edit::phase(&snapshot.view, args.phase.as_deref())?;
        if !phase.needs_proof {
            let desk = Ctx::look(&place)?;
            ctx.say(&desk, &format!("{} has no check", phase.id));
            return Ok(());
        }
        vec![phase.id.clone()]
    };
    if ids.is_empty() {
        let desk = Ctx::look(&place)?;
        ctx.say(&desk, "nothing to check: no phase that has a check was begun");
        return Ok(());
    }
    let way = Way { ask: !args.yes, again: args.again, reuse: false };
    let results = prove(ctx, &place, &ids, Duration::from_secs(args.timeout.max(1)), way)?;
    hand_off::word_missing(ctx, &place, &results)?;
    demand(&results)?;
    let desk = Ctx::look(&place)?;
    ctx.say(&desk, &format!("checks passed: {}", ids.join(", ")));
    Ok(())
}
