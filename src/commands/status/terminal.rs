//! The status for a person at a terminal.

use super::{Seen, sentence};
use crate::commands::ctx::Ctx;
use crate::commands::render;
use crate::core::gate::Verdict;
use crate::core::plan::{Status, StepState};
use crate::core::view::PhaseView;
use crate::output::Style;

impl Seen<'_> {
    pub(super) fn terminal(&self, ctx: &Ctx) {
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
        for record in self.handoffs() {
            let (label, text) = (out.paint(Style::Yellow, "handoff"), super::handoff(&record));
            out.line(&format!("  {label}  {}", out.paint(Style::Plain, &text)));
        }
        self.last(ctx);
        out.line("");
    }

    fn phase(&self, ctx: &Ctx, phase: &PhaseView) {
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
