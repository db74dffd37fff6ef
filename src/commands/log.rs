//! `log`: a line in the ledger; with `--verify`, whether the ledgers are whole.

use crate::commands::args::Log;
use crate::commands::ctx::Ctx;
use crate::commands::verify;
use crate::core::ledger::HANDOFFS;
use crate::error::{Failure, Result};
use crate::store::locate::is_name;

const EVENTS: [&str; 5] = ["progress", "note", "error", "decision", HANDOFF];
const HANDOFF: &str = "handoff";

pub(super) fn run(ctx: &Ctx, args: &Log) -> Result<()> {
    if args.verify {
        return verify::run(ctx);
    }
    let (event, summary) = (args.event.as_deref().unwrap_or_default(), args.summary.as_deref().unwrap_or_default());
    if !EVENTS.contains(&event) {
        return Err(Failure::usage(
            format!("`{}` is not an event that is logged by hand", crate::output::clean(event)),
            format!("it is one of {}", EVENTS.join(", ")),
            format!(
                "steadfast log note \"{}\"",
                crate::output::clean(summary).replace(['"', '`', '$', '\\', '\n'], " ")
            ),
        ));
    }
    if args.status.is_some() != (event == HANDOFF) {
        return Err(Failure::usage(
            if args.status.is_some() { "only a handoff has a status" } else { "a handoff says how far the work is" },
            format!("`log {HANDOFF}` has --status with one of {}", HANDOFFS.join(", ")),
            format!("steadfast log {HANDOFF} --status needs_input \"...\""),
        ));
    }
    let agent = args.agent.as_deref().unwrap_or_else(|| ctx.agent());
    if !is_name(agent) {
        return Err(Failure::usage(
            "that is not the name of an agent",
            "a name has 1 to 64 letters, digits, dots, dashes and underscores",
            "--agent helper-1",
        ));
    }
    let place = ctx.place()?;
    // An append looks at no other file, however many there are.
    let mut desk = ctx.open(&place)?;
    let mut record = ctx.record(event, args.phase.as_deref().unwrap_or_default(), summary);
    record.files.clone_from(&args.files);
    if let Some(status) = &args.status {
        record.data = serde_json::json!({ "status": status });
    }
    let mut records = [record];
    desk.append(agent, &mut records)
        .and_then(|()| desk.save())
        .map_err(|error| Failure::fault("the line was not written", error.to_string(), "steadfast doctor"))?;
    let tick = records.first().map_or(0, |r| r.tick);
    if ctx.out.json {
        ctx.out.value(&serde_json::json!({ "tick": tick, "agent": agent, "event": event }));
    } else {
        ctx.out.line(&format!("logged {event} as tick {tick}"));
    }
    Ok(())
}
