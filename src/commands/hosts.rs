//! `hosts`: what each host lets a hook do.

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::error::Result;
use crate::hosts::HOSTS;

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    if ctx.out.json {
        let hosts: Vec<_> = HOSTS
            .iter()
            .map(|h| {
                let a = &h.abilities;
                json!({ "id": h.id, "name": h.name, "inject": a.inject, "hold": a.hold, "host_cap": a.host_cap, "context_limit": a.context_limit, "guard": a.guard, "wakes": a.wakes, "by_hand": h.by_hand })
            })
            .collect();
        ctx.out.value(&json!({ "hosts": hosts }));
        return Ok(());
    }
    for host in HOSTS {
        let a = &host.abilities;
        ctx.out.line(&format!("{}  ({})", host.id, host.name));
        ctx.out.line(&format!("  injects at   {}", a.inject));
        let cap = a.host_cap.map_or_else(|| "none".to_owned(), |n| format!("{n} in a row"));
        ctx.out.line(&format!("  holds by     {} (the host's own limit: {cap})", a.hold));
        ctx.out.line(&format!(
            "  guards       {}",
            if a.guard { "the plan, the approvals and its own hooks" } else { "nothing" }
        ));
        ctx.out.line(&format!(
            "  wakes        {}",
            if a.wakes { "a session that waits, by a hook that sleeps beside it" } else { "nothing" }
        ));
        ctx.out.line(&format!("  text limit   {}", a.context_limit));
        ctx.out.line(&match host.by_hand {
            Some(how) => format!("  hooks        by hand: {how}"),
            None => format!("  hooks        steadfast install {}", host.id),
        });
    }
    Ok(())
}
