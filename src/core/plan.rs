//! What a person wrote in `task_plan.md`, after lenient reading. Nothing here is approved: see [`crate::core::contract`].

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The status of a phase. Words on disk are the snake case names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    #[default]
    Pending,
    /// Being worked on.
    InProgress,
    /// Finished.
    Complete,
    /// Tried and not achieved; `start` is its retry.
    Failed,
    /// Parked with a reason; dependents go on.
    Skipped,
    /// Handed off to a time, a file, a command or a person.
    Waiting,
    /// A word nobody knows: shown, and counted as open.
    Unknown,
}

impl Status {
    /// The word written to disk.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Waiting => "waiting",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The state of a step's checkbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StepState {
    /// `[ ]`
    #[default]
    Open,
    /// `[x]`
    Done,
    /// `[-]`: dropped with a reason; neither open nor done.
    Dropped,
}

impl StepState {
    /// What stands in its box.
    pub fn mark(self) -> char {
        match self {
            Self::Open => ' ',
            Self::Done => 'x',
            Self::Dropped => '-',
        }
    }
}

/// A checkbox inside a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The text after the box, trimmed.
    pub text: String,
    /// The box.
    pub state: StepState,
    /// Line number, from 1.
    pub line: usize,
    /// The bytes between the brackets, where the line is editable (valid UTF-8).
    pub mark: Option<Range<usize>>,
}

/// Contract fields of a phase, in the order written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// `DependsOn`: ids (or numbers) of phases that come first.
    pub depends_on: Vec<String>,
    /// `Check` and `AcceptanceCheck`: one shell command each, without the surrounding backticks.
    pub checks: Vec<String>,
    /// `Artifact`: paths beneath the project root.
    pub artifacts: Vec<String>,
    /// `Receipt`: keys of side effects to be recorded.
    pub receipts: Vec<String>,
    /// `Approval`: who has to approve (`human`).
    pub approvals: Vec<String>,
    /// `WaitsFor`: conditions (`until ...`, `file ...`, `cmd ...`, `human ...`).
    pub waits_for: Vec<String>,
    /// `Every`: the cadence of a routine, such as `7d`.
    pub every: Option<String>,
    /// `Tool`: tools the phase may use.
    pub tools: Vec<String>,
}

/// Where the bytes of a phase are that a verb may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// The line that opens the phase (heading, list item or table row), without its line ending.
    pub heading: Range<usize>,
    /// The status token, without the note after it. `None` where no status is written or the line is not valid UTF-8.
    pub status: Option<Range<usize>>,
    /// Where a status line is inserted if there is none: the offset after the last step (or the heading) of the phase, before the
    /// line ending.
    pub status_insert: usize,
    /// Where ` {#id}` is inserted. `None` where the line is not valid UTF-8.
    pub id_insert: Option<usize>,
    /// The bytes between the brackets of a phase that is a list item.
    pub mark: Option<Range<usize>>,
}

/// A part of the plan with a status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// The id written as `{#id}` at the end of the heading.
    pub id: Option<String>,
    /// The number as written (`1`, `A`, `P1`), if any.
    pub number: Option<String>,
    /// The title, trimmed, without number, id, tag and emphasis.
    pub title: String,
    /// The status as read.
    pub status: Status,
    /// Whether an explicit status word was written (in a status line, tag, bracket or cell), as against derived from boxes or defaulted.
    pub explicit: bool,
    /// What stands after the status token.
    pub note: String,
    /// The checkboxes of the phase, nested ones left out.
    pub steps: Vec<Step>,
    /// Contract fields.
    pub fields: Fields,
    /// Line number of the heading, from 1.
    pub line: usize,
    /// Editable places.
    pub spans: Spans,
}

/// Which way of writing a phase list was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Phase headings, at least one with an explicit status.
    Headings,
    /// Phase headings with boxes or nothing, no status word anywhere.
    Bare,
    /// A table with a status column.
    Table,
    /// A list with bracketed status words.
    Brackets,
    /// A list of checkboxes that are the phases.
    Boxes,
    /// No phase list: not a phase plan.
    #[default]
    None,
}

/// Something wrong in the text of a plan, with its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Line number, from 1; 0 where it concerns the whole file.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

/// A plan as read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The first heading, without a leading `Task Plan:`.
    pub title: String,
    /// The text of the goal section, joined to one line.
    pub goal: String,
    /// The phases in the order written.
    pub phases: Vec<Phase>,
    /// How they were written.
    pub shape: Shape,
    /// More than one reading was possible (several candidate lists, or one list pasted several times).
    pub ambiguous: bool,
    /// Conflict markers, near misses of contract keys, contradictions, in the order of lines.
    pub problems: Vec<Problem>,
    /// Those of the problems that keep the plan from being approved.
    pub blockers: Vec<Problem>,
}
