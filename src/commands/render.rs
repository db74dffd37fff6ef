//! How a run is shown: lines for people, values for programs.

use serde_json::{Value, json};

use crate::core::next::Next;
use crate::core::plan::{Status, StepState};
use crate::core::proof::is_stale;
use crate::core::run::Proof;
use crate::core::view::{PhaseView, View};
use crate::output::{Output, Style};
use crate::store::{Attestation, Place, Snapshot};

/// `next{kind,phase,step,why}` and the command.
pub(super) fn next_json(view: &View, next: &Next) -> Value {
    let phase = next.phase.and_then(|i| view.phases.get(i));
    let step = phase.zip(next.step).and_then(|(p, s)| p.steps.get(s)).map(|(text, _)| text.as_str());
    json!({ "kind": next.kind.word(), "phase": phase.map(|p| p.id.as_str()), "step": step, "why": next.why, "command": next.command })
}

/// One line: what comes next, and the command.
pub(super) fn next_line(out: Output, view: &View, next: &Next) -> String {
    let phase = next.phase.and_then(|i| view.phases.get(i));
    let what = match (phase, next.step.and_then(|s| phase?.steps.get(s))) {
        (Some(phase), Some((step, _))) => format!("{}: {step}", phase.title),
        (Some(phase), None) => format!("{}: {}", phase.title, next.why),
        (None, _) => next.why.clone(),
    };
    let command =
        if next.command.is_empty() { String::new() } else { format!("  ({})", out.paint(Style::Cyan, &next.command)) };
    format!("{} {}{command}", out.paint(Style::Bold, "next:"), out.paint(Style::Plain, &what))
}

/// One line: what comes next for a plan, approved or not.
pub(super) fn ahead(out: Output, place: &Place, snapshot: &Snapshot, next: &Next) -> String {
    if snapshot.contract.is_some() {
        return next_line(out, &snapshot.view, next);
    }
    let command = |text: &str| out.paint(Style::Cyan, text);
    let label = out.paint(Style::Bold, "next:");
    if snapshot.attestation == Attestation::Revoked {
        return format!("{label} approve it again in a terminal, or leave it: {}", command("steadfast attest"));
    }
    if snapshot.head.is_some() {
        if snapshot.asked.is_ok() {
            return format!("{label} approve what is written: {}", command("steadfast attest"));
        }
        return format!("{label} write the phases into {}, then: {}", place.file(), command("steadfast attest"));
    }
    if !snapshot.has_phases() {
        return format!("{label} {} has no phase list: nothing to follow", place.file());
    }
    if snapshot.attestation == Attestation::Unapproved {
        return format!("{label} approve it in a terminal, or leave it: {}", command("steadfast attest"));
    }
    let init = format!("steadfast init --from {}", place.file());
    format!("{label} nothing of this plan is approved here: {}", command(&init))
}

/// The mark and style of a phase.
pub(super) fn mark(phase: &PhaseView) -> (&'static str, Style) {
    match phase.status {
        _ if phase.claimed => ("?", Style::Yellow),
        Status::Complete => ("✓", Style::Green),
        Status::InProgress => ("▶", Style::Cyan),
        Status::Pending => ("·", Style::Dim),
        Status::Failed => ("✗", Style::Red),
        Status::Skipped => ("–", Style::Dim),
        Status::Waiting => ("⏳", Style::Yellow),
        Status::Unknown => ("?", Style::Yellow),
    }
}

/// A progress bar of a width in columns.
pub(super) fn bar(out: Output, done: usize, total: usize, width: usize) -> String {
    let full = (done * width).checked_div(total).unwrap_or(0);
    let style = if done == total && total > 0 { Style::Green } else { Style::Cyan };
    format!("{}{}", out.paint(style, &"█".repeat(full)), out.paint(Style::Dim, &"░".repeat(width - full)))
}

/// The word for a phase's proof. `tree`: the working tree as it is, where somebody looked; `edit_tick`: of the last recorded edit.
pub(super) fn proof(phase: &PhaseView, tree: Option<&str>, edit_tick: u64) -> &'static str {
    match phase.run.proof {
        Proof::Passed if is_stale(&phase.run, tree, edit_tick) => "stale",
        Proof::None if phase.needs_proof && !phase.run.begun => "missing",
        Proof::None | Proof::Failed if phase.run.begun => Proof::Interrupted.word(),
        proof => proof.word(),
    }
}

/// How many steps are settled, and how many there are.
pub(super) fn steps(phase: &PhaseView) -> (usize, usize) {
    (phase.steps.iter().filter(|(_, s)| *s != StepState::Open).count(), phase.steps.len())
}
