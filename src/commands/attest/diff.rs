//! `attest --diff`: how the plan differs from what is approved.

use serde_json::json;

use crate::commands::attest::{proposed, refused};
use crate::commands::ctx::Ctx;
use crate::core::change::Change;
use crate::core::contract::Contract;
use crate::core::differences::{self, Difference, Sign};
use crate::error::Result;
use crate::output::Style;
use crate::store::Place;

pub(super) fn run(ctx: &Ctx, place: &Place) -> Result<()> {
    let desk = Ctx::look(place)?;
    let snapshot = ctx.snapshot(&desk);
    if snapshot.plan.is_none() {
        return Err(refused(&place.file(), &[], &snapshot));
    }
    let (asked, kind) = proposed(&desk, &snapshot, place)?;
    let old = snapshot.contract.clone().unwrap_or_else(|| Contract {
        v: asked.v,
        mode: asked.mode,
        gate: asked.gate,
        ..Contract::default()
    });
    // Against nothing everything is new.
    let change = kind.unwrap_or(Change::Extends);
    let person = match kind {
        Some(kind) => kind == Change::Weakens,
        None => !snapshot.head.as_ref().is_some_and(|head| head.made_here),
    };
    if ctx.out.json {
        ctx.out.value(&json!({
            "plan": place.id, "version": snapshot.head.as_ref().map_or(0, |head| head.version), "change": word(change),
            "needs_person": person, "differences": differences::values(&old, &asked),
        }));
        return Ok(());
    }
    if change == Change::Same {
        ctx.out.line("the plan asks for what is approved");
        return Ok(());
    }
    list(ctx, &differences::differences(&old, &asked), "");
    ctx.out.line(match kind {
        None if person => "nothing of this plan is approved here, so a person has to approve it: steadfast attest",
        Some(Change::Weakens) => "this takes something away or rewords it: only a person can approve it",
        _ => "this only adds: steadfast attest",
    });
    Ok(())
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Same => "same",
        Change::Extends => "extends",
        Change::Weakens => "weakens",
    }
}

/// Prints differences phase by phase. On a terminal each phase has a heading and nothing is left out; elsewhere each line
/// names its phase, and of a new phase the parts are only counted: whoever reads there has the plan file at hand.
pub(super) fn list(ctx: &Ctx, differences: &[Difference], indent: &str) {
    let out = ctx.out;
    for group in differences.chunk_by(|a, b| a.phase().is_some() && a.phase() == b.phase()) {
        let Some((first, rest)) = group.split_first() else { continue };
        let whole = matches!(first, Difference::PhaseAdded { .. } | Difference::PhaseRemoved { .. });
        if !(out.terminal || out.colour) {
            if whole && !rest.is_empty() {
                out.plain(&format!("{indent}{first} ({} more in it)", rest.len()));
            } else {
                for difference in group {
                    out.plain(&format!("{indent}{difference}"));
                }
            }
            continue;
        }
        let phase = first.phase().unwrap_or_default();
        if whole {
            let sign = if first.sign() == Sign::Plus { '+' } else { '-' };
            out.line(&format!("{indent}{}", out.paint(style(first), &format!("{sign} {phase}: {}", first.bare()))));
        } else if !phase.is_empty() {
            out.line(&format!("{indent}{}", out.paint(Style::Bold, phase)));
        }
        let deeper = if phase.is_empty() { "" } else { "  " };
        for difference in if whole { rest } else { group } {
            out.line(&format!("{indent}{deeper}{}", out.paint(style(difference), &difference.bare())));
        }
    }
}

fn style(difference: &Difference) -> Style {
    match difference.sign() {
        Sign::Plus => Style::Green,
        Sign::Minus => Style::Red,
        Sign::Tilde => Style::Yellow,
    }
}

/// Prints lines that were composed already, in the colour of their first sign.
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
