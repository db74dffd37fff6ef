//! `export`: the plan and its history for other programs, on standard output. It changes nothing.

use serde_json::{Value, json};

use crate::commands::args::Form;
use crate::commands::ctx::Ctx;
use crate::commands::{prove, render, status};
use crate::core::contract::Contract;
use crate::core::export::in_toto::{self, Subject};
use crate::core::export::{csv, merge, times};
use crate::core::ledger::rfc3339;
use crate::core::run::Proof;
use crate::error::{Failure, Result};
use crate::output::clean;
use crate::store::ledger_file::WHOLE;
use crate::store::{Desk, Place, Snapshot, digest, layout};

pub(super) fn run(ctx: &Ctx, form: Form) -> Result<()> {
    if ctx.out.json && form == Form::Csv {
        return Err(Failure::usage(
            "`--json` and `--format csv` are two forms",
            "one of them has to be left out",
            "steadfast export --format json",
        ));
    }
    let place = ctx.place()?;
    let desk = Ctx::look(&place)?;
    let seen = Seen { place: &place, desk: &desk, snapshot: &ctx.snapshot(&desk) };
    match form {
        Form::Json => ctx.out.value(&seen.plan(ctx)),
        Form::Jsonl => seen.history(ctx),
        Form::Csv => print(ctx, &seen.rows()),
        Form::InToto => ctx.out.value(&seen.statement(ctx)?),
    }
    Ok(())
}

/// Text of strangers is cleaned for a terminal, and left as it is for a program.
fn print(ctx: &Ctx, text: &str) {
    if ctx.out.terminal {
        ctx.out.raw(clean(text).as_bytes());
    } else {
        ctx.out.raw(text.as_bytes());
    }
}

struct Seen<'a> {
    place: &'a Place,
    desk: &'a Desk,
    snapshot: &'a Snapshot,
}

impl Seen<'_> {
    /// `status --json`, without what is only so at this moment, and with the contract.
    fn plan(&self, ctx: &Ctx) -> Value {
        let mut value = status::value(ctx, self.place, self.desk, self.snapshot);
        let contract = self.snapshot.contract.as_ref();
        if let Some(map) = value.as_object_mut() {
            for momentary in ["next", "gate", "session", "woken_by"] {
                map.remove(momentary);
            }
            map.insert("contract".to_owned(), json!(contract));
            map.insert("approval".to_owned(), self.approval());
        }
        for phase in value.get_mut("phases").and_then(Value::as_array_mut).into_iter().flatten() {
            let id = phase.get("id").and_then(Value::as_str).unwrap_or_default();
            let asked = contract.and_then(|c| c.phase(id));
            let (checks, artifacts) = asked.map(|p| (p.checks.clone(), p.artifacts.clone())).unwrap_or_default();
            if let Some(map) = phase.as_object_mut() {
                map.insert("checks".to_owned(), json!(checks));
                map.insert("artifacts".to_owned(), json!(artifacts));
            }
        }
        value
    }

    /// What is approved, by whom and when; null where nothing is.
    fn approval(&self) -> Value {
        let Some(head) = self.snapshot.head.as_ref().filter(|_| self.snapshot.contract.is_some()) else {
            return Value::Null;
        };
        let last = head.log.last();
        json!({
            "version": head.version, "sha256": head.digest,
            "by": last.map(|a| a.by.word()), "at": last.map(|a| a.at.as_str()),
        })
    }

    fn history(&self, ctx: &Ctx) {
        let ledgers = self.desk.ledgers(WHOLE);
        let merged = merge(ledgers.iter().map(|(_, bytes)| bytes.as_slice()));
        let mut text = Vec::new();
        for line in merged.lines {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        // A record is a line of JSON in UTF-8.
        print(ctx, &String::from_utf8_lossy(&text));
        if merged.bad > 0 {
            ctx.out.aside(&format!("steadfast: {} lines are no record and were left out", merged.bad));
        }
    }

    fn rows(&self) -> String {
        let records = self.desk.history().records;
        let head = ["id", "title", "status", "proof", "tries", "why", "started", "completed"].map(str::to_owned);
        let rows = self.snapshot.view.phases.iter().map(|phase| {
            let times = times(&records, &phase.id);
            [
                phase.id.clone(),
                phase.title.clone(),
                phase.status.word().to_owned(),
                render::proof(phase, None, self.desk.run.edit_tick).to_owned(),
                phase.run.tries.to_string(),
                phase.run.why.clone(),
                times.started,
                times.completed,
            ]
        });
        csv(std::iter::once(head).chain(rows))
    }

    fn statement(&self, ctx: &Ctx) -> Result<Value> {
        let (Some(contract), Some(head)) = (&self.snapshot.contract, &self.snapshot.head) else {
            return Ctx::approved(self.snapshot).map(|()| Value::Null);
        };
        let mut subjects: Vec<Subject> =
            contract.phases.iter().flat_map(|phase| &phase.artifacts).filter_map(|path| self.artifact(path)).collect();
        subjects.push(Subject {
            name: layout::contract(head.version),
            algorithm: "sha256",
            digest: head.digest.clone(),
        });
        let predicate = json!({
            "plan": self.place.id, "goal": contract.goal, "mode": contract.mode.word(),
            "approval": self.approval(), "exportedAt": rfc3339(ctx.world.now()),
            "counts": { "total": self.snapshot.view.phases.len(), "complete": self.complete() },
            "phases": self.proofs(contract),
        });
        let tree = prove::whole_tree(ctx, self.place);
        let tree = tree.map(|digest| Subject { name: "tree".to_owned(), algorithm: "steadfastTree", digest });
        Ok(in_toto::statement(tree, subjects, &predicate))
    }

    fn complete(&self) -> usize {
        self.snapshot.view.count(crate::core::plan::Status::Complete)
    }

    /// An artifact that is there. One that is not has no digest; its phase says so in the predicate.
    fn artifact(&self, path: &str) -> Option<Subject> {
        let digest = digest::sha256_beneath(&self.place.root, path).ok()?;
        Some(Subject { name: path.to_owned(), algorithm: "sha256", digest })
    }

    /// Where each phase stands, with its last proof and what that ran.
    fn proofs(&self, contract: &Contract) -> Vec<Value> {
        let records = self.desk.history().records;
        let of = |id: &str| self.snapshot.view.phases.iter().find(|p| p.id == id);
        let phases = contract.phases.iter().filter_map(|asked| Some((asked, of(&asked.id)?)));
        phases
            .map(|(asked, phase)| {
                let last = records.iter().rev().find(|r| r.event == "proof" && r.phase == phase.id);
                let last = last.filter(|_| phase.run.proof != Proof::None);
                json!({
                    "id": phase.id, "title": phase.title, "status": phase.status.word(), "claimed": phase.claimed,
                    "why": phase.run.why, "checks": asked.checks,
                    "artifacts": asked.artifacts.iter().map(|path| {
                        json!({ "path": path, "sha256": self.artifact(path).map(|s| s.digest) })
                    }).collect::<Vec<_>>(),
                    "proof": {
                        "result": render::proof(phase, None, self.desk.run.edit_tick), "exit": phase.run.exit, "tries": phase.run.tries,
                        "checks": phase.run.checks, "tick": phase.run.proof_tick, "at": last.map(|r| r.ts.as_str()),
                        "runs": last.and_then(|r| r.data.get("runs")), "tree": phase.run.tree,
                    },
                })
            })
            .collect()
    }
}
