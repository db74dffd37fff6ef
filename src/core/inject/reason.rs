//! The reason of a hold.

use super::data::data;
use super::{REASON_TOKENS, SENTINEL, at_hand, last_check, outcome};
use crate::core::gate::Work;
use crate::core::next::{Kind, Next, name};
use crate::core::text::cost;
use crate::core::view::View;

const WIDTHS: [usize; 17] = [80, 72, 64, 56, 50, 44, 40, 36, 32, 28, 25, 22, 20, 18, 16, 12, 8];

/// Why a stop is held: what this is, the phase and step that are open, what is missing, the command that moves it on, and the
/// honest way out.
pub fn reason(view: &View, next: &Next, work: Work) -> String {
    let mut last = String::new();
    for width in WIDTHS {
        last =
            format!("{SENTINEL} automatic, not the user, no consent to anything.\n{}", body(view, next, work, width));
        if cost(&last) <= REASON_TOKENS {
            break;
        }
    }
    last
}

/// Why the stop of a plan that was never written is held.
pub fn draft_reason(goal: &str, file: &str) -> String {
    let mut last = String::new();
    for width in WIDTHS {
        last = format!(
            "{SENTINEL} automatic, not the user, no consent to anything.\nThe plan for \"{}\" has no phases in force. Write them \
             into {}, then: steadfast attest\nUnclear what is wanted: ask the user.",
            data(goal, width),
            data(file, 120)
        );
        if cost(&last) <= REASON_TOKENS {
            break;
        }
    }
    last
}

fn body(view: &View, next: &Next, work: Work, width: usize) -> String {
    let command = &next.command;
    if work == Work::Stale {
        return "Every phase is complete, but a proof is missing or files changed after it. Run once: steadfast check --all"
            .to_owned();
    }
    let Some(phase) = at_hand(view, next) else {
        return format!("Work is left: {}. See: {command}", data(&next.why, width));
    };
    let (number, all, id) = (phase.number, view.phases.len(), name(view, phase));
    // The step says more than the title, which the number stands for.
    let title = data(&phase.title, width * 3 / 4);
    let out = format!("Stuck: steadfast wait {id} --human \"...\" or steadfast skip {id} --why \"...\"");
    let check = last_check(phase).filter(|check| !check.passed);
    let check = check.map_or_else(String::new, |check| format!(" Last check: {}.", outcome(check)));
    let step = next.step.and_then(|index| Some((index + 1, phase.steps.get(index)?)));
    let todo = match (next.kind, step) {
        (Kind::Start, _) => format!("Next: phase {number}/{all} {title}.{check}\nBegin: {command}"),
        (_, Some((step, (text, _)))) => format!(
            "Open: phase {number}/{all} {title}, step {step} {}.{check}\nWhen done: {command}",
            data(text, width)
        ),
        _ if phase.claimed => {
            format!(
                "Open: phase {number}/{all} {title}. It says complete, but its check has not passed.{check}\nRun: {command}"
            )
        }
        _ => format!("Open: phase {number}/{all} {title}.{check}\nWhen done: {command}"),
    };
    format!("{todo}\n{out}")
}
