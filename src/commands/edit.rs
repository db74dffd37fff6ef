//! Changing statuses and boxes in the plan file, byte for byte, under the lock.

use crate::commands::ctx::Ctx;
use crate::core::ledger::Record;
use crate::core::plan::{Status, StepState};
use crate::core::view::{PhaseView, View, step_matches};
use crate::core::{next, plan_edit, plan_read};
use crate::error::{Failure, Result};
use crate::store::disk::Read;
use crate::store::{Desk, Snapshot};

/// The phase that is meant: by id, by number, or the one in progress.
pub(super) fn phase<'a>(view: &'a View, name: Option<&str>) -> Result<&'a PhaseView> {
    let ids = || view.phases.iter().map(|p| p.id.as_str()).collect::<Vec<_>>().join(", ");
    match name {
        Some(name) => view.find(name).ok_or_else(|| {
            Failure::no(
                format!("there is no phase `{name}`"),
                format!("the approved phases are {}", ids()),
                "steadfast status",
            )
        }),
        None => view.current().ok_or_else(|| {
            let next = next::next(view);
            let fix = if next.command.is_empty() { "steadfast status".to_owned() } else { next.command };
            Failure::no("no phase is in progress", format!("name one of {}, or start one", ids()), fix)
        }),
    }
}

/// Writes a status into the plan file. A phase that is no longer in the file is only recorded.
pub(super) fn status(desk: &Desk, id: &str, status: Status) -> Result<()> {
    change(desk, |bytes, plan| {
        let Some(index) = plan.phases.iter().position(|p| p.id.as_deref() == Some(id)) else {
            return Ok(bytes.to_vec());
        };
        plan_edit::set_status(bytes, plan, index, status).map_err(|e| e.to_string())
    })
}

/// Sets the box of an approved step in the plan file.
pub(super) fn step(desk: &Desk, id: &str, text: &str, state: StepState) -> Result<()> {
    change(desk, |bytes, plan| {
        let index =
            plan.phases.iter().position(|p| p.id.as_deref() == Some(id)).ok_or("the phase is not in the plan file")?;
        let phase = plan.phases.get(index).ok_or("the phase is not in the plan file")?;
        let at =
            phase.steps.iter().position(|s| step_matches(&s.text, text)).ok_or("the step is not in the plan file")?;
        plan_edit::set_step(bytes, plan, index, at, state).map_err(|e| e.to_string())
    })
}

/// Reads, changes and replaces the plan file. An editor that does not know the lock may write in between: the file is
/// compared last of all, just before it is replaced, and the change is made again on what is there then.
pub(super) fn change(
    desk: &Desk,
    make: impl Fn(&[u8], &crate::core::plan::Plan) -> std::result::Result<Vec<u8>, String>,
) -> Result<()> {
    for _ in 0..20 {
        let read = desk.plan();
        if let Read::Failed(error) = &read {
            // What stands there may be good: it is not taken for a file that says nothing.
            return Err(Failure::fault(
                format!("{} could not be read", desk.place.file()),
                error.to_string(),
                "steadfast doctor",
            ));
        }
        let trouble = read.trouble();
        let bytes = read.bytes().unwrap_or_default();
        let changed = make(&bytes, &plan_read::read(&bytes)).map_err(|why| {
            let why = trouble.unwrap_or(why);
            Failure::no("the plan file could not be changed", why, format!("${{EDITOR:-vi}} {}", desk.place.file()))
        })?;
        if changed == bytes {
            return Ok(());
        }
        let replaced = desk.replace_plan(&bytes, &changed).map_err(|error| {
            Failure::fault(format!("{} could not be written", desk.place.file()), error.to_string(), "steadfast doctor")
        })?;
        if replaced {
            return Ok(());
        }
    }
    Err(Failure::no(
        "the plan file keeps changing",
        "another program writes it at the same time",
        "steadfast status  # when the other program is done",
    ))
}

/// Opens the next ready phase of a gated run where none is in progress. Gives its id.
pub(super) fn open_next(desk: &mut Desk, snapshot: &Snapshot) -> Result<Option<String>> {
    desk.open_next(snapshot).map_err(|error| {
        Failure::fault(format!("{} could not be written", desk.place.file()), error.to_string(), "steadfast doctor")
    })
}

/// Makes ready what need not wait any longer, so that a verb judges by what is so now. Records of it, to be committed.
pub(super) fn awaken(ctx: &Ctx, desk: &mut Desk, snapshot: &mut Snapshot) -> Vec<Record> {
    if desk.run.paused {
        return Vec::new();
    }
    let woken = desk.awaken(snapshot, ctx.world.now(), &|_| false);
    if !woken.is_empty() {
        *snapshot = ctx.snapshot(desk);
    }
    woken.iter().map(|woken| ctx.record("wake", &woken.phase, &woken.evidence)).collect()
}

/// Attaches, opens the next phase, raises the mark, and records: the end of every verb that ends a phase.
pub(super) fn settle(ctx: &Ctx, desk: &mut Desk, record: Record) -> Result<()> {
    let mut records = Vec::from_iter(ctx.attach(desk, false)?);
    records.push(record);
    let snapshot = ctx.snapshot(desk);
    desk.raise(&snapshot.view);
    if let Some(opened) = open_next(desk, &snapshot)? {
        records.push(ctx.record("phase_start", &opened, "opened after the last one"));
    }
    ctx.commit(desk, records)
}
