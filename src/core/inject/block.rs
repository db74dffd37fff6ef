//! The block in its forms.

use super::data::{Row, data, legend, list, marked, tag};
use super::{Block, FULL_TOKENS, MAX_CHARS, SHORT_TOKENS, at_hand, outcome, standing};
use crate::core::contract::Mode;
use crate::core::next::{Kind, name};
use crate::core::plan::{Status, StepState};
use crate::core::text::cost;
use crate::core::view::PhaseView;

/// How much of the data a form shows. Tried from the widest on until the text fits.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    /// Columns of every string.
    pub(super) width: usize,
    steps: usize,
    /// Phases in the list.
    pub(super) rows: usize,
    agents: usize,
}

const FITS: [Fit; 23] = [
    Fit { width: 80, steps: 3, rows: 40, agents: 6 },
    Fit { width: 72, steps: 3, rows: 28, agents: 5 },
    Fit { width: 64, steps: 3, rows: 24, agents: 4 },
    Fit { width: 56, steps: 3, rows: 16, agents: 3 },
    Fit { width: 52, steps: 3, rows: 14, agents: 3 },
    Fit { width: 48, steps: 3, rows: 12, agents: 3 },
    Fit { width: 44, steps: 3, rows: 10, agents: 2 },
    Fit { width: 40, steps: 3, rows: 9, agents: 2 },
    Fit { width: 36, steps: 3, rows: 9, agents: 2 },
    Fit { width: 32, steps: 3, rows: 8, agents: 2 },
    Fit { width: 32, steps: 2, rows: 8, agents: 2 },
    Fit { width: 28, steps: 2, rows: 8, agents: 2 },
    Fit { width: 36, steps: 1, rows: 8, agents: 2 },
    Fit { width: 32, steps: 1, rows: 8, agents: 2 },
    Fit { width: 28, steps: 1, rows: 7, agents: 2 },
    Fit { width: 26, steps: 1, rows: 7, agents: 2 },
    Fit { width: 24, steps: 1, rows: 7, agents: 2 },
    Fit { width: 22, steps: 1, rows: 7, agents: 2 },
    Fit { width: 20, steps: 1, rows: 7, agents: 2 },
    Fit { width: 18, steps: 1, rows: 6, agents: 2 },
    Fit { width: 16, steps: 1, rows: 5, agents: 2 },
    Fit { width: 12, steps: 1, rows: 3, agents: 1 },
    Fit { width: 8, steps: 1, rows: 1, agents: 1 },
];

/// The first text that fits; the narrowest one where none does.
pub(super) fn fitted(tokens: usize, render: impl Fn(Fit) -> String) -> String {
    let mut last = String::new();
    for fit in FITS {
        last = render(fit);
        if cost(&last) <= tokens && last.chars().count() <= MAX_CHARS {
            break;
        }
    }
    last
}

/// The full form: for the start of a session, after compaction, and when the plan changed.
pub fn full(block: &Block<'_>) -> String {
    let rows: Vec<_> = block.view.phases.iter().map(row).collect();
    let legend = legend(&rows);
    let legend = if legend.is_empty() { legend } else { format!("{legend}. ") };
    let gate = if block.mode == Mode::Gate { " A stop while work is open is held." } else { "" };
    fitted(FULL_TOKENS, |fit| {
        let mut lines = vec![format!("goal: {}", data(&block.view.goal, fit.width))];
        lines.extend(list(&rows, block.next.phase, fit.rows, fit.width));
        lines.extend(
            at_hand(block.view, block.next).map(|phase| format!("now: phase {}, {}", phase.number, standing(phase))),
        );
        lines.extend(details(block, fit));
        format!(
            "{}\n{legend}The plan is task_plan.md; change statuses with `steadfast step`, `steadfast done` and \
             `steadfast fail --why \"...\"`.{gate}\n{}",
            marked(tag(block.digest), &lines),
            next_line(block)
        )
    })
}

/// The short form: for every other turn.
pub fn short(block: &Block<'_>) -> String {
    fitted(SHORT_TOKENS, |fit| format!("{}\n{}", brief(block, fit), next_line(block)))
}

/// The short form for a subagent, which works on what it was asked and leaves the plan alone.
pub fn subagent(block: &Block<'_>) -> String {
    const WORDS: &str = "You are a subagent of this run: do your own part and report it. Do not edit the plan.";
    fitted(SHORT_TOKENS, |fit| format!("{}\n{WORDS}", brief(block, fit)))
}

/// One line after `calls` tool calls without a record of work.
pub fn anchor(block: &Block<'_>, calls: u32) -> String {
    let tag = tag(block.digest);
    fitted(80, |fit| {
        let place = at_hand(block.view, block.next).map_or_else(String::new, |phase| {
            let step = block.next.step.and_then(|index| Some((index, phase.steps.get(index)?)));
            let step = step.map_or_else(String::new, |(index, (text, _))| {
                format!(", step {}: {}", index + 1, data(text, fit.width))
            });
            format!(" [plan {tag}] phase {} {}{step} [/plan {tag}]", phase.number, data(&phase.title, fit.width))
        });
        format!(
            "{calls} tool calls without a record.{place} Still on it? Record it: `{}`, or `steadfast log progress \"...\"`.",
            block.next.command
        )
    })
}

