//! `check`: run the commands that decide whether a phase is done, and record the proof.

use std::path::{Component, Path};
use std::time::Duration;

use serde_json::json;

use crate::commands::args::Check;
use crate::commands::ctx::Ctx;
use crate::commands::edit;
use crate::core::contract::{ContractPhase, digest};
use crate::core::plan::Status;
use crate::core::run::{Proof, phase_key};
use crate::error::{Failure, Result};
use crate::output::{Style, clean};
use crate::store::{Desk, Place, Snapshot, disk, layout};
use crate::world::run::{End, shell};

/// The most a command may take.
pub(super) const LIMIT: Duration = Duration::from_secs(600);
/// Lines of a failed command that are shown off a terminal.
const SHOWN: usize = 15;
/// Lines of output that are kept.
const KEPT: usize = 200;

pub(super) fn run(ctx: &Ctx, args: &Check) -> Result<()> {
    let place = ctx.place()?;
    let snapshot = {
        let desk = Ctx::look(&place)?;
        ctx.snapshot(&desk)
    };
    Ctx::approved(&snapshot)?;
    let ids: Vec<String> = if args.all {
        // What was not begun has nothing to show yet.
        let begun = |s: Status| !matches!(s, Status::Pending | Status::Skipped);
        snapshot.view.phases.iter().filter(|p| p.needs_proof && begun(p.status)).map(|p| p.id.clone()).collect()
    } else {
        let phase = edit::phase(&snapshot.view, args.phase.as_deref())?;
        if !phase.needs_proof {
            let desk = Ctx::look(&place)?;
            ctx.say(&desk, &format!("{} has no check", phase.id));
            return Ok(());
        }
        vec![phase.id.clone()]
    };
    if ids.is_empty() {
        let desk = Ctx::look(&place)?;
        ctx.say(&desk, "nothing to check: no phase that has a check was begun");
        return Ok(());
    }
    prove(ctx, &place, &ids, Duration::from_secs(args.timeout.max(1)), !args.yes)?;
    let desk = Ctx::look(&place)?;
    ctx.say(&desk, &format!("checks passed: {}", ids.join(", ")));
    Ok(())
}

/// What one phase's checks came to.
struct PhaseProof {
    id: String,
    tag: String,
    passed: bool,
    exit: Option<i32>,
    why: String,
    data: serde_json::Value,
}

/// Runs the checks of phases, records each proof, and fails where one did not pass. The lock is not held meanwhile. `ask`: a
/// person at a terminal may agree to commands that no person approved.
pub(super) fn prove(ctx: &Ctx, place: &Place, ids: &[String], limit: Duration, ask: bool) -> Result<()> {
    let look = Ctx::look(place)?;
    let snapshot = ctx.snapshot(&look);
    // What is edited while the commands run is newer than the proof.
    let tick = look.run.tick;
    let Some(contract) = &snapshot.contract else { return Ctx::approved(&snapshot) };
    let phases: Vec<&ContractPhase> = contract.phases.iter().filter(|p| ids.contains(&p.id)).collect();
    consent(ctx, &look, &snapshot, &phases, ask)?;
    drop(look);
    let mut known: Vec<(String, Ran)> = Vec::new();
    let mut results = Vec::new();
    for phase in &phases {
        results.push(one(ctx, place, phase, limit, &mut known)?);
    }
    record(ctx, place, &snapshot, &results, tick)?;
    results.iter().find(|r| !r.passed).map_or(Ok(()), |failed| {
        Err(Failure::no(
            format!("the check of phase `{}` did not pass", failed.id),
            failed.why.clone(),
            format!("steadfast done {}  # when it is mended", failed.id),
        ))
    })
}

