//! `use --rank`: the order in which the plans of this project are worked on. An agent proposes, a person confirms.

use std::path::Path;

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::commands::plans;
use crate::error::{Failure, Result};
use crate::store::{locate, priorities};

pub(super) fn run(ctx: &Ctx, ids: &[String]) -> Result<()> {
    let Some(root) = plans::root(ctx)? else {
        // Says what to do where there is none.
        return ctx.place_here().map(|_| ());
    };
    known(&root, ids)?;
    if ids.is_empty() {
        return show(ctx, &root);
    }
    if ctx.person() {
        priorities::confirm(&root, ids).map_err(|error| unwritten(&error))?;
        return said(ctx, &root, &format!("the order of work: {}", ids.join(", ")));
    }
    priorities::propose(&root, ids).map_err(|error| unwritten(&error))?;
    said(ctx, &root, "proposed; it counts once the user confirms it in a terminal: steadfast use --rank")
}

fn unwritten(error: &std::io::Error) -> Failure {
    Failure::fault("the order could not be written", error.to_string(), "steadfast doctor")
}

/// Every id names a plan, once.
fn known(root: &Path, ids: &[String]) -> Result<()> {
    let here = locate::list(root, 10_000);
    for (at, id) in ids.iter().enumerate() {
        if !here.contains(id) {
            return Err(Failure::no(
                format!("there is no plan `{}` here", crate::output::clean(id)),
                "an order of work names plans of this project",
                "steadfast plans",
            ));
        }
        if ids.iter().take(at).any(|other| other == id) {
            return Err(Failure::usage(
                format!("`{id}` stands twice"),
                "a plan has one place in the order of work",
                "steadfast plans",
            ));
        }
    }
    Ok(())
}

/// Shows the order, and asks the person about the one that was proposed.
fn show(ctx: &Ctx, root: &Path) -> Result<()> {
    let Some(mut proposed) = priorities::proposed(root).filter(|_| !ctx.out.json && ctx.person()) else {
        return said(ctx, root, "");
    };
    // Nothing but plans of this project is confirmed, whoever wrote the file.
    let here = locate::list(root, 10_000);
    proposed.retain(|id| here.contains(id));
    said(ctx, root, "")?;
    let typed = ctx.world.ask("to confirm the proposed order, type yes: ").unwrap_or_default();
    if typed.trim() != "yes" {
        return Err(Failure::no("the order stays as it was", "yes was not typed", "steadfast use --rank"));
    }
    priorities::confirm(root, &proposed).map_err(|error| unwritten(&error))?;
    said(ctx, root, "confirmed")
}

fn said(ctx: &Ctx, root: &Path, text: &str) -> Result<()> {
    let (order, proposed) = (priorities::confirmed(root), priorities::proposed(root));
    if ctx.out.json {
        ctx.out.value(&json!({ "order": order, "proposed": proposed, "said": text }));
        return Ok(());
    }
    if !text.is_empty() {
        ctx.out.line(text);
        return Ok(());
    }
    let list = |ids: &[String]| if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
    ctx.out.plain(&format!("order: {}", list(&order)));
    if let Some(proposed) = proposed {
        ctx.out.plain(&format!("proposed: {}", list(&proposed)));
    }
    Ok(())
}
