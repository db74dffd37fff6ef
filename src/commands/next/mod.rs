//! `next`: what comes next.

mod all;

use crate::commands::args::Next;
use crate::commands::ctx::Ctx;
use crate::commands::render;
use crate::core::next;
use crate::error::Result;

pub(super) fn run(ctx: &Ctx, args: &Next) -> Result<()> {
    if args.all {
        return all::run(ctx);
    }
    let place = ctx.place()?;
    let desk = Ctx::look(&place)?;
    let mut snapshot = ctx.snapshot(&desk);
    if !desk.run.paused {
        let woken = snapshot.over(&place.root, ctx.world.now(), &|_| false);
        snapshot.awake(&woken);
    }
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
