//! `next`: what comes next.

use crate::commands::ctx::Ctx;
use crate::commands::render;
use crate::core::next;
use crate::error::Result;

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let place = ctx.place()?;
    let desk = Ctx::look(&place)?;
    let snapshot = ctx.snapshot(&desk);
    let next = next::next(&snapshot.view);
    if !ctx.out.json {
        ctx.out.line(&render::ahead(ctx.out, &place, &snapshot, &next));
    } else if snapshot.contract.is_some() {
        ctx.out.value(&render::next_json(&snapshot.view, &next));
    } else {
        let why = "nothing is approved yet";
        ctx.out.value(&serde_json::json!({ "kind": "plan", "phase": null, "step": null, "why": why, "command": "steadfast attest" }));
    }
    Ok(())
}
