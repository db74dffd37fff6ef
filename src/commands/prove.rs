//! Making proofs: the conditions of phases are looked at in the project root, and what came of it is recorded.

use std::time::Duration;

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::commands::progress::Progress;
use crate::commands::{condition, edit, finish};
use crate::core::contract::{ContractPhase, digest};
use crate::core::plan::Status;
use crate::core::proof::{self, Need, Outcome};
use crate::core::run::{Proof, phase_key};
use crate::core::tools;
use crate::core::wait::Wait;
use crate::error::{Failure, Result};
use crate::output::{Style, clean};
use crate::store::{Desk, Place, Snapshot, disk, layout, tree};
use crate::world::run::{End, git_files, shell};

/// The most a command may take.
pub(super) const LIMIT: Duration = Duration::from_secs(600);
/// In the environment of a check: the plan it belongs to.
const CHECKING: &str = "STEADFAST_CHECKING";
/// Lines of a failed command that are shown off a terminal.
const SHOWN: usize = 15;
/// What a phase waits for that lacks nothing but a person's word.
const TO_APPROVE: &str = "to approve its result";
/// Lines of output that are kept.
const KEPT: usize = 200;

/// How proofs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// A person at a terminal may agree to commands that no person approved.
    pub(super) ask: bool,
    /// Although nothing changed since it failed.
    pub(super) again: bool,
    /// A proof that still stands is not made anew.
    pub(super) reuse: bool,
}

/// What the conditions of one phase came to.
pub(super) struct PhaseProof {
    pub(super) id: String,
    pub(super) proof: Proof,
    exit: Option<i32>,
    /// Why it did not pass.
    pub(super) why: String,
    /// It stands as it was recorded; nothing was run.
    old: bool,
    /// It was run again as often as it may.
    tried: bool,
    /// Everything else holds: a person has to give their word.
    word: bool,
    data: serde_json::Value,
}

/// Makes the proofs of phases and records them. The lock is not held while commands run: hooks need it.
pub(super) fn prove(ctx: &Ctx, place: &Place, ids: &[String], limit: Duration, way: Way) -> Result<Vec<PhaseProof>> {
    let look = Ctx::look(place)?;
    let snapshot = ctx.snapshot(&look);
    Ctx::approved(&snapshot)?;
    if ctx.world.var(CHECKING).is_some_and(|plan| plan == place.dir().display().to_string()) {
        return Err(Failure::no(
            "a check of this plan does not run its checks",
            "they would start each other without an end",
            "steadfast status",
        ));
    }
    let Some(contract) = &snapshot.contract else { return Ok(Vec::new()) };
    let phases: Vec<&ContractPhase> = contract.phases.iter().filter(|p| ids.contains(&p.id)).collect();
    let tree = tree_of(ctx, place);
    let (mut results, mut todo) = (Vec::new(), Vec::new());
    for phase in phases {
        match need(&look, phase, tree.as_deref()) {
            Need::Nothing if way.reuse => results.push(stands(&look, &snapshot, place, phase)),
            // A person may know better.
            Need::Change if ctx.person() => todo.push(phase),
            Need::Change if !way.again => results.push(unchanged(&look, phase, false)),
            Need::Change if recorded(&look, phase).again >= proof::AGAIN => results.push(unchanged(&look, phase, true)),
            _ => todo.push(phase),
        }
    }
    consent(ctx, &look, &snapshot, &todo, way.ask)?;
    let tick = look.run.tick;
    begin(ctx, place, &todo)?;
    let mut known: Vec<(String, Ran)> = Vec::new();
    let mut made = Vec::new();
    for phase in &todo {
        made.push(one(ctx, &look, &snapshot, phase, limit, &mut known)?);
    }
    if !made.is_empty() {
        record(ctx, place, &snapshot, &mut made, &Begun { tick, tree, again: way.again })?;
    }
    results.extend(made);
    Ok(results)
}

