//! Reading whole ledgers: for `doctor`, `report`, and to rebuild a run state that was lost.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::core::contract::digest_start;
use crate::core::ledger::{Record, is_edit_of_work, is_work, label, status_after};
use crate::core::ledger_lines::{Kind, Lines, Link};
use crate::core::plan::Status;
use crate::core::run::{LedgerEnd, Mark, PhaseRun, Proof, Run, phase_key};
use crate::core::seen::Seen;
use crate::core::sorted::by_number;
use crate::core::text::{first_chars, flatten};
use crate::core::wait::Wait;

/// What the ledgers of a plan say together.
///
/// From `data` it takes: of a `proof` `{"result":"passed"|"failed"|"interrupted"|"word","exit":1,"checks":"<tag>"}`; of an `edit`
/// `{"digest":"<of the content>"}`; of a `step` `{"step":2}`; of a `phase_skipped` `{"by":"person","why":"..."}`; of a
/// `phase_failed` and a `phase_waiting` `{"why":"..."}` (else the summary is the reason); of a `proposal` `{"n":1}`; of a `prompt` that no person wrote
/// `{"user":false}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folded {
    /// The run as far as records tell. What is approved and which boxes are checked now is not in them; see
    /// [`Folded::rebuilt`].
    pub run: Run,
    /// The records in the order of their ticks (agents in the order given where ticks are equal).
    pub records: Vec<Record>,
    /// Lines that are no record, conflict markers and torn ends left out.
    pub bad_lines: u32,
    /// Last lines without a line end that are no record: what a crash leaves.
    pub torn_ends: u32,
    /// Lines that a merge left.
    pub conflict_markers: u32,
    /// Records whose `prev` is not the chain value of a line before them: something was changed, removed or put between.
    pub broken_links: u32,
    /// Ticks that more than one record has.
    pub double_ticks: u32,
}

impl Folded {
    /// The run state to write where it was lost. `present` are the counts of the plan as it stands: what is reached already
    /// is not progress.
    pub fn rebuilt(&self, present: Mark) -> Run {
        let mut run = self.run.clone();
        run.mark = run.mark.max(present);
        run
    }
}

/// Reads whole ledgers, given as agent and bytes. Total: any bytes have an answer.
pub fn fold<'a>(ledgers: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Folded {
    let mut folded = Folded { run: Run { v: 1, ..Run::default() }, ..Folded::default() };
    for (agent, bytes) in ledgers {
        let end = read_one(&mut folded, bytes);
        folded.run.ledgers.insert(agent.to_owned(), end);
    }
    folded.records = by_number(folded.records, |record| record.tick);
    let mut ticks = BTreeSet::new();
    let mut twice = BTreeSet::new();
    for record in &folded.records {
        if !ticks.insert(record.tick) {
            twice.insert(record.tick);
        }
    }
    folded.double_ticks = count(twice.len());
    folded.run.tick = folded.records.last().map_or(0, |record| record.tick);
    let mut state = State::default();
    for record in &folded.records {
        state.apply(&mut folded.run, record);
    }
    folded.run.seen = state.seen.to_text();
    folded
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn read_one(folded: &mut Folded, bytes: &[u8]) -> LedgerEnd {
    let mut end = LedgerEnd { bytes: u64::try_from(bytes.len()).unwrap_or(u64::MAX), ..LedgerEnd::default() };
    for line in Lines::of(bytes) {
        match line.kind {
            Kind::Record(record, link) => {
                folded.broken_links += u32::from(matches!(link, Link::Fork | Link::Lost));
                end.tick = end.tick.max(record.tick);
                if is_work(&record.event) {
                    end.event = label(&record);
                    end.work_tick = record.tick;
                }
                end.digest = line.chain;
                folded.records.push(*record);
            }
            Kind::Marker => folded.conflict_markers += 1,
            Kind::Damaged => folded.bad_lines += 1,
            Kind::Torn => folded.torn_ends += 1,
        }
    }
    end
}

/// What must be remembered between records and is no part of the run state.
#[derive(Default)]
struct State {
    settled: BTreeSet<String>,
    proven: BTreeSet<String>,
    steps: BTreeSet<(String, String)>,
    receipts: BTreeSet<String>,
    seen: Seen,
    files: u32,
}

