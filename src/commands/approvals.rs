//! `approvals`: what is approved on this machine, and removing what belongs to no plan any more.

use std::path::Path;

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::commands::{args, pause};
use crate::core::text::{first_chars, flatten};
use crate::error::{Failure, Result};
use crate::output::{Style, quote};
use crate::store::head::{self, Plan, Stored};
use crate::store::{Head, disk, layout};

/// The most characters of a goal in a line.
const GOAL: usize = 60;

pub(super) fn run(ctx: &Ctx, args: &args::Approvals) -> Result<()> {
    if args.prune {
        return prune(ctx);
    }
    let all = head::all(&ctx.state()?);
    if ctx.out.json {
        ctx.out.value(&json!({ "approvals": all.iter().map(value).collect::<Vec<_>>() }));
        return Ok(());
    }
    if all.is_empty() {
        ctx.out.line("nothing is approved on this machine");
    }
    for stored in &all {
        print(ctx, stored);
    }
    let gone = all.iter().filter(|stored| is_gone(stored)).count();
    if gone > 0 {
        ctx.out.line(&format!("plans that are gone: {gone}. To remove their approvals: steadfast approvals --prune"));
    }
    Ok(())
}

fn is_gone(stored: &Stored) -> bool {
    stored.trouble.is_none() && stored.head.as_ref().is_some_and(|head| Plan::look(&head.plan) == Plan::Gone)
}

/// The word for a head.
fn state(stored: &Stored) -> &'static str {
    match &stored.head {
        Some(head) if stored.trouble.is_none() => match head {
            head if head.revoked() => "revoked",
            head if head.is_draft() => "draft",
            _ => "approved",
        },
        _ => "damaged",
    }
}

fn value(stored: &Stored) -> serde_json::Value {
    let head = stored.head.as_ref();
    let last = head.and_then(|head| head.log.last());
    json!({
        "id": head.map(id), "dir": head.map(|head| &head.plan), "plan": head.map(|head| Plan::look(&head.plan).word()),
        "state": state(stored), "version": head.map(|head| head.version), "mode": head.map(|head| head.mode.word()),
        "goal": head.map(|head| flatten(&head.goal)), "by": last.map(|last| last.by.word()), "at": last.map(|last| &last.at),
        "head": stored.dir.join(layout::HEAD), "trouble": stored.trouble,
    })
}

fn id(head: &Head) -> String {
    head.plan.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn print(ctx: &Ctx, stored: &Stored) {
    let out = ctx.out;
    let plain = |text: &str| out.paint(Style::Plain, text);
    let (Some(head), None) = (&stored.head, &stored.trouble) else {
        let why = stored.trouble.as_deref().unwrap_or_default();
        let file = stored.dir.join(layout::HEAD);
        out.line(&format!("{} {}: {}", out.paint(Style::Red, "damaged"), plain(&shown(&file)), plain(why)));
        return;
    };
    let style = if state(stored) == "approved" { Style::Green } else { Style::Yellow };
    let last = head.log.last().map(|last| format!(" by {} {}", last.by.word(), plain(&last.at))).unwrap_or_default();
    let version = if head.is_draft() { String::new() } else { format!(" {}", head.version) };
    let goal = flatten(&head.goal);
    let place = match Plan::look(&head.plan) {
        Plan::Here => shown(&head.plan),
        Plan::Gone => format!("{} (gone)", shown(&head.plan)),
        Plan::Unknown => format!("{} (its project is not there)", shown(&head.plan)),
    };
    out.line(&format!(
        "{}{version}{last}, {}: {}",
        out.paint(style, state(stored)),
        head.mode.word(),
        out.paint(Style::Bold, first_chars(&goal, GOAL)),
    ));
    out.line(&format!("  {}", out.paint(Style::Dim, &place)));
}

/// A plan that was moved away for a moment would lose its approval, so a person says when.
fn prune(ctx: &Ctx) -> Result<()> {
    pause::only_a_person(ctx, "approvals --prune")?;
    let (gone, rest): (Vec<Stored>, Vec<Stored>) = head::all(&ctx.state()?).into_iter().partition(is_gone);
    for stored in &gone {
        disk::remove_tree(&stored.dir).map_err(|error| {
            Failure::fault(
                format!("{} could not be removed", shown(&stored.dir)),
                error.to_string(),
                format!("rm -r -- {}", quote(&shown(&stored.dir))),
            )
        })?;
    }
    let plans = |list: &[Stored]| -> Vec<String> {
        list.iter().filter_map(|stored| Some(shown(&stored.head.as_ref()?.plan))).collect()
    };
    // Of these nothing is certain, so each is left to the person.
    let doubtful: Vec<&Stored> = rest
        .iter()
        .filter(|stored| {
            stored.trouble.is_some() || stored.head.as_ref().is_some_and(|head| Plan::look(&head.plan) == Plan::Unknown)
        })
        .collect();
    if ctx.out.json {
        let kept: Vec<_> = doubtful.iter().map(|stored| value(stored)).collect();
        ctx.out.value(&json!({ "removed": plans(&gone), "doubtful": kept }));
        return Ok(());
    }
    for plan in plans(&gone) {
        ctx.out.plain(&format!("removed the approval of {plan}"));
    }
    for stored in &doubtful {
        let plan = stored.head.as_ref().map_or_else(|| shown(&stored.dir), |head| shown(&head.plan));
        let why = stored.trouble.as_deref().unwrap_or("its project is not there, or cannot be looked into");
        ctx.out.plain(&format!("kept {plan}: {why}. To remove it: rm -r -- {}", quote(&shown(&stored.dir))));
    }
    if gone.is_empty() {
        ctx.out.line("no plan is gone: nothing to remove");
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
