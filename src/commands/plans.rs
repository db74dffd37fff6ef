//! `plans`: the plans of this project.

use std::path::PathBuf;

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::store::locate::{self, Found};
use crate::store::{Desk, Place, priorities};

/// Where the plans of this project lie.
pub(super) fn root(ctx: &Ctx) -> Result<Option<PathBuf>> {
    match locate::find(&locate::From { pinned_id: None, ..ctx.from() }) {
        Found::Plan(place) => Ok(Some(place.root)),
        Found::Several(root, _) => Ok(Some(root)),
        Found::None => Ok(None),
        Found::BrokenPin(why) => Err(Failure::no("the plan that was named is not here", why, "unset PWF_PLAN_ROOT")),
    }
}

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let root = root(ctx)?;
    let mut rows = Vec::new();
    let order = root.as_deref().map(priorities::confirmed).unwrap_or_default();
    let proposed = root.as_deref().and_then(priorities::proposed);
    if let Some(root) = &root {
        let pointed = locate::pointer(root);
        for id in locate::list(root, 10_000) {
            let place = Place { root: root.clone(), id: id.clone() };
            let Ok(desk) = Desk::look(&place) else { continue };
            let snapshot = ctx.snapshot(&desk);
            let total = snapshot.view.phases.len();
            let done = snapshot.view.count(crate::core::plan::Status::Complete);
            let mode = snapshot.head.as_ref().map_or("plain", |h| h.mode.word());
            rows.push((pointed.as_deref() == Some(id.as_str()), id, mode, snapshot.attestation.word(), done, total));
        }
    }
    if ctx.out.json {
        let plans: Vec<_> = rows
            .iter()
            .map(|(used, id, mode, word, done, total)| json!({ "id": id, "in_use": used, "rank": rank(&order, id), "mode": mode, "attestation": word, "complete": done, "total": total }))
            .collect();
        ctx.out.value(&json!({ "plans": plans, "proposed_order": proposed }));
        return Ok(());
    }
    if rows.is_empty() {
        ctx.out.line("no plans here. Make one: steadfast init --gated \"what is to be done\"");
    }
    for (used, id, mode, word, done, total) in &rows {
        let mark = if *used { "*" } else { " " };
        let name = ctx.out.paint(if *used { Style::Bold } else { Style::Plain }, id);
        let rank = rank(&order, id).map(|rank| format!(", rank {rank}")).unwrap_or_default();
        ctx.out.line(&format!("{mark} {name}  {done}/{total}  {mode}, {word}{rank}"));
    }
    if let Some(proposed) = proposed {
        let text = format!("an agent proposes this order: {}; to confirm: steadfast use --rank", proposed.join(", "));
        ctx.out.plain(&text);
    }
    Ok(())
}

/// The place of a plan in the order of work, from 1.
fn rank(order: &[String], id: &str) -> Option<usize> {
    order.iter().position(|other| other == id).map(|at| at + 1)
}