fn brief(block: &Block<'_>, fit: Fit) -> String {
    let view = block.view;
    let all = view.phases.len();
    let mut lines = vec![format!("goal: {}", data(&view.goal, fit.width))];
    lines.push(match at_hand(view, block.next) {
        Some(phase) => format!("phase {}/{all}: {} ({})", phase.number, data(&phase.title, fit.width), standing(phase)),
        None => format!("{}/{all} phases done", view.count(Status::Complete)),
    });
    lines.extend(details(block, fit));
    marked(tag(block.digest), &lines)
}

/// Open steps, last check, recorded reason, last records of work.
fn details(block: &Block<'_>, fit: Fit) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(phase) = at_hand(block.view, block.next) {
        lines.extend(open_steps(phase, fit));
        if !phase.tools.is_empty() {
            lines.push(format!("tools: {}", data(&phase.tools.join(", "), fit.width)));
        }
        lines.extend(block.check.map(|check| format!("check: {}", outcome(check))));
        let waits = data(&phase.waits, fit.width);
        let why = data(&phase.run.why, fit.width);
        if !waits.is_empty() {
            lines.push(format!("waits {waits}"));
        } else if !why.is_empty() && matches!(phase.status, Status::Failed | Status::Waiting) {
            lines.push(format!("why: {why}"));
        }
    }
    if block.tick > 0 {
        let agents = block.agents.iter().take(fit.agents).map(|last| {
            let (agent, event) = (data(&last.agent, 24), data(&last.event, 40));
            if last.tick == block.tick {
                format!("; {agent}: {event}")
            } else {
                format!("; {agent}: {event} @{}", last.tick)
            }
        });
        let agents: String = agents.collect();
        let rest = block.agents.len().saturating_sub(fit.agents);
        let rest = if rest == 0 { String::new() } else { format!("; +{rest}") };
        lines.push(format!("last work: tick {}{agents}{rest}", block.tick));
    }
    lines
}

fn open_steps(phase: &PhaseView, fit: Fit) -> Option<String> {
    let open: Vec<_> = phase.steps.iter().enumerate().filter(|(_, (_, state))| *state == StepState::Open).collect();
    let rest = open.len().saturating_sub(fit.steps);
    let rest = if rest == 0 { String::new() } else { format!("; +{rest}") };
    let shown: Vec<_> =
        open.iter().take(fit.steps).map(|(i, (text, _))| format!("{} {}", i + 1, data(text, fit.width))).collect();
    (!shown.is_empty()).then(|| format!("open: {}{rest}", shown.join("; ")))
}

/// The sign of a status in a list.
pub(super) fn mark(status: Status) -> char {
    match status {
        Status::Complete => 'x',
        Status::InProgress => '*',
        Status::Pending => '.',
        Status::Failed => '!',
        Status::Skipped => '-',
        Status::Waiting => '~',
        Status::Unknown => '?',
    }
}

fn row(phase: &PhaseView) -> Row<'_> {
    let mark = if phase.claimed { '?' } else { mark(phase.status) };
    Row { mark, number: phase.number.to_string(), title: &phase.title }
}

/// What comes next and the command that moves it on, in our own words.
fn next_line(block: &Block<'_>) -> String {
    let (next, command) = (block.next, &block.next.command);
    let phase = next.phase.and_then(|index| block.view.phases.get(index));
    let number = phase.map_or(0, |phase| phase.number);
    match (next.kind, next.step) {
        (Kind::Work, Some(step)) => format!("Next: step {}, then `{command}`.", step + 1),
        (Kind::Work, None) if phase.is_some_and(|p| p.claimed) => {
            format!("Next: phase {number} says complete, but its check has not passed: `{command}`.")
        }
        (Kind::Work, None) => format!("Next: finish phase {number}, then `{command}`."),
        (Kind::Start, _) if phase.is_some_and(|p| p.status == Status::Failed) => {
            format!("Next: phase {number} failed; try again or change the approach: `{command}`.")
        }
        (Kind::Start, _) => format!("Next: `{command}`, then do phase {number}."),
        (Kind::Waiting, _) => format!("Next: nothing until phase {number} need not wait any longer."),
        (Kind::Blocked, _) => match phase {
            Some(phase) => format!(
                "Next: phase {number} failed too often and blocks the rest. Ask the user, or `steadfast skip {} --why \"...\"`.",
                name(block.view, phase)
            ),
            None => "Next: nothing is ready; the dependencies cannot be met. Ask the user.".to_owned(),
        },
        (Kind::Plan, _) if block.view.phases.is_empty() => {
            format!("Next: write the phases into task_plan.md, then `{command}`.")
        }
        (Kind::Plan, _) => {
            format!("Next: nothing is left but parked phases. Add phases, then `{command}`, or ask the user.")
        }
        (Kind::Done, _) => "Next: nothing; the plan is done.".to_owned(),
    }
}