/// A command that no person approved runs only inside the attached session, whose agent wrote it. Anybody else is shown it
/// first.
fn consent(ctx: &Ctx, desk: &Desk, snapshot: &Snapshot, phases: &[&ContractPhase], ask: bool) -> Result<()> {
    if ctx.who.as_ref().is_some_and(|(_, who)| who.key() == desk.run.owner) {
        return Ok(());
    }
    let approved = snapshot.head.as_ref().map(|h| h.person_commands.as_slice()).unwrap_or_default();
    let strange: Vec<&str> = phases
        .iter()
        .flat_map(|p| &p.checks)
        .filter(|c| !approved.contains(&digest(c.as_bytes())))
        .map(String::as_str)
        .collect();
    if strange.is_empty() {
        return Ok(());
    }
    if ctx.who.is_some() {
        return Err(Failure::no(
            "these commands were approved in another session",
            strange.join("; "),
            "steadfast attach  # to work on the plan in this session",
        ));
    }
    if !(ask && ctx.world.can_ask()) {
        return Err(Failure::no(
            "these commands were approved by an agent, not by a person",
            strange.join("; "),
            "steadfast attest  # in a terminal: with your code its commands count as your own",
        ));
    }
    ctx.out.aside("These commands were approved by an agent, not by a person:");
    for command in &strange {
        ctx.out.aside(&format!("  {}", ctx.out.paint(Style::Cyan, command)));
    }
    let typed = ctx.world.ask("run them? type yes: ").unwrap_or_default();
    if typed.trim() == "yes" {
        return Ok(());
    }
    Err(Failure::no(
        "nothing was run",
        "the commands were not agreed to",
        "steadfast attest  # in a terminal: with your code its commands count as your own",
    ))
}

#[derive(Clone)]
struct Ran {
    end: End,
    millis: u128,
    digest: String,
    tail: Vec<String>,
}

fn one(
    ctx: &Ctx,
    place: &Place,
    phase: &ContractPhase,
    limit: Duration,
    known: &mut Vec<(String, Ran)>,
) -> Result<PhaseProof> {
    let mut runs = Vec::new();
    let mut log = Vec::new();
    let mut exit = None;
    let mut why = String::new();
    for command in &phase.checks {
        let outcome = if let Some((_, outcome)) = known.iter().find(|(c, _)| c == command) {
            outcome.clone()
        } else {
            let outcome = execute(ctx, place, command, limit)?;
            known.push((command.clone(), outcome.clone()));
            outcome
        };
        log.push(format!("$ {command}"));
        log.extend(outcome.tail.iter().cloned());
        runs.push(json!({
            "command": digest(command.as_bytes()).chars().take(16).collect::<String>(), "exit": outcome.end.code(),
            "ms": u64::try_from(outcome.millis).unwrap_or(u64::MAX), "output": outcome.digest.chars().take(16).collect::<String>(),
        }));
        exit = Some(outcome.end.code());
        if outcome.end != End::Exit(0) {
            why = explain(ctx, command, &outcome);
            break;
        }
    }
    if why.is_empty() {
        why = phase.artifacts.iter().find_map(|path| artifact(place, path)).unwrap_or_default();
    }
    keep(place, &phase.id, &log);
    let passed = why.is_empty() && phase.receipts.is_empty() && phase.approvals.is_empty();
    let word = if passed { "passed" } else { "failed" };
    let data = json!({ "result": word, "exit": exit, "checks": phase.proof_tag(), "runs": runs });
    Ok(PhaseProof { id: phase.id.clone(), tag: phase.proof_tag(), passed, exit, why, data })
}

fn execute(ctx: &Ctx, place: &Place, command: &str, limit: Duration) -> Result<Ran> {
    let show = ctx.out.terminal && !ctx.out.json;
    if show {
        ctx.out.line(&format!("{} {}", ctx.out.paint(Style::Dim, "running"), ctx.out.paint(Style::Cyan, command)));
    }
    let mut see = |part: &[u8]| {
        if show {
            ctx.out.raw(clean(&String::from_utf8_lossy(part)).as_bytes());
        }
    };
    let outcome = shell(command, &place.root, limit, &mut see).map_err(|error| {
        Failure::fault("the check could not be started", format!("/bin/sh: {error}"), "steadfast doctor")
    })?;
    let text = clean(&String::from_utf8_lossy(&outcome.output));
    let lines: Vec<&str> = text.lines().collect();
    let tail = lines.iter().skip(lines.len().saturating_sub(KEPT)).map(|l| (*l).to_owned()).collect();
    Ok(Ran { end: outcome.end, millis: outcome.took.as_millis(), digest: outcome.digest, tail })
}