/// Hands off the phases that lack nothing but a person's word, so that the run may go on, or end, without it.
pub(super) fn hand_off(ctx: &Ctx, place: &Place, results: &[PhaseProof]) -> Result<()> {
    for id in results.iter().filter(|r| r.word).map(|r| &r.id) {
        let mut desk = ctx.desk(place)?;
        let snapshot = ctx.snapshot(&desk);
        let Some(asked) = snapshot.contract.as_ref().and_then(|c| c.phase(id)) else { continue };
        // The word may have come meanwhile.
        if snapshot.head.as_ref().is_some_and(|h| h.is_given(asked)) {
            continue;
        }
        edit::status(&desk, id, Status::Waiting)?;
        let run = desk.run.phases.entry(phase_key(id)).or_default();
        run.status = Some(Status::Waiting);
        TO_APPROVE.clone_into(&mut run.why);
        run.wait = Some(Wait { human: true, ..Wait::default() });
        let mut record = ctx.record("phase_waiting", id, "for the user");
        record.data = json!({ "why": TO_APPROVE, "until": 0, "file": "", "human": true });
        finish::settle(ctx, &mut desk, record)?;
    }
    Ok(())
}

/// Fails where one of them did not pass.
pub(super) fn demand(results: &[PhaseProof]) -> Result<()> {
    let Some(failed) = results.iter().find(|r| r.proof != Proof::Passed) else { return Ok(()) };
    let id = &failed.id;
    Err(match failed.proof {
        Proof::Interrupted => Failure::no(
            format!("the check of phase `{id}` was interrupted"),
            failed.why.clone(),
            format!("steadfast check {id}  # in the background, where your tool has a time limit"),
        ),
        _ if failed.old => Failure::no(
            format!("the check of phase `{id}` failed, and nothing changed since"),
            failed.why.clone(),
            if failed.tried {
                format!("steadfast fail {id} --why \"...\"  # or change something, or another approach")
            } else {
                format!("steadfast check {id} --again  # or change something first")
            },
        ),
        _ if failed.word => Failure::no(
            format!("phase `{id}` waits for the user's word"),
            failed.why.clone(),
            "steadfast next  # and go on with what is ready",
        ),
        _ => Failure::no(
            format!("the check of phase `{id}` did not pass"),
            failed.why.clone(),
            format!("steadfast done {id}  # when it is mended"),
        ),
    })
}

fn recorded(desk: &Desk, phase: &ContractPhase) -> crate::core::run::PhaseRun {
    desk.run.phases.get(&phase_key(&phase.id)).cloned().unwrap_or_default()
}

fn need(desk: &Desk, phase: &ContractPhase, tree: Option<&str>) -> Need {
    proof::need(&recorded(desk, phase), phase, tree, desk.run.edit_tick)
}

/// The working tree as it is, first 8 hex.
pub(super) fn tree_of(ctx: &Ctx, place: &Place) -> Option<String> {
    let mut digest = whole_tree(ctx, place)?;
    digest.truncate(8);
    Some(digest)
}

/// The digest of the working tree as it is.
pub(super) fn whole_tree(ctx: &Ctx, place: &Place) -> Option<String> {
    let at = i128::try_from(ctx.world.nanos()).unwrap_or(0);
    let state = ctx.state().ok();
    tree::digest(state.as_deref(), &place.dir(), &place.root, &git_files, at)
}

/// A proof that passed and still stands. What its commands do not see is looked at again.
fn stands(desk: &Desk, snapshot: &Snapshot, place: &Place, phase: &ContractPhase) -> PhaseProof {
    let missing = condition::look(place, phase, &desk.run, snapshot.head.as_ref()).err();
    let (proof, old) = if missing.is_none() { (Proof::Passed, true) } else { (Proof::Failed, false) };
    let (why, word) = missing.map(|m| (m.why, m.word)).unwrap_or_default();
    PhaseProof { id: phase.id.clone(), proof, exit: None, why, old, tried: false, word, data: json!(null) }
}

