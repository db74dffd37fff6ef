//! `attest --diff`: how the plan differs from what is approved.

use crate::commands::attest::{kind, proposed, refused};
use crate::commands::ctx::Ctx;
use crate::core::change::Change;
use crate::core::contract::Contract;
use crate::core::differences;
use crate::error::Result;
use crate::output::Style;
use crate::store::Place;

pub(super) fn run(ctx: &Ctx, place: &Place) -> Result<()> {
    let desk = Ctx::look(place)?;
    let snapshot = ctx.snapshot(&desk);
    if snapshot.plan.is_none() {
        return Err(refused(&place.file(), &[], &snapshot));
    }
    let (asked, _) = proposed(&desk, &snapshot, place)?;
    let old = snapshot.contract.clone().unwrap_or_else(|| Contract {
        v: asked.v,
        mode: asked.mode,
        gate: asked.gate,
        ..Contract::default()
    });
    let lines: Vec<String> = differences::differences(&old, &asked).iter().map(ToString::to_string).collect();
    let kind = kind(&old, &asked, &snapshot);
    if ctx.out.json {
        ctx.out.value(&serde_json::json!({ "plan": place.id, "change": word(kind), "differences": lines }));
        return Ok(());
    }
    if lines.is_empty() {
        ctx.out.line("the plan asks for what is approved");
        return Ok(());
    }
    print(ctx, &lines);
    ctx.out.line(match kind {
        Change::Weakens if snapshot.contract.is_some() => {
            "this takes something away or rewords it: only a person can approve it"
        }
        _ => "this only adds: steadfast attest",
    });
    Ok(())
}

pub(super) fn print(ctx: &Ctx, lines: &[String]) {
    for line in lines {
        let style = match line.chars().next() {
            Some('+') => Style::Green,
            Some('-') => Style::Red,
            _ => Style::Yellow,
        };
        ctx.out.line(&ctx.out.paint(style, line));
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Same => "same",
        Change::Extends => "extends",
        Change::Weakens => "weakens",
    }
}
