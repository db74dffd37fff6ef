//! `status`: where the run stands.

use serde_json::{Value, json};

use crate::commands::ctx::Ctx;
use crate::commands::{prove, render};
use crate::core::contract::Mode;
use crate::core::gate::{self, Behind, Facts, Verdict, Work};
use crate::core::next::{self, Next};
use crate::core::plan::{Status, StepState};
use crate::core::proof::remark;
use crate::core::text::{cut, flatten};
use crate::error::Result;
use crate::output::Style;
use crate::store::attach;
use crate::store::desk::Found;
use crate::store::proposals::{self, Proposal};
use crate::store::{Attestation, Desk, Place, Session, Snapshot};

/// How many differences of a proposal stand in its line.
const FIRST: usize = 3;

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
fn with<T>(ctx: &Ctx, place: &Place, desk: &Desk, snapshot: &Snapshot, show: impl FnOnce(&Seen<'_>) -> T) -> T {
    let owner = ctx.state().ok().and_then(|state| attach::owner(&state, desk));
    let next = next::next(&snapshot.view);
    let proven = snapshot.view.phases.iter().any(|p| !p.run.tree.is_empty());
    let tree = if proven { prove::tree_of(ctx, place) } else { None };
    let proposals = proposals::open(desk, snapshot);
    show(&Seen { place, desk, snapshot, owner: owner.as_ref(), next: &next, proposals: &proposals, tree })
}

struct Seen<'a> {
    place: &'a Place,
    desk: &'a Desk,
    snapshot: &'a Snapshot,
    owner: Option<&'a Session>,
    next: &'a Next,
    proposals: &'a [Proposal],
    /// The working tree, where a proof stands for one.
    tree: Option<String>,
}

