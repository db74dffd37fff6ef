//! `use`: choose the plan in use.

use crate::commands::ctx::Ctx;
use crate::error::{Failure, Result};
use crate::store::locate::{self, Found, is_name};
use crate::store::{disk, layout};

pub(super) fn run(ctx: &Ctx, ids: &[String]) -> Result<()> {
    let [id] = ids else {
        return Err(Failure::usage(
            "one plan is in use at a time",
            "several ids are an order of work",
            format!("steadfast use --rank {}", ids.join(" ")),
        ));
    };
    if !is_name(id) {
        return Err(Failure::usage(
            "that is not the id of a plan",
            "an id has 1 to 64 letters, digits, dots, dashes and underscores",
            "steadfast plans",
        ));
    }
    let from = locate::From { pinned_id: Some(id.to_owned()), ..ctx.from() };
    let Found::Plan(place) = locate::find(&from) else {
        return Err(Failure::no(
            format!("there is no plan `{id}` here"),
            "no such directory lies in .planning",
            "steadfast plans",
        ));
    };
    ctx.may_leave(Some(&place))?;
    point(&place)?;
    if ctx.out.json {
        ctx.out.value(&serde_json::json!({ "plan": id, "dir": place.dir() }));
    } else {
        ctx.out.line(&format!("in use: {id}"));
    }
    Ok(())
}

/// Writes the pointer.
pub(super) fn point(place: &crate::store::Place) -> Result<()> {
    let planning = place.root.join(layout::PLANNING);
    disk::open_dir(&planning)
        .and_then(|dir| {
            disk::replace_at(&dir, layout::POINTER, format!("{}\n", place.id).as_bytes(), disk::Readers::All, false)
        })
        .map_err(|error| {
            Failure::fault(
                "the pointer could not be written",
                format!("{}: {error}", planning.display()),
                "steadfast doctor",
            )
        })
}
