//! `wake`: looks at what all plans known here wait for, and makes ready what need not wait any longer. For cron, a timer or a
//! loop; exit code 1 where nothing woke.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::core::contract::{Contract, digest};
use crate::core::plan::Status;
use crate::core::text::flatten;
use crate::core::wait::Condition;
use crate::error::{Failure, Result};
use crate::output::quote;
use crate::store::desk::Found;
use crate::store::head::{self, Plan, Stored};
use crate::store::state_dir::{self, Depth};
use crate::store::{Desk, Head, Place, Snapshot, wakes};
use crate::world::run::{End, shell};

/// The most a command may take.
const LIMIT: Duration = Duration::from_secs(300);

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let state = ctx.state()?;
    let mut woken = Vec::new();
    for stored in head::all(&state) {
        // One plan that cannot be looked at keeps no other from waking.
        if let Some(found) = one(ctx, &state, &stored) {
            woken.extend(found);
        }
    }
    // What a person types is no service.
    if !ctx.person()
        && let Err(error) = wakes::note(&state, ctx.world.now())
    {
        ctx.out.aside(&format!("steadfast: that wake ran cannot be noted: {error}"));
    }
    if ctx.out.json {
        ctx.out.value(&json!({ "woken": woken.iter().map(Line::value).collect::<Vec<_>>() }));
    } else {
        for line in &woken {
            ctx.out.line(&line.text());
        }
    }
    if woken.is_empty() {
        return Err(Failure::no("", "", ""));
    }
    Ok(())
}

struct Line {
    place: Place,
    phase: String,
    title: String,
    evidence: String,
    host: String,
}

impl Line {
    fn value(&self) -> serde_json::Value {
        json!({ "plan": self.place.id, "dir": self.place.dir(), "phase": self.phase, "evidence": self.evidence, "command": self.command() })
    }

    fn command(&self) -> String {
        format!(
            "cd {} && PLAN_ID={} steadfast run {} -p continue",
            quote(&self.place.root.display().to_string()),
            self.place.id,
            self.host
        )
    }

    fn text(&self) -> String {
        format!(
            "{}: phase {} ({}) is ready: {}\n  go on: {}",
            self.place.id,
            self.phase,
            flatten(&self.title),
            flatten(&self.evidence),
            self.command()
        )
    }
}

/// Wakes one plan. `None` where it cannot be looked at, or has nothing that waits.
fn one(ctx: &Ctx, state: &Path, stored: &Stored) -> Option<Vec<Line>> {
    let head = stored.head.as_ref().filter(|_| {
        stored.trouble.is_none() && stored.head.as_ref().is_some_and(|h| Plan::look(&h.plan) == Plan::Here)
    })?;
    let place =
        Place { root: head.plan.parent()?.parent()?.to_path_buf(), id: head.plan.file_name()?.to_str()?.to_owned() };
    state_dir::outside(state, &place.root, ctx.world.home().as_deref(), Depth::Repository).ok()?;
    let look = Desk::look(&place).ok().filter(|desk| desk.found == Found::Whole && !desk.run.paused)?;
    let before = Snapshot::take(Some(state), &look);
    if !before.view.phases.iter().any(|p| p.status == Status::Waiting) {
        return None;
    }
    // Commands run without the lock: hooks need it.
    let passed = commands(ctx, &place, head, before.contract.as_ref()?, &before);
    drop(look);
    let mut desk = Desk::verb(&place).ok().filter(|desk| desk.found == Found::Whole)?;
    let now = Snapshot::take(Some(state), &desk);
    if now.contract != before.contract {
        return None;
    }
    let woken = desk.awaken(&now, ctx.world.now(), &|command| passed.contains(command));
    if woken.is_empty() {
        return None;
    }
    let mut records = Vec::new();
    for woken in &woken {
        let mut record = ctx.record("wake", &woken.phase, &woken.evidence);
        record.data = json!({ "by": "wake" });
        records.push(record);
    }
    let after = Snapshot::take(Some(state), &desk);
    let number = woken.first().and_then(|w| after.view.find(&w.phase)).map_or(0, |p| p.number);
    desk.run.woke = u32::try_from(number).unwrap_or(0);
    if let Ok(Some(id)) = desk.open_next(&after) {
        records.push(ctx.record("phase_start", &id, "opened by wake"));
    }
    if let Err(error) = desk.append("wake", &mut records).and_then(|()| desk.save()) {
        ctx.out.aside(&format!("steadfast: {} woke, which cannot be recorded: {error}", place.id));
        return None;
    }
    let host = crate::store::attach::owner(state, &desk).map(|s| s.host);
    let program = host.and_then(|id| crate::hosts::find(&id)).map_or("claude", |h| h.program);
    let title = |id: &str| after.view.find(id).map(|p| p.title.clone()).unwrap_or_default();
    let lines = woken.into_iter().map(|w| Line {
        place: place.clone(),
        title: title(&w.phase),
        phase: w.phase,
        evidence: w.evidence,
        host: program.to_owned(),
    });
    Some(lines.collect())
}

/// Runs the commands that ready phases wait for, where a person approved them. Others are named and not run.
fn commands(ctx: &Ctx, place: &Place, head: &Head, contract: &Contract, snapshot: &Snapshot) -> BTreeSet<String> {
    let mut passed = BTreeSet::new();
    let mut known = BTreeSet::new();
    for phase in snapshot.view.phases.iter().filter(|p| p.status == Status::Waiting && p.run.wait.is_none()) {
        let settled =
            phase.depends_on.iter().all(|d| snapshot.view.find(d).is_some_and(crate::core::view::PhaseView::settled));
        let asked = contract.phase(&phase.id).filter(|_| settled);
        for text in asked.iter().flat_map(|p| &p.waits_for) {
            let Ok(Condition::Command(command)) = Condition::parse(text) else { continue };
            if !known.insert(command.clone()) {
                continue;
            }
            if !head.person_commands.contains(&digest(command.as_bytes())) {
                ctx.out.aside(&format!(
                    "steadfast: {} waits for a command that no person approved, so it was not run: {}",
                    place.id,
                    crate::output::clean(&command)
                ));
                continue;
            }
            let ran = shell(&command, &place.root, &[], LIMIT, &mut |_, _| {});
            if ran.is_ok_and(|outcome| outcome.end == End::Exit(0)) {
                passed.insert(command);
            }
        }
    }
    passed
}
