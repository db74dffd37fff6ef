//! What stands under the line that opens a phase: steps, status lines, contract fields.

use std::ops::Range;

use crate::core::plan::{Fields, Phase, Problem, Status, Step, StepState};
use crate::core::plan_read::items::{boxed, item};
use crate::core::plan_read::lines::Line;
use crate::core::plan_read::name::joined;
use crate::core::plan_read::status::{self, Token};
use crate::core::plan_read::{Notes, fields, label};

/// A status line.
#[derive(Clone, Debug)]
struct Written {
    status: Status,
    note: String,
    text: String,
    span: Option<Range<usize>>,
    explicit: bool,
    indent: usize,
    line: usize,
}

/// The body of a phase.
#[derive(Debug, Default)]
pub(super) struct Body {
    steps: Vec<Step>,
    fields: Fields,
    /// Status lines before the first heading inside.
    own: Vec<Written>,
    /// Status lines under headings inside.
    inner: Vec<Written>,
    /// Something was meant to be a contract field.
    near_miss: bool,
    /// A box or bracket says that something is under way.
    started: bool,
    /// Offset after the last line of the last step.
    after_steps: Option<usize>,
}

/// Reads the lines of a body.
pub(super) fn read(lines: &[Line<'_>], notes: &mut Notes) -> Body {
    let mut body = Body::default();
    let mut below = false;
    let mut open_box: Option<usize> = None;
    let mut step_end: Option<usize> = None;
    let mut after_blank = false;
    for line in lines {
        let indent = line.indent();
        if line.hidden || !line.text().trim().is_empty() {
            // Code and comments that follow a step at once belong to it, however they are indented.
            if step_end.is_some_and(|of| indent > of || (line.hidden && !after_blank)) {
                body.after_steps = Some(line.end);
            }
        }
        if line.blank() {
            after_blank |= !line.hidden;
            continue;
        }
        if line.text().trim_start().starts_with('#') && indent < 4 {
            below = true;
            (open_box, step_end) = (None, None);
            continue;
        }
        let item = item(line.text());
        let found = item.and_then(|item| boxed(item.content).map(|found| (item, found)));
        if let Some((item, found)) = found {
            if open_box.is_some_and(|of| item.indent >= of + 2) {
                continue;
            }
            (open_box, step_end) = (Some(item.indent), Some(item.indent));
            body.after_steps = Some(line.end);
            body.started |= found.status == Status::InProgress;
            body.steps.push(Step {
                text: joined(found.rest),
                state: found.state(),
                line: line.number,
                mark: line.span(found.inner),
            });
        } else {
            if open_box.is_some_and(|of| indent < of + 2 && (item.is_some() || after_blank)) {
                open_box = None;
            }
            if step_end.is_some_and(|of| indent <= of) {
                step_end = None;
            }
            body.label(line, indent, below, notes);
        }
        after_blank = false;
    }
    body
}

impl Body {
    fn label(&mut self, line: &Line<'_>, indent: usize, below: bool, notes: &mut Notes) {
        let Some(label) = label::read(line.text()) else { return };
        if !label.is_status() {
            let problem = fields::take(label, line.number, &mut self.fields);
            self.near_miss |= problem.is_some();
            notes.blockers.extend(problem);
            return;
        }
        let token = status::read(label.value);
        let written = Written {
            status: token.status,
            note: joined(token.note),
            text: joined(token.text),
            span: line.span(token.text),
            explicit: token.written,
            indent,
            line: line.number,
        };
        if below { self.inner.push(written) } else { self.own.push(written) }
    }

    /// The status line that counts: the outermost, a known word before an unknown one, the first.
    fn status_line(&self) -> Option<&Written> {
        match (self.own.is_empty(), self.inner.as_slice()) {
            (true, [only]) => Some(only),
            _ => self.own.iter().min_by_key(|written| (written.indent, written.status == Status::Unknown)),
        }
    }

    /// What boxes and the parts inside say, where nobody wrote a status.
    pub(super) fn derived(&self) -> Option<Status> {
        let boxes = self.steps.iter().filter(|step| step.state != StepState::Dropped);
        let boxes = boxes.map(|step| (step.state == StepState::Done, false));
        let parts = self.inner.iter().filter(|part| part.status != Status::Skipped);
        let parts = parts.map(|part| (part.status == Status::Complete, part.status == Status::InProgress));
        let all: Vec<(bool, bool)> = boxes.chain(parts).collect();
        let done = all.iter().filter(|(done, _)| *done).count();
        if all.is_empty() {
            return None;
        }
        Some(if done == all.len() {
            Status::Complete
        } else if done > 0 || self.started || all.iter().any(|(_, started)| *started) {
            Status::InProgress
        } else {
            Status::Pending
        })
    }

    /// Whether a status line counts for the phase.
    pub(super) fn has_status_line(&self) -> bool {
        self.status_line().is_some()
    }

    /// Whether anything says that this is a phase and no mere heading.
    pub(super) fn speaks(&self) -> bool {
        self.near_miss
            || !self.steps.is_empty()
            || !self.own.is_empty()
            || !self.inner.is_empty()
            || self.fields != Fields::default()
    }

    /// Fills the phase: a status line wins over a tag beside the name, that over the boxes.
    pub(super) fn fill(self, phase: &mut Phase, opening: &Line<'_>, tag: Option<Token<'_>>, notes: &mut Notes) {
        phase.spans.status_insert = self.after_steps.unwrap_or(opening.end);
        let written = self.status_line().cloned();
        if let Some(written) = written {
            phase.status = written.status;
            phase.note = written.note;
            phase.explicit = written.explicit;
            phase.spans.status = written.span;
            if written.status == Status::Unknown {
                notes.unknown(written.line, &written.text);
            }
            if self.own.len() > 1 {
                let other = self.own.iter().find(|own| own.line != written.line).map_or(written.line, |own| own.line);
                notes.problems.push(Problem {
                    line: other,
                    what: format!("a second status line; the one in line {} counts", written.line),
                    fix: "keep one status line per phase".to_owned(),
                });
            }
        } else if let Some(tag) = tag {
            phase.status = tag.status;
            phase.note = joined(tag.note);
            phase.explicit = true;
            phase.spans.status = opening.span(tag.text);
        } else if let Some(derived) = self.derived() {
            phase.status = derived;
        }
        phase.steps = self.steps;
        phase.fields = self.fields;
    }
}