impl Seen<'_> {
    fn mode(&self) -> Mode {
        self.snapshot.head.as_ref().map_or(Mode::Plain, |h| h.mode)
    }

    fn goal(&self) -> &str {
        self.snapshot.head.as_ref().map_or(self.snapshot.view.goal.as_str(), |h| h.goal.as_str())
    }

    fn cap(ctx: &Ctx) -> u32 {
        ctx.world.var("PWF_GATE_CAP").and_then(|v| v.parse().ok()).unwrap_or(gate::DEFAULT_CAP)
    }

    /// What the gate would say if the attached session stopped now, plainly.
    fn verdict(&self, ctx: &Ctx) -> Verdict {
        if self.desk.found != Found::Whole && self.owner.is_some() {
            return Verdict::Error;
        }
        let mark = self.owner.and_then(|s| s.mark_at_hold);
        gate::decide(&Facts {
            gated: self.snapshot.gated(),
            paused: self.desk.run.paused,
            attached: self.owner.is_some(),
            work: if self.snapshot.contract.is_none() { Work::Open } else { next::work(&self.snapshot.view, false) },
            active: false,
            hold: false,
            behind: Behind::Nothing,
            asks: false,
            blocks: self.desk.blocks(),
            cap: Self::cap(ctx),
            turn_holds: self.owner.map_or(0, |s| s.turn_holds),
            held_before: mark.is_some(),
            progressed: mark.is_some_and(|old| self.desk.run.mark.exceeds(old)),
        })
    }

    /// What a person should know.
    fn problems(&self) -> Vec<Value> {
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
    fn proposal(&self, proposal: &Proposal) -> String {
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

    fn value(&self, ctx: &Ctx) -> Value {
        let view = &self.snapshot.view;
        let phases: Vec<Value> = view
            .phases
            .iter()
            .map(|p| {
                json!({
                    "id": p.id, "number": p.number, "title": p.title, "status": p.status.word(), "claimed": p.claimed,
                    "proof": render::proof(p, self.tree.as_deref()), "remark": remark(&p.run), "exit": p.run.exit, "tries": p.run.tries, "depends_on": p.depends_on, "why": p.run.why, "waits": p.waits,
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
            "problems": self.problems(),
            "proposals": self.proposals.iter().map(|p| json!({ "n": p.n, "why": p.why, "differences": self.differences(p) })).collect::<Vec<_>>(),
        })
    }

    fn bad_lines(&self) -> u32 {
        self.desk
            .agents()
            .iter()
            .filter_map(|agent| Some((agent, self.desk.ledger(agent, 4 * 1024 * 1024).ok()?)))
            .map(|(agent, bytes)| crate::core::ledger::fold([(agent.as_str(), bytes.as_slice())]).bad_lines)
            .sum()
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

    fn approval(&self) -> String {
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
            out.plain(&format!("  {} {}{waits}{claimed}{boxes}{proof}", phase.id, phase.status.word()));
        }
        let resume = if self.desk.run.paused { " (go on: steadfast resume)" } else { "" };
        out.plain(&format!("gate: {}{resume}; session: {}", self.verdict(ctx).word(), self.session()));
        for problem in self.problems().iter().take(5) {
            out.plain(&format!("problem: {}", sentence(problem)));
        }
        for proposal in self.proposals.iter().filter(|p| p.asked.is_ok()) {
            out.plain(&format!("proposal {}", self.proposal(proposal)));
        }
        self.last(ctx);
    }

    /// The word for a proof, and what is to be said about it.
    fn proof(&self, phase: &crate::core::view::PhaseView) -> String {
        let word = render::proof(phase, self.tree.as_deref());
        remark(&phase.run).map_or_else(|| word.to_owned(), |remark| format!("{word} ({remark})"))
    }

    fn last(&self, ctx: &Ctx) {
        if self.snapshot.view.phases.iter().any(|p| p.status == Status::Waiting) {
            let in_sight = self.snapshot.waits_in_sight(ctx.world.now());
            ctx.out.line(&format!("woken by: {}", ctx.woken_by(self.desk, in_sight)));
        }
        ctx.out.line(&render::ahead(ctx.out, self.place, self.snapshot, self.next));
    }

    fn terminal(&self, ctx: &Ctx) {
        let out = ctx.out;
        let (done, total) = self.settled();
        out.line("");
        out.line(&format!("  {}  {}", out.paint(Style::Bold, self.goal()), out.paint(Style::Dim, self.place.name())));
        out.line(&format!(
            "  {}  {}   {}   {}",
            render::bar(out, done, total, 32),
            self.snapshot.view.progress(),
            self.mode().word(),
            self.approval()
        ));
        out.line("");
        for phase in &self.snapshot.view.phases {
            self.phase(ctx, phase);
        }
        out.line("");
        let verdict = self.verdict(ctx);
        let style = if verdict == Verdict::Done { Style::Green } else { Style::Yellow };
        let says = match verdict {
            Verdict::Hold => "would hold a stop now".to_owned(),
            Verdict::Paused => "paused: every stop is let go until steadfast resume".to_owned(),
            Verdict::NotAttached => "holds once a session is attached: steadfast run claude".to_owned(),
            other => format!("would let a stop go: {}", other.word()),
        };
        let blocks = self.desk.blocks().map_or_else(|| "unreadable".to_owned(), |b| b.to_string());
        out.line(&format!(
            "  {}     {}   {}",
            out.paint(Style::Dim, "gate"),
            out.paint(style, &says),
            out.paint(
                Style::Dim,
                &format!("{blocks} of {} blocks, {} holds in all", Self::cap(ctx), self.desk.run.holds)
            )
        ));
        out.line(&format!("  {}  {}", out.paint(Style::Dim, "session"), out.paint(Style::Plain, &self.session())));
        for problem in self.problems().iter().take(8) {
            out.line(&format!(
                "  {}  {}",
                out.paint(Style::Red, "problem"),
                out.paint(Style::Plain, &sentence(problem))
            ));
        }
        for proposal in self.proposals.iter().filter(|p| p.asked.is_ok()) {
            out.line(&format!(
                "  {} {}",
                out.paint(Style::Yellow, "proposal"),
                out.paint(Style::Plain, &self.proposal(proposal))
            ));
        }
        if let Some(first) = self.proposals.iter().find(|p| p.asked.is_ok()) {
            let how = format!("to approve: steadfast attest --proposal {}, or approve plan in the chat", first.n);
            out.line(&format!("           {}", out.paint(Style::Dim, &how)));
        }
        self.last(ctx);
        out.line("");
    }

    fn phase(&self, ctx: &Ctx, phase: &crate::core::view::PhaseView) {
        let out = ctx.out;
        let (mark, style) = render::mark(phase);
        let (settled, steps) = render::steps(phase);
        let mut notes = Vec::new();
        if steps > 0 {
            notes.push(format!("{settled}/{steps}"));
        }
        if phase.claimed {
            notes.push("claimed, not proven".to_owned());
        }
        if phase.needs_proof && !(phase.status == Status::Pending) {
            let exit = phase.run.exit.filter(|e| *e != 0).map(|e| format!(", exit {e}")).unwrap_or_default();
            notes.push(format!("proof {}{exit}", self.proof(phase)));
        }
        if phase.vanished && self.snapshot.contract.is_some() {
            notes.push("no longer in the file".to_owned());
        }
        if !phase.waits.is_empty() {
            notes.push(format!("waits {}", phase.waits));
        } else if !phase.run.why.is_empty() && !phase.settled() || phase.status == Status::Skipped {
            notes.push(phase.run.why.clone());
        }
        let title = if phase.settled() {
            Style::Dim
        } else if phase.status == Status::InProgress {
            Style::Bold
        } else {
            Style::Plain
        };
        out.line(&format!(
            "  {} {} {}  {}",
            out.paint(style, mark),
            phase.number,
            out.paint(title, &phase.title),
            out.paint(Style::Dim, &notes.join(", "))
        ));
        if phase.status == Status::InProgress || phase.claimed {
            for (text, state) in &phase.steps {
                let (sign, style) = match state {
                    StepState::Open => ("☐", Style::Plain),
                    StepState::Done => ("☑", Style::Dim),
                    StepState::Dropped => ("☒", Style::Dim),
                };
                out.line(&format!("       {}", out.paint(style, &format!("{sign} {text}"))));
            }
        }
    }
}

fn sentence(problem: &Value) -> String {
    let text = |key: &str| problem.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = problem
        .get("line")
        .and_then(Value::as_u64)
        .filter(|l| *l > 0)
        .map(|l| format!("line {l}: "))
        .unwrap_or_default();
    format!("{line}{}. Fix: {}", text("what"), text("fix"))
}

fn step_word(state: StepState) -> &'static str {
    match state {
        StepState::Open => "open",
        StepState::Done => "done",
        StepState::Dropped => "dropped",
    }
}

fn short(session: &str) -> String {
    session.chars().take(8).collect()
}