impl State {
    fn apply(&mut self, run: &mut Run, record: &Record) {
        match record.event.as_str() {
            "init" => run.blocks = 0,
            "prompt" if record.data.get("user") != Some(&Value::Bool(false)) => run.blocks = 0,
            "pause" => run.paused = true,
            "resume" => run.paused = false,
            "revoke" => run.revoked = true,
            "attest" => run.revoked = false,
            "release" => run.released = true,
            "proposal" => {
                let n = record.data.get("n").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
                run.proposed = run.proposed.max(n.unwrap_or(0));
            }
            "gate_block" => {
                run.blocks = run.blocks.saturating_add(1);
                run.holds = run.holds.saturating_add(1);
            }
            "edit" => {
                if !in_plan_directory(record) && is_inside(record) {
                    run.edit_tick = record.tick;
                }
                if let Some(digest) = record.data.get("digest").and_then(Value::as_str) {
                    self.files += u32::from(self.seen.insert(digest));
                }
            }
            // It may have been edits.
            "missed" => run.edit_tick = record.tick,
            "step" => {
                let step = record.data.get("step").map_or_else(|| record.summary.clone(), Value::to_string);
                self.steps.insert((record.phase.clone(), step));
            }
            "receipt" => {
                if let Some(key) = record.data.get("key").and_then(Value::as_str) {
                    let tag = digest_start(key.as_bytes(), 8);
                    if self.receipts.insert(tag.clone()) {
                        run.receipts.push(tag);
                    }
                }
            }
            "proof" if !record.phase.is_empty() => self.proof(run, record),
            event if !record.phase.is_empty() => {
                if let Some(status) = status_after(event) {
                    self.status(run, record, status);
                }
            }
            _ => {}
        }
        run.mark = run.mark.max(Mark {
            phases: count(self.settled.len()),
            boxes: count(self.steps.len()),
            proofs: count(self.proven.len()),
            files: self.files,
        });
    }

    fn status(&mut self, run: &mut Run, record: &Record, status: Status) {
        let phase = phase(run, &record.phase);
        phase.status = Some(status);
        let number = |key: &str| record.data.get(key).and_then(Value::as_u64).unwrap_or(0);
        phase.wait = match status {
            Status::Waiting => Some(Wait {
                until: number("until"),
                file: record.data.get("file").and_then(Value::as_str).unwrap_or_default().to_owned(),
                human: record.data.get("human") == Some(&Value::Bool(true)),
            }),
            // A routine that was done comes again.
            Status::Complete if number("until") > 0 => {
                phase.rounds = phase.rounds.saturating_add(1);
                Some(Wait { until: number("until"), ..Wait::default() })
            }
            _ => None,
        };
        phase.met |= record.event == "wake";
        phase.why = if matches!(status, Status::Failed | Status::Skipped | Status::Waiting) {
            first_chars(&flatten(why(record)), 80).to_owned()
        } else {
            String::new()
        };
        // Who skipped it is in doubt unless the record says so; then a person looks at it.
        phase.by_agent = status == Status::Skipped && record.data.get("by").and_then(Value::as_str) != Some("person");
        if matches!(status, Status::Complete | Status::Skipped)
            && self.settled.insert(record.phase.clone())
            && status == Status::Complete
        {
            run.blocks = 0;
        }
    }

    fn proof(&mut self, run: &mut Run, record: &Record) {
        let result = record.data.get("result").and_then(Value::as_str);
        if result == Some("word") {
            // Nothing failed and nothing is proven: a person's word is missing.
            return;
        }
        let passed = result == Some("passed");
        let exit = record.data.get("exit").and_then(Value::as_i64).and_then(|exit| i32::try_from(exit).ok());
        let checks = record.data.get("checks").and_then(Value::as_str).unwrap_or_default();
        let tree = record.data.get("tree").and_then(Value::as_str).unwrap_or_default();
        let phase = phase(run, &record.phase);
        phase.proof = match result {
            Some("passed") => Proof::Passed,
            Some("interrupted") => Proof::Interrupted,
            _ => Proof::Failed,
        };
        phase.red |= phase.proof == Proof::Failed;
        first_chars(tree, 8).clone_into(&mut phase.tree);
        phase.exit = exit;
        phase.tries = phase.tries.saturating_add(1);
        phase.proof_tick = record.tick;
        first_chars(checks, 8).clone_into(&mut phase.checks);
        if passed {
            self.proven.insert(record.phase.clone());
        }
    }
}

fn phase<'a>(run: &'a mut Run, id: &str) -> &'a mut PhaseRun {
    let phases: &mut BTreeMap<_, _> = &mut run.phases;
    phases.entry(phase_key(id)).or_default()
}

fn why(record: &Record) -> &str {
    record.data.get("why").and_then(Value::as_str).unwrap_or(&record.summary)
}

/// Whether an edit touched something in the project; one without a file name did.
fn is_inside(record: &Record) -> bool {
    record.files.is_empty() || is_edit_of_work(record)
}

/// Whether an edit touched nothing but the plan's own files. An edit without a file name counts as one of the work.
fn in_plan_directory(record: &Record) -> bool {
    let own = |file: &String| {
        let file = file.replace('\\', "/");
        file.starts_with(".planning/") || file.contains("/.planning/")
    };
    !record.files.is_empty() && record.files.iter().all(own)
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