/// A command said no on this very tree.
fn unchanged(desk: &Desk, phase: &ContractPhase, often: bool) -> PhaseProof {
    let run = recorded(desk, phase);
    let exit = run.exit.map(|exit| format!("exit code {exit}, ")).unwrap_or_default();
    let why = if often {
        format!("{exit}try {}; it was run again {} times on the same files", run.tries, run.again)
    } else {
        format!("{exit}try {}; the files it depends on are the same", run.tries)
    };
    PhaseProof {
        id: phase.id.clone(),
        proof: Proof::Failed,
        exit: run.exit,
        why,
        old: true,
        tried: often,
        word: false,
        data: json!(null),
    }
}

/// A command that no person approved runs only inside the attached session, whose agent wrote it, and not in a phase that keeps it
/// from a shell. Anybody else is shown it first.
fn consent(ctx: &Ctx, desk: &Desk, snapshot: &Snapshot, phases: &[&ContractPhase], ask: bool) -> Result<()> {
    let attached = ctx.who.as_ref().is_some_and(|(_, who)| who.key() == desk.run.owner);
    let fence = tools::no_shell(&snapshot.view).filter(|_| attached);
    if attached && fence.is_none() {
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
    if let Some(fence) = fence {
        return Err(Failure::no(
            format!("phase `{}` names its tools, and a shell is none of them", fence.phase),
            format!("no person approved these commands: {}", strange.join("; ")),
            "steadfast attest  # typed by the user, in a terminal: then its commands count as theirs",
        ));
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

/// Says in the run state that these checks were begun: whoever is killed meanwhile leaves that behind.
fn begin(ctx: &Ctx, place: &Place, phases: &[&ContractPhase]) -> Result<()> {
    let commands = |p: &&&ContractPhase| !p.checks.is_empty();
    if !phases.iter().any(|p| commands(&p)) {
        return Ok(());
    }
    let mut desk = ctx.desk(place)?;
    for phase in phases.iter().filter(commands) {
        let run = desk.run.phases.entry(phase_key(&phase.id)).or_default();
        run.begun = true;
    }
    desk.save().map_err(|error| {
        Failure::fault(
            format!("the run of `{}` could not be recorded", place.name()),
            error.to_string(),
            "steadfast doctor",
        )
    })
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
    look: &Desk,
    snapshot: &Snapshot,
    phase: &ContractPhase,
    limit: Duration,
    known: &mut Vec<(String, Ran)>,
) -> Result<PhaseProof> {
    let place = &look.place;
    let before = recorded(look, phase);
    let (mut runs, mut log) = (Vec::new(), Vec::new());
    let (mut exit, mut why, mut word) = (None, String::new(), false);
    let mut proof = Proof::Passed;
    for (index, command) in phase.checks.iter().enumerate() {
        let name = digest(command.as_bytes()).chars().take(16).collect::<String>();
        if proof::was_seen(&before, index, look.run.edit_tick) {
            runs.push(json!({ "command": name, "exit": 0, "seen": true }));
            continue;
        }
        let outcome = if let Some((_, outcome)) = known.iter().find(|(c, _)| c == command) {
            outcome.clone()
        } else {
            let outcome = execute(ctx, place, command, limit)?;
            known.push((command.clone(), outcome.clone()));
            outcome
        };
        log.push(format!("$ {command}"));
        log.extend(outcome.tail.iter().cloned());
        let mut run = json!({
            "command": name, "exit": outcome.end.code(), "ms": u64::try_from(outcome.millis).unwrap_or(u64::MAX),
            "output": outcome.digest.chars().take(16).collect::<String>(),
        });
        if let (End::Signal(signal), Some(map)) = (outcome.end, run.as_object_mut()) {
            map.insert("signal".to_owned(), signal.into());
        }
        runs.push(run);
        exit = Some(outcome.end.code());
        if outcome.end != End::Exit(0) {
            proof = if outcome.end == End::Interrupted { Proof::Interrupted } else { Proof::Failed };
            why = explain(ctx, command, &outcome);
            break;
        }
    }
    let mut artifacts = json!(null);
    if proof == Proof::Passed {
        match condition::look(place, phase, &look.run, snapshot.head.as_ref()) {
            Ok(digests) => artifacts = digests,
            Err(missing) => (proof, exit, why, word) = (Proof::Failed, None, missing.why, missing.word),
        }
    }
    if !log.is_empty() {
        keep(place, &phase.id, &log);
    }
    let result = if word { "word" } else { proof.word() };
    let mut data = json!({ "result": result, "exit": exit, "checks": phase.proof_tag(), "runs": runs });
    if let (false, Some(map)) = (artifacts.is_null(), data.as_object_mut()) {
        map.insert("artifacts".to_owned(), artifacts);
    }
    Ok(PhaseProof { id: phase.id.clone(), proof, exit, why, old: false, tried: false, word, data })
}

fn execute(ctx: &Ctx, place: &Place, command: &str, limit: Duration) -> Result<Ran> {
    let mut progress = Progress::new(ctx.out, command);
    let dir = place.dir().display().to_string();
    let ran = shell(command, &place.root, &[(CHECKING, &dir)], limit, &mut |part, after| progress.see(part, after));
    progress.end();
    let outcome = ran.map_err(|error| {
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

/// Keeps the last lines of output beside the plan. That they cannot be kept is no reason to refuse a proof.
fn keep(place: &Place, id: &str, lines: &[String]) {
    let dir = place.dir().join(layout::PROOFS);
    if disk::make_private_dir(&dir).is_err() {
        return;
    }
    let Ok(fd) = disk::open_dir(&dir) else { return };
    let mut text = lines.join("\n");
    text.push('\n');
    let _ = disk::replace_at(&fd, &format!("{id}.log"), text.as_bytes(), disk::Readers::User, false);
}

/// How things stood before the commands ran.
struct Begun {
    /// The ledger's tick: what is edited while they run is newer than the proof.
    tick: u64,
    /// The working tree.
    tree: Option<String>,
    /// Although nothing had changed since it failed.
    again: bool,
}

/// Records the proofs under the lock, where the contract is still the one that was looked at.
fn record(ctx: &Ctx, place: &Place, before: &Snapshot, results: &mut [PhaseProof], begun: &Begun) -> Result<()> {
    let tree = tree_of(ctx, place);
    let moved = tree.is_some() && begun.tree.is_some() && tree != begun.tree;
    let mut desk = ctx.desk(place)?;
    let now = ctx.snapshot(&desk);
    let Some(contract) = now.contract.as_ref().filter(|c| Some(*c) == before.contract.as_ref()) else {
        return Err(Failure::no(
            "the plan was approved anew while its check ran",
            "the proof would stand for another contract",
            "steadfast check",
        ));
    };
    // What was edited while the commands ran was not what they saw.
    let tree = tree.filter(|_| desk.run.edit_tick <= begun.tick).unwrap_or_default();
    let mut records = Vec::from_iter(ctx.attach(&mut desk, false)?);
    let mut reopened = Vec::new();
    for result in results {
        let Some(phase) = contract.phase(&result.id) else { continue };
        let outcome = Outcome {
            proof: result.proof,
            exit: result.exit,
            tree: tree.clone(),
            moved,
            tick: begun.tick,
            again: begun.again,
        };
        if result.word {
            // Nothing failed, and nothing is proven.
            desk.run.phases.entry(phase_key(&result.id)).or_default().begun = false;
        } else if desk.prove(phase, &outcome) {
            reopened.push(result.id.clone());
        }
        let word = if result.word { "held; the user's word is missing" } else { result.proof.word() };
        let mut record = ctx.record("proof", &result.id, &format!("check {word}"));
        record.data = std::mem::take(&mut result.data);
        if let (false, Some(map)) = (tree.is_empty(), record.data.as_object_mut()) {
            map.insert("tree".to_owned(), tree.as_str().into());
        }
        records.push(record);
    }
    for id in &reopened {
        edit::status(&desk, id, Status::InProgress)?;
        records.push(ctx.record("phase_start", id, "opened again: its check fails"));
    }
    let view = ctx.snapshot(&desk).view;
    desk.raise(&view);
    ctx.commit(&mut desk, records)
}
