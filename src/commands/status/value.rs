//! What `status --json` prints.

use serde_json::{Value, json};

use super::Seen;
use crate::commands::ctx::Ctx;
use crate::commands::render;
use crate::core::ledger::{Record, fold, handed_over};
use crate::core::plan::{Status, StepState};
use crate::core::proof::remark;
use crate::store::attach;

impl Seen<'_> {
    pub(super) fn value(&self, ctx: &Ctx) -> Value {
        let view = &self.snapshot.view;
        let phases: Vec<Value> = view
            .phases
            .iter()
            .map(|p| {
                json!({
                    "id": p.id, "number": p.number, "title": p.title, "status": p.status.word(), "claimed": p.claimed,
                    "proof": render::proof(p, self.tree.as_deref(), self.desk.run.edit_tick), "remark": remark(&p.run), "exit": p.run.exit, "tries": p.run.tries, "depends_on": p.depends_on, "why": p.run.why, "waits": p.waits,
                    "steps": p.steps.iter().map(|(text, state)| json!({ "text": text, "state": step_word(*state) })).collect::<Vec<_>>(),
                })
            })
            .collect();
        let head = self.snapshot.head.as_ref();
        let run = &self.desk.run;
        json!({
            "plan": {
                "id": self.place.id, "dir": self.place.dir(), "mode": self.mode().word(), "goal": self.goal(),
                "attestation": self.snapshot.attestation.word(), "version": head.map_or(0, |h| h.version), "paused": run.paused,
            },
            "phases": phases,
            "counts": {
                "total": view.phases.len(), "complete": view.count(Status::Complete), "in_progress": view.count(Status::InProgress),
                "pending": view.count(Status::Pending), "failed": view.count(Status::Failed), "skipped": view.count(Status::Skipped),
                "waiting": view.count(Status::Waiting), "unknown": view.count(Status::Unknown),
            },
            "next": render::next_json(view, self.next),
            "gate": {
                "blocks": self.desk.blocks(), "cap": Self::cap(ctx), "holds": run.holds,
                "hold": head.and_then(|h| h.gate.hold), "verdict": self.verdict(ctx).word(),
            },
            "session": {
                "attached": self.owner.map(|s| s.session.as_str()), "host": self.owner.map(|s| s.host.as_str()),
                "live": self.owner.is_some_and(attach::is_live),
            },
            "ledger": {
                "tick": run.tick, "agents": run.ledgers.keys().collect::<Vec<_>>(), "bad_lines": self.bad_lines(),
            },
            "woken_by": self.woken_by(ctx),
            "handoffs": self.handoffs().iter().map(handoff).collect::<Vec<_>>(),
            "problems": self.problems(),
            "proposals": self.proposals.iter().map(|p| json!({ "n": p.n, "why": p.why, "differences": self.differences(p) })).collect::<Vec<_>>(),
        })
    }

    fn bad_lines(&self) -> u32 {
        let ledgers = self.desk.ledgers(4 * 1024 * 1024);
        fold(ledgers.iter().map(|(agent, bytes)| (agent.as_str(), bytes.as_slice()))).bad_lines
    }
}

fn handoff(record: &Record) -> Value {
    json!({
        "agent": record.agent, "status": handed_over(record), "phase": record.phase, "summary": record.summary, "tick": record.tick,
    })
}

fn step_word(state: StepState) -> &'static str {
    match state {
        StepState::Open => "open",
        StepState::Done => "done",
        StepState::Dropped => "dropped",
    }
}
