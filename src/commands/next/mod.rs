//! `next`: what comes next.

mod all;

use crate::commands::args::Next;
use crate::commands::ctx::Ctx;
use crate::commands::render;
use crate::core::next;
use crate::error::Result;
use crate::store::awaken::Woken;
use crate::store::{Desk, Snapshot};

pub(super) fn run(ctx: &Ctx, args: &Next) -> Result<()> {
    if args.all {
        return all::run(ctx);
    }
    let place = ctx.place()?;
    let desk = Ctx::look(&place)?;
    let (snapshot, _) = ahead(ctx, &desk);
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

/// One look at a plan in which what need not wait any longer is ready, and what that is. Nothing of it is recorded.
fn ahead(ctx: &Ctx, desk: &Desk) -> (Snapshot, Vec<Woken>) {
    let mut snapshot = ctx.snapshot(desk);
    let over = if desk.run.paused { Vec::new() } else { snapshot.over(&desk.place.root, ctx.world.now(), &|_| false) };
    snapshot.awake(&over);
    (snapshot, over)
}
