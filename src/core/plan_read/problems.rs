//! What is wrong with the text of a plan without making it unreadable.

use std::collections::HashMap;

use super::Notes;
use super::fold::is_any;
use super::label;
use super::lines::Line;
use super::name;
use super::outline::Outline;
use crate::core::plan::{Phase, Problem, Status, StepState};

const CURRENT: [&str; 8] = [
    "current phase",
    "当前阶段",
    "當前階段",
    "現在のフェーズ",
    "fase actual",
    "fase atual",
    "aktuelle phase",
    "phase actuelle",
];

/// Conflict markers and bytes that are no UTF-8.
pub(super) fn in_lines(lines: &[Line<'_>], notes: &mut Notes) {
    let marker =
        |text: &str, mark: &str| text.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let mut inside = false;
    for line in lines.iter().filter(|line| !line.hidden) {
        let text = line.text().trim_end();
        let opens = marker(text, "<<<<<<<");
        let closes = marker(text, ">>>>>>>");
        let divides = inside && (marker(text, "=======") || marker(text, "|||||||"));
        inside = opens || (inside && !closes);
        if opens || closes || divides {
            notes.blockers.push(Problem {
                line: line.number,
                what: "an unresolved merge conflict".to_owned(),
                fix: "resolve it and take the marker lines out".to_owned(),
            });
        }
    }
    if let Some(line) = lines.iter().find(|line| !line.exact) {
        notes.problems.push(Problem {
            line: line.number,
            what: "not valid UTF-8".to_owned(),
            fix: "save the file as UTF-8".to_owned(),
        });
    }
}

/// Contradictions and doubles among the phases.
pub(super) fn in_phases(phases: &[Phase], notes: &mut Notes) {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut working: Option<usize> = None;
    for phase in phases {
        let open = phase.steps.iter().filter(|step| step.state == StepState::Open).count();
        if phase.status == Status::Complete && open > 0 {
            notes.problems.push(Problem {
                line: phase.line,
                what: format!("the phase is complete, but {open} of its boxes are open"),
                fix: "check the boxes, or set the status back".to_owned(),
            });
        }
        if phase.status == Status::InProgress {
            if let Some(first) = working {
                notes.problems.push(Problem {
                    line: phase.line,
                    what: format!("a second phase in progress; the first is in line {first}"),
                    fix: "keep one phase in progress".to_owned(),
                });
            }
            working = working.or(Some(phase.line));
        }
        if let Some(number) = phase.number.as_deref()
            && let Some(first) = numbers.insert(number, phase.line)
        {
            notes.problems.push(Problem {
                line: phase.line,
                what: format!("a second phase has the number {number}; the first is in line {first}"),
                fix: "number the phases differently".to_owned(),
            });
        }
    }
}

/// A `Current Phase` that the statuses contradict.
pub(super) fn current_phase(outline: &Outline<'_>, phases: &[Phase], notes: &mut Notes) {
    let Some((line, text)) = said(outline) else { return };
    let Some(number) = name::read(text).number.or_else(|| name::lone_number(text)) else { return };
    let Some(working) = phases.iter().find(|phase| phase.status == Status::InProgress) else { return };
    let named = phases.iter().find(|phase| phase.number.as_deref() == Some(number.text.as_str()));
    if named.is_some_and(|named| named.line != working.line) {
        notes.problems.push(Problem {
            line,
            what: format!("the current phase is said to be {}, but `{}` is in progress", number.text, working.title),
            fix: "let the statuses say it, and take this out".to_owned(),
        });
    }
}

/// What the file says the current phase is.
fn said<'t>(outline: &Outline<'t>) -> Option<(usize, &'t str)> {
    if let Some(heading) = outline.headings.iter().find(|heading| is_any(heading.text, &CURRENT)) {
        let line = outline.lines.iter().skip(heading.line + 1).find(|line| !line.blank())?;
        return Some((line.number, line.text().trim()));
    }
    let visible = outline.lines.iter().filter(|line| !line.blank());
    let mut labels = visible.filter_map(|line| Some((line.number, label::read(line.text())?)));
    labels.find(|(_, label)| is_any(label.key, &CURRENT)).map(|(line, label)| (line, label.value))
}
