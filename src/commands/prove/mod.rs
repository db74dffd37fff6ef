//! Making proofs: the conditions of phases are looked at in the project root, and what came of it is recorded.

mod command;
mod consent;

use std::time::Duration;

use serde_json::json;

use command::{CHECKING, Ran, execute, explain, keep};
use consent::consent;

use crate::commands::ctx::Ctx;
use crate::commands::{condition, edit};
use crate::core::contract::{ContractPhase, digest};
use crate::core::plan::Status;
use crate::core::proof::{self, Need, Outcome};
use crate::core::run::{Proof, phase_key};
use crate::error::{Failure, Result};
use crate::store::{Desk, Place, Snapshot, tree};
use crate::world::run::{End, git_files};

/// The most a command may take.
pub(super) const LIMIT: Duration = Duration::from_secs(600);

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
    pub(super) word: bool,
    /// It passed, and files changed while it ran.
    pub(super) moved: bool,
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
    PhaseProof {
        id: phase.id.clone(),
        proof,
        exit: None,
        why,
        old,
        tried: false,
        word,
        moved: false,
        data: json!(null),
    }
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
        moved: false,
        data: json!(null),
    }
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
    Ok(PhaseProof { id: phase.id.clone(), proof, exit, why, old: false, tried: false, word, moved: false, data })
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
        result.moved = moved && result.proof == Proof::Passed;
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
