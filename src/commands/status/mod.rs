//! `status`: where the run stands.

mod terminal;
mod value;

use serde_json::{Value, json};

use crate::commands::ctx::Ctx;
use crate::commands::{prove, render};
use crate::core::contract::Mode;
use crate::core::gate::{self, Behind, Facts, Verdict, Work};
use crate::core::ledger::{self, Record};
use crate::core::next::{self, Next};
use crate::core::plan::Status;
use crate::core::proof::remark;
use crate::core::sorted::by_number;
use crate::core::text::{cut, flatten};
use crate::error::Result;
use crate::store::attach;
use crate::store::desk::Found;
use crate::store::proposals::{self, Proposal};
use crate::store::{Attestation, Desk, Place, Session, Snapshot};

/// How many differences of a proposal stand in its line.
const FIRST: usize = 3;
/// How far back in a ledger a handoff is looked for, in bytes.
const TAIL: u64 = 64 * 1024;

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let place = ctx.place()?;
    let desk = Ctx::look(&place)?;
    let snapshot = ctx.snapshot(&desk);
    with(ctx, &place, &desk, &snapshot, |seen| {
        if ctx.out.json {
            ctx.out.value(&seen.value(ctx));
        } else if ctx.out.terminal || ctx.out.colour {
            seen.terminal(ctx);
        } else {
            seen.short(ctx);
        }
    });
    Ok(())
}

/// What `status --json` prints.
pub(super) fn value(ctx: &Ctx, place: &Place, desk: &Desk, snapshot: &Snapshot) -> Value {
    with(ctx, place, desk, snapshot, |seen| seen.value(ctx))
}

/// Looks at everything a status shows.
pub(super) fn with<T>(
    ctx: &Ctx,
    place: &Place,
    desk: &Desk,
    snapshot: &Snapshot,
    show: impl FnOnce(&Seen<'_>) -> T,
) -> T {
    let owner = ctx.state().ok().and_then(|state| attach::owner(&state, desk));
    let next = next::next(&snapshot.view);
    let proven = snapshot.view.phases.iter().any(|p| !p.run.tree.is_empty());
    let tree = if proven { prove::tree_of(ctx, place) } else { None };
    let proposals = proposals::open(desk, snapshot);
    show(&Seen { place, desk, snapshot, owner: owner.as_ref(), next: &next, proposals: &proposals, tree })
}

pub(super) struct Seen<'a> {
    pub(super) place: &'a Place,
    desk: &'a Desk,
    pub(super) snapshot: &'a Snapshot,
    owner: Option<&'a Session>,
    next: &'a Next,
    pub(super) proposals: &'a [Proposal],
    /// The working tree, where a proof stands for one.
    tree: Option<String>,
}