fn explain(ctx: &Ctx, command: &str, outcome: &Ran) -> String {
    let how = match outcome.end {
        End::Exit(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("ended by signal {signal}"),
        End::Timeout => "it took too long and was ended".to_owned(),
        End::Interrupted => "it was interrupted".to_owned(),
    };
    let mut text = format!("`{command}`: {how}");
    if !ctx.out.terminal {
        for line in outcome.tail.iter().skip(outcome.tail.len().saturating_sub(SHOWN)) {
            text.push_str("\n       ");
            text.push_str(line);
        }
    }
    text
}

/// Why an artifact does not count; `None` where it does.
fn artifact(place: &Place, path: &str) -> Option<String> {
    let relative = Path::new(path);
    if !relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) {
        return Some(format!("the artifact `{path}` does not lie beneath the project root"));
    }
    let full = place.root.join(relative);
    let real = disk::canonical(&full).ok().filter(|p| p.starts_with(&place.root));
    match real.and_then(|p| disk::kind(&p)) {
        Some(kind) if kind.file && kind.size > 0 => None,
        Some(kind) if kind.file => Some(format!("the artifact `{path}` is empty")),
        Some(_) => Some(format!("the artifact `{path}` is not a file")),
        None => Some(format!("the artifact `{path}` is not there")),
    }
}

/// Keeps the last lines of output beside the plan. That they cannot be kept is no reason to refuse a proof.
fn keep(place: &Place, id: &str, lines: &[String]) {
    use std::os::fd::AsFd;
    let dir = place.dir().join(layout::PROOFS);
    if disk::make_private_dir(&dir).is_err() {
        return;
    }
    let Ok(fd) = disk::open_dir(&dir) else { return };
    let mut text = lines.join("\n");
    text.push('\n');
    let _ = disk::replace_at(fd.as_fd(), &format!("{id}.log"), text.as_bytes(), 0o600, false);
}

/// Records the proofs under the lock, where the contract is still the one that was checked.
fn record(ctx: &Ctx, place: &Place, before: &Snapshot, results: &[PhaseProof], tick: u64) -> Result<()> {
    let mut desk = ctx.desk(place)?;
    let now = ctx.snapshot(&desk);
    if now.contract != before.contract {
        return Err(Failure::no(
            "the plan was approved anew while its check ran",
            "the proof would stand for another contract",
            "steadfast check",
        ));
    }
    let mut records = Vec::from_iter(ctx.attach(&mut desk, false)?);
    for result in results {
        let word = if result.passed { "check passed" } else { "check failed" };
        let mut record = ctx.record("proof", &result.id, word);
        record.data = result.data.clone();
        records.push(record);
    }
    let mut reopened = Vec::new();
    for result in results {
        let run = desk.run.phases.entry(phase_key(&result.id)).or_default();
        run.proof = if result.passed { Proof::Passed } else { Proof::Failed };
        run.exit = result.exit.or(Some(i32::from(!result.passed)));
        run.tries = run.tries.saturating_add(1);
        run.proof_tick = tick;
        run.checks.clone_from(&result.tag);
        if !result.passed && run.status == Some(Status::Complete) {
            run.status = Some(Status::InProgress);
            reopened.push(result.id.clone());
        }
    }
    for id in &reopened {
        edit::status(&desk, id, Status::InProgress)?;
        records.push(ctx.record("phase_start", id, "opened again: its check fails"));
    }
    let view = ctx.snapshot(&desk).view;
    desk.raise(&view);
    ctx.commit(&mut desk, records)
}
