//! `next`: what comes next.

use crate::commands::ctx::Ctx;
use crate::commands::render;
use crate::core::next;
use crate::error::Result;

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let place = ctx.place()?;
    let desk = Ctx::look(&place)?;
    let snapshot = ctx.snapshot(&desk);
    if snapshot.contract.is_none() && snapshot.head.is_some() {
        let text = format!("write the phases into {}", place.file());
        if ctx.out.json {
            let why = "nothing is approved yet";
            ctx.out.value(&serde_json::json!({ "kind": "plan", "phase": null, "step": null, "why": why, "command": "steadfast attest" }));
        } else {
            ctx.out.line(&format!("next: {text}, then: steadfast attest"));
        }
        return Ok(());
    }
    let next = next::next(&snapshot.view);
    if ctx.out.json {
        ctx.out.value(&render::next_json(&snapshot.view, &next));
    } else {
        ctx.out.line(&render::next_line(ctx.out, &snapshot.view, &next));
    }
    Ok(())
}