impl Seen<'_> {
    pub(super) fn mode(&self) -> Mode {
        self.snapshot.head.as_ref().map_or(Mode::Plain, |h| h.mode)
    }

    pub(super) fn goal(&self) -> &str {
        self.snapshot.head.as_ref().map_or(self.snapshot.view.goal.as_str(), |h| h.goal.as_str())
    }

    fn cap(ctx: &Ctx) -> u32 {
        ctx.world.var("PWF_GATE_CAP").and_then(|v| v.parse().ok()).unwrap_or(gate::DEFAULT_CAP)
    }

    /// What the gate would say if the attached session stopped now, plainly.
    fn verdict(&self, ctx: &Ctx) -> Verdict {
        // Who is attached is lost with the run state.
        if self.desk.found != Found::Whole && self.snapshot.gated() {
            return Verdict::Error;
        }
        let (view, run) = (&self.snapshot.view, &self.desk.run);
        let stale = next::stale(view, run);
        let at_hold = self.owner.and_then(|s| s.mark_at_hold);
        // The hook takes over what was written by hand before it judges.
        let counts = if self.snapshot.contract.is_some() { view.counts(run.mark.files) } else { run.mark };
        let blocks = if counts.phases > run.mark.phases { Some(0) } else { self.desk.blocks() };
        gate::decide(&Facts {
            gated: self.snapshot.gated(),
            paused: run.paused,
            attached: self.owner.is_some(),
            work: if self.snapshot.contract.is_none() { Work::Open } else { next::work(view, stale) },
            active: false,
            hold: false,
            behind: Behind::Nothing,
            asks: false,
            blocks,
            cap: Self::cap(ctx),
            turn_holds: self.owner.map_or(0, |s| s.turn_holds),
            held_before: at_hold.is_some(),
            progressed: at_hold.is_some_and(|old| run.mark.max(counts).exceeds(old)),
        })
    }

    /// What a person should know.
    pub(super) fn problems(&self) -> Vec<Value> {
        let mut problems = Vec::new();
        if let Some(why) = &self.snapshot.head_trouble {
            problems.push(
                json!({ "line": 0, "what": format!("the approval cannot be used: {why}"), "fix": "steadfast doctor" }),
            );
        }
        if let Some(why) = &self.snapshot.plan_trouble {
            problems.push(
                json!({ "line": 0, "what": format!("task_plan.md cannot be read: {why}"), "fix": "steadfast doctor" }),
            );
        }
        if self.snapshot.attestation == Attestation::Changed {
            problems.push(json!({ "line": 0, "what": "task_plan.md asks for something else than what is approved", "fix": "steadfast attest --diff" }));
        }
        if self.snapshot.attestation == Attestation::Unapproved {
            problems.push(json!({ "line": 0, "what": "this plan was approved somewhere else, not here", "fix": "steadfast attest" }));
        }
        if self.snapshot.attestation == Attestation::Revoked {
            problems.push(json!({ "line": 0, "what": "the approval of this plan was revoked, so nothing of it is in force", "fix": "steadfast attest" }));
        }
        if let Some(plan) = &self.snapshot.plan {
            problems.extend(plan.problems.iter().map(|p| json!({ "line": p.line, "what": p.what, "fix": p.fix })));
        }
        if self.desk.found == Found::Torn {
            problems.push(json!({ "line": 0, "what": "the run state is damaged", "fix": "steadfast attach" }));
        }
        for proposal in self.proposals {
            if let Err(why) = &proposal.asked {
                let what = format!("proposal {} cannot be approved: {why}", proposal.n);
                problems.push(json!({ "line": 0, "what": what, "fix": "mend it, or remove its file" }));
            }
        }
        problems
    }

    /// What a proposal would change, a line each.
    fn differences(&self, proposal: &Proposal) -> Vec<String> {
        let Ok(asked) = &proposal.asked else { return Vec::new() };
        asked.differences(self.snapshot.contract.as_ref()).iter().map(|d| flatten(&d.to_string())).collect()
    }

    /// A proposal in one line: its first differences and the reason.
    pub(super) fn proposal(&self, proposal: &Proposal) -> String {
        let differences = self.differences(proposal);
        let more = differences.len().saturating_sub(FIRST);
        let mut first: Vec<String> = differences.iter().take(FIRST).map(|d| cut(d, 80)).collect();
        if more > 0 {
            first.push(format!("and {more} more"));
        }
        let first = if first.is_empty() { "nothing that differs".to_owned() } else { first.join("; ") };
        let why = if proposal.why.is_empty() { String::new() } else { format!(" (why: {})", cut(&proposal.why, 120)) };
        format!("{}: {first}{why}", proposal.n)
    }

    /// Who handed work over and did nothing since, the latest last.
    pub(super) fn handoffs(&self) -> Vec<Record> {
        let ends = self.desk.run.ledgers.iter().filter(|(_, end)| end.event.split(' ').next() == Some("handoff"));
        let read = |agent: &str, tick: u64| {
            let bytes = self.desk.ledger(agent, TAIL).ok()?;
            bytes.rsplit(|b| *b == b'\n').filter_map(ledger::parse_line).find(|record| record.tick == tick)
        };
        let found = ends.filter_map(|(agent, end)| read(agent, end.work_tick)).collect();
        by_number(found, |record: &Record| record.tick)
    }

    /// Who wakes the run, where it waits.
    pub(super) fn woken_by(&self, ctx: &Ctx) -> Option<&'static str> {
        let waits = self.snapshot.view.phases.iter().any(|p| p.status == Status::Waiting);
        waits.then(|| ctx.woken_by(self.desk, self.snapshot.waits_in_sight(ctx.world.now())))
    }

    fn settled(&self) -> (usize, usize) {
        let phases = &self.snapshot.view.phases;
        (phases.iter().filter(|p| p.status == Status::Complete).count(), phases.len())
    }

    fn session(&self) -> String {
        match self.owner {
            None if self.desk.run.claim_until > 0 => "none yet; the next one that starts here".to_owned(),
            None => "none".to_owned(),
            Some(s) if attach::is_live(s) => format!("{} {}", s.host, short(&s.session)),
            Some(s) => format!("{} {}, ended", s.host, short(&s.session)),
        }
    }

    pub(super) fn approval(&self) -> String {
        let version = self.snapshot.head.as_ref().map_or(0, |h| h.version);
        match self.snapshot.attestation {
            Attestation::Approved => format!("approved, version {version}"),
            Attestation::Changed => format!("changed since version {version}, which goes on"),
            Attestation::Revoked => format!("version {version} was revoked"),
            other => other.word().to_owned(),
        }
    }

    fn short(&self, ctx: &Ctx) {
        let out = ctx.out;
        let done = if self.snapshot.view.phases.is_empty() {
            "no phases yet".to_owned()
        } else {
            self.snapshot.view.progress()
        };
        out.plain(&format!("{}: {done}, {}, {}", self.place.name(), self.mode().word(), self.approval()));
        for phase in &self.snapshot.view.phases {
            let (settled, steps) = render::steps(phase);
            let claimed = if phase.claimed { ", claimed" } else { "" };
            let boxes = if steps > 0 { format!(", {settled}/{steps} steps") } else { String::new() };
            let proof = if phase.needs_proof { format!(", proof {}", self.proof(phase)) } else { String::new() };
            let waits = if phase.waits.is_empty() { String::new() } else { format!(" {}", phase.waits) };
            let ended = matches!(phase.status, Status::Failed | Status::Skipped) && !phase.run.why.is_empty();
            let why = if ended { format!(": {}", phase.run.why) } else { String::new() };
            out.plain(&format!("  {} {}{waits}{claimed}{boxes}{proof}{why}", phase.id, phase.status.word()));
        }
        let resume = if self.desk.run.paused { " (go on: steadfast resume)" } else { "" };
        out.plain(&format!("gate: {}{resume}; session: {}", self.verdict(ctx).word(), self.session()));
        for problem in self.problems().iter().take(5) {
            out.plain(&format!("problem: {}", sentence(problem)));
        }
        for proposal in self.proposals.iter().filter(|p| p.asked.is_ok()) {
            out.plain(&format!("proposal {}", self.proposal(proposal)));
        }
        for record in self.handoffs() {
            out.plain(&format!("handoff {}", handoff(&record)));
        }
        self.last(ctx);
    }

    /// The word for a proof, and what is to be said about it.
    pub(super) fn proof(&self, phase: &crate::core::view::PhaseView) -> String {
        let word = render::proof(phase, self.tree.as_deref(), self.desk.run.edit_tick);
        remark(&phase.run).map_or_else(|| word.to_owned(), |remark| format!("{word} ({remark})"))
    }

    fn last(&self, ctx: &Ctx) {
        if let Some(who) = self.woken_by(ctx) {
            ctx.out.line(&format!("woken by: {who}"));
        }
        ctx.out.line(&render::ahead(ctx.out, self.place, self.snapshot, self.next));
    }
}

pub(super) fn sentence(problem: &Value) -> String {
    let text = |key: &str| problem.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = problem
        .get("line")
        .and_then(Value::as_u64)
        .filter(|l| *l > 0)
        .map(|l| format!("line {l}: "))
        .unwrap_or_default();
    format!("{line}{}. Fix: {}", text("what"), text("fix"))
}

/// A handoff in one line: who, how far the work is, which phase, what was said.
pub(super) fn handoff(record: &Record) -> String {
    let status = ledger::handed_over(record).unwrap_or("unknown");
    let phase = if record.phase.is_empty() { String::new() } else { format!(" {}", record.phase) };
    flatten(&format!("{}: {status}{phase}: {}", record.agent, cut(&record.summary, 120)))
}

fn short(session: &str) -> String {
    session.chars().take(8).collect()
}
