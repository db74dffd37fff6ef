//! Whether commands may be run here: whose they are.

use crate::commands::ctx::Ctx;
use crate::core::contract::{ContractPhase, digest};
use crate::core::tools;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::store::{Desk, Snapshot};

/// A command that no person approved runs only inside the attached session, whose agent wrote it, and not in a phase that keeps it
/// from a shell. Anybody else is shown it first.
pub(super) fn consent(ctx: &Ctx, desk: &Desk, snapshot: &Snapshot, phases: &[&ContractPhase], ask: bool) -> Result<()> {
    let attached = ctx.who.as_ref().is_some_and(|(_, who)| who.key() == desk.run.owner);
    let fence = tools::no_shell(&snapshot.view).filter(|_| attached);
    if attached && fence.is_none() {
        return Ok(());
    }
    let approved = snapshot.head.as_ref().map(|h| h.person_commands.as_slice()).unwrap_or_default();
    let strange: Vec<&str> = phases
        .iter()
        .flat_map(|p| &p.checks)
        .filter(|c| !approved.contains(&digest(c.as_bytes())))
        .map(String::as_str)
        .collect();
    if strange.is_empty() {
        return Ok(());
    }
    if let Some(fence) = fence {
        return Err(Failure::no(
            format!("phase `{}` names its tools, and a shell is none of them", fence.phase),
            format!("no person approved these commands: {}", strange.join("; ")),
            "steadfast attest  # typed by the user, in a terminal: then its commands count as theirs",
        ));
    }
    if ctx.who.is_some() {
        return Err(Failure::no(
            "these commands were approved in another session",
            strange.join("; "),
            "steadfast attach  # to work on the plan in this session",
        ));
    }
    if !(ask && ctx.world.can_ask()) {
        return Err(Failure::no(
            "these commands were approved by an agent, not by a person",
            strange.join("; "),
            "steadfast attest  # in a terminal: with your code its commands count as your own",
        ));
    }
    ctx.out.aside("These commands were approved by an agent, not by a person:");
    for command in &strange {
        ctx.out.aside(&format!("  {}", ctx.out.paint(Style::Cyan, command)));
    }
    let typed = ctx.world.ask("run them? type yes: ").unwrap_or_default();
    if typed.trim() == "yes" {
        return Ok(());
    }
    Err(Failure::no(
        "nothing was run",
        "the commands were not agreed to",
        "steadfast attest  # in a terminal: with your code its commands count as your own",
    ))
}
