//! Byte-preserving edits of `task_plan.md`: only the bytes that must change do. Every edit is read back before it is handed
//! out, so an edit that would not be understood, or that would change another phase, is an error and not a damaged file.

use std::fmt;
use std::ops::Range;

use crate::core::plan::{Phase, Plan, Shape, Status, StepState};
use crate::core::plan_read::{self, lines};
use crate::core::scan::scanned;
use crate::core::sorted::by_number;

/// Why a plan could not be edited. Line numbers count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// There is no phase with this index.
    NoPhase(usize),
    /// There is no step with this index in the phase.
    NoStep(usize),
    /// The id is not `[A-Za-z0-9._-]{1,64}`.
    BadId(String),
    /// The place cannot be written: the line is not valid UTF-8, a table row has no such cell, or the file would not read
    /// as wanted afterwards.
    NotEditable {
        /// The line that opens the phase.
        line: usize,
    },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPhase(index) => write!(f, "the plan has no phase {}", index + 1),
            Self::NoStep(index) => write!(f, "the phase has no step {}", index + 1),
            Self::BadId(id) => write!(f, "`{id}` is no id: 1 to 64 of A-Z a-z 0-9 . _ -"),
            Self::NotEditable { line } => write!(f, "the phase in line {line} cannot be edited in place"),
        }
    }
}

impl std::error::Error for EditError {}

/// Writes the status of a phase. `plan` must be the reading of these very bytes; `phase` is an index into its phases. Where
/// the phase says this status already, the bytes stay as they are. A list of boxes knows only complete and not complete.
///
/// # Errors
///
/// See [`EditError`].
pub fn set_status(bytes: &[u8], plan: &Plan, phase: usize, status: Status) -> Result<Vec<u8>, EditError> {
    let target = plan.phases.get(phase).ok_or(EditError::NoPhase(phase))?;
    if target.status == status && (target.explicit || plan.shape == Shape::Boxes) {
        return Ok(bytes.to_vec());
    }
    let boxes = plan.shape == Shape::Boxes;
    let wanted = |new: &Phase| {
        let said = if boxes {
            new.status == status || (new.status == Status::Complete) == (status == Status::Complete)
        } else {
            // Boxes may happen to say the same where nobody can see what was written.
            new.status == status && new.explicit
        };
        said && same_content(target, new) && same_boxes(target, new)
    };
    let ways = match &target.spans.status {
        Some(span) => vec![with_box(plan, target, status, (span.clone(), word_at(bytes, target, span, status)))],
        None => unwritten(bytes, plan, target, status),
    };
    first_good(bytes, plan, phase, target, ways, wanted)
}

/// Sets the box of a step; `step` is an index into the steps of the phase.
///
/// # Errors
///
/// See [`EditError`].
pub fn set_step(bytes: &[u8], plan: &Plan, phase: usize, step: usize, state: StepState) -> Result<Vec<u8>, EditError> {
    let target = plan.phases.get(phase).ok_or(EditError::NoPhase(phase))?;
    let found = target.steps.get(step).ok_or(EditError::NoStep(step))?;
    if found.state == state {
        return Ok(bytes.to_vec());
    }
    let mark = found.mark.clone().ok_or(EditError::NotEditable { line: found.line })?;
    let text = match state {
        StepState::Open => " ",
        StepState::Done => "x",
        StepState::Dropped => "-",
    };
    // Where no status is written, the boxes say it.
    let follows = !target.explicit && target.spans.status.is_none();
    let wanted = |new: &Phase| {
        let states = |plan: &Phase| plan.steps.iter().map(|step| step.state).collect::<Vec<_>>();
        let mut right = states(target);
        if let Some(right) = right.get_mut(step) {
            *right = state;
        }
        same_content(target, new)
            && states(new) == right
            && (follows || (new.status, &new.note) == (target.status, &target.note))
    };
    first_good(bytes, plan, phase, target, vec![vec![(mark, text.to_owned())]], wanted)
}

/// Writes the id of a phase as `{#id}` at the end of the line that opens it, in place of an id that stands there.
///
/// # Errors
///
/// See [`EditError`].
pub fn set_id(bytes: &[u8], plan: &Plan, phase: usize, id: &str) -> Result<Vec<u8>, EditError> {
    write_ids(bytes, plan, &[(phase, id.to_owned())])
}

/// Writes several ids, as [`set_id`] does, all at once: however many there are, the file is read twice.
///
/// # Errors
///
/// See [`EditError`]; nothing is written then.
pub fn set_ids(bytes: &[u8], ids: &[(usize, String)]) -> Result<Vec<u8>, EditError> {
    write_ids(bytes, &plan_read::read(bytes), ids)
}

fn write_ids(bytes: &[u8], plan: &Plan, ids: &[(usize, String)]) -> Result<Vec<u8>, EditError> {
    let mut edits = Vec::new();
    let mut right: Vec<Option<&str>> = plan.phases.iter().map(|phase| phase.id.as_deref()).collect();
    for (phase, id) in ids {
        if !is_id(id) {
            return Err(EditError::BadId(id.clone()));
        }
        let (target, right) = plan.phases.get(*phase).zip(right.get_mut(*phase)).ok_or(EditError::NoPhase(*phase))?;
        if *right != Some(id) {
            edits.push(id_edit(bytes, target, id).ok_or(EditError::NotEditable { line: target.line })?);
            *right = Some(id);
        }
    }
    let edited = apply(bytes, edits);
    let new = plan_read::read(&edited);
    let wrong = plan.phases.iter().zip(right).enumerate().find(|(index, (old, id))| {
        new.phases.get(*index).is_none_or(|new| new.id.as_deref() != *id || !alike(old, new))
    });
    match wrong {
        Some((_, (phase, _))) => Err(EditError::NotEditable { line: phase.line }),
        None if around(&new) != around(plan) => Err(EditError::NotEditable { line: 1 }),
        None => Ok(edited),
    }
}

/// How the line that opens a phase comes to hold an id.
fn id_edit(bytes: &[u8], target: &Phase, id: &str) -> Option<Edit> {
    let Some(old) = &target.id else {
        let at = target.spans.id_insert?;
        return Some((at..at, format!(" {{#{id}}}")));
    };
    let old = format!("{{#{old}}}");
    let heading = bytes.get(target.spans.heading.clone())?;
    let start = target.spans.heading.start + heading.windows(old.len()).rposition(|part| part == old.as_bytes())?;
    Some((start..start + old.len(), format!("{{#{id}}}")))
}

/// Whether `id` can name a phase: 1 to 64 of `A-Z a-z 0-9 . _ -`.
pub fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

type Edit = (Range<usize>, String);

/// The word as it must stand in place of the old one.
fn word_at(bytes: &[u8], target: &Phase, span: &Range<usize>, status: Status) -> String {
    let word = status.word();
    let old = bytes.get(span.clone()).map(String::from_utf8_lossy).unwrap_or_default();
    let beside_title = target.spans.heading.contains(&span.start) && !target.spans.heading.is_empty();
    if span.is_empty() {
        let spaced = span.start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_whitespace);
        let close = bytes.get(span.start) == Some(&b'|');
        return format!("{}{word}{}", if spaced { "" } else { " " }, if close { " " } else { "" });
    }
    // An emoji beside a title needs brackets in its place, or the word would join the title.
    if beside_title
        && !old.contains(|c: char| c.is_alphanumeric() || matches!(c, '[' | '|'))
        && !in_cell(bytes, target, span)
    {
        return format!("[{word}]");
    }
    word.to_owned()
}

/// Whether the span stands between the bars of a table row.
fn in_cell(bytes: &[u8], target: &Phase, span: &Range<usize>) -> bool {
    let has_bar = |range: Range<usize>| bytes.get(range).is_some_and(|part| part.contains(&b'|'));
    has_bar(target.spans.heading.start..span.start) || has_bar(span.end..target.spans.heading.end)
}

/// Adds the box of a list item to the edit of its word.
fn with_box(plan: &Plan, target: &Phase, status: Status, edit: Edit) -> Vec<Edit> {
    let mut edits = vec![edit];
    if plan.shape == Shape::Boxes
        && let Some(mark) = &target.spans.mark
    {
        edits.push((mark.clone(), if status == Status::Complete { "x" } else { " " }.to_owned()));
    }
    edits
}

/// Ways to write a status where none is written.
fn unwritten(bytes: &[u8], plan: &Plan, target: &Phase, status: Status) -> Vec<Vec<Edit>> {
    let mark = target.spans.mark.clone();
    match plan.shape {
        Shape::Boxes => {
            let text = if status == Status::Complete { "x" } else { " " };
            mark.map(|mark| vec![(mark, text.to_owned())]).into_iter().collect()
        }
        Shape::Brackets => mark.map(|mark| vec![(mark, status.word().to_owned())]).into_iter().collect(),
        Shape::Headings | Shape::Bare if !target.explicit => [target.spans.status_insert, target.spans.heading.end]
            .into_iter()
            .map(|at| vec![(at..at, format!("{}- **Status:** {}", ending(bytes, at), status.word()))])
            .collect(),
        _ => Vec::new(),
    }
}

/// The line ending to use at an offset: the one there, else the file's first.
fn ending(bytes: &[u8], at: usize) -> &'static str {
    let here = lines::ending(bytes, at);
    if !here.is_empty() {
        return here;
    }
    let first = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    scanned(first.unwrap_or(bytes.len()));
    first.map_or("\n", |first| lines::ending(bytes, first))
}

/// The first of the ways after which the file reads as wanted and no other phase has changed.
fn first_good(
    bytes: &[u8],
    plan: &Plan,
    phase: usize,
    target: &Phase,
    ways: Vec<Vec<Edit>>,
    wanted: impl Fn(&Phase) -> bool,
) -> Result<Vec<u8>, EditError> {
    ways.into_iter()
        .map(|edits| apply(bytes, edits))
        .find(|edited| {
            let new = plan_read::read(edited);
            around(&new) == around(plan)
                && plan.phases.iter().zip(&new.phases).enumerate().all(|(index, (old, new))| {
                    old.id == new.id && if index == phase { wanted(new) } else { alike(old, new) }
                })
        })
        .ok_or(EditError::NotEditable { line: target.line })
}

/// What a plan says beside what its phases say. Its title is left out: it may be the heading of a phase.
fn around(plan: &Plan) -> (usize, &str, bool) {
    (plan.phases.len(), &plan.goal, plan.ambiguous)
}

/// Whether two phases say the same, but for the id.
fn alike(old: &Phase, new: &Phase) -> bool {
    let status = |phase: &Phase| (phase.status, phase.explicit);
    status(old) == status(new) && old.note == new.note && same_content(old, new) && same_boxes(old, new)
}

/// Whether two phases have the same name, steps and fields, whatever their states.
fn same_content(old: &Phase, new: &Phase) -> bool {
    old.number == new.number
        && old.title == new.title
        && old.fields == new.fields
        && old.steps.iter().map(|step| &step.text).eq(new.steps.iter().map(|step| &step.text))
}

fn same_boxes(old: &Phase, new: &Phase) -> bool {
    old.steps.iter().map(|step| step.state).eq(new.steps.iter().map(|step| step.state))
}

/// Applies edits that do not overlap.
fn apply(bytes: &[u8], edits: Vec<Edit>) -> Vec<u8> {
    scanned(bytes.len());
    let mut out = Vec::with_capacity(bytes.len() + 32);
    let mut at = 0;
    for (span, text) in by_number(edits, |(span, _)| span.start as u64) {
        out.extend_from_slice(bytes.get(at..span.start).unwrap_or_default());
        out.extend_from_slice(text.as_bytes());
        at = span.end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str, phase: usize, status: Status) -> String {
        let edited = set_status(text.as_bytes(), &plan_read::read(text.as_bytes()), phase, status).unwrap();
        String::from_utf8(edited).unwrap()
    }

    #[track_caller]
    fn becomes(before: &str, phase: usize, to: Status, after: &str) {
        assert_eq!(status(before, phase, to), after, "{before}");
    }

    #[test]
    fn words_are_replaced_in_place() {
        use Status::{Complete, InProgress, Pending, Waiting};
        let head = "### Phase 1: a\n";
        for (line, to, after) in [
            ("- **Status:** pending\n", InProgress, "- **Status:** in_progress\n"),
            ("- **Status:** in_progress (2 of 3)  \r\n", Complete, "- **Status:** complete (2 of 3)  \r\n"),
            ("-**状态：**未开始\n", Complete, "-**状态：**complete\n"),
            ("- **Status:** **pending** <!-- x -->", Complete, "- **Status:** **complete** <!-- x -->"),
            ("- **Status:** COMPLETED ✅ yes\n", Pending, "- **Status:** pending yes\n"),
            ("- **Status:** not complete (why)\n", Waiting, "- **Status:** waiting (why)\n"),
            ("- **Status:**\n", InProgress, "- **Status:** in_progress\n"),
            ("- **Status:** 完成\n", Complete, "- **Status:** 完成\n"),
        ] {
            becomes(&format!("{head}{line}"), 0, to, &format!("{head}{after}"));
        }
    }

    #[test]
    fn tags_beside_a_title() {
        use Status::{Complete, InProgress};
        let two = |first: &str| format!("## {first}\n## Phase 2: b\n");
        for (before, to, after) in [
            ("Phase 1: a ✅", InProgress, "Phase 1: a [in_progress]"),
            ("✅ Phase 1: a", InProgress, "[in_progress] Phase 1: a"),
            ("[VERIFIED] Phase 1: a", InProgress, "[in_progress] Phase 1: a"),
            ("Phase 1: a `pending`", Complete, "Phase 1: a `complete`"),
            ("Phase 1: a (pending)", Complete, "Phase 1: a (complete)"),
            ("Phase 1: a - TODO", Complete, "Phase 1: a - complete"),
            ("[Backend] Phase 1: a", Complete, "[Backend] Phase 1: a\n- **Status:** complete"),
        ] {
            becomes(&two(before), 0, to, &two(after));
        }
    }

    #[test]
    fn a_missing_line_is_inserted_after_the_steps() {
        use Status::Complete;
        let rest = "### Phase 2: b\r\n";
        for (before, after) in [
            ("### Phase 1: a\r\n", "### Phase 1: a\r\n- **Status:** complete\r\n"),
            (
                "### Phase 1: a\r\n- [x] s\r\n  note\r\n\r\n",
                "### Phase 1: a\r\n- [x] s\r\n  note\r\n- **Status:** complete\r\n\r\n",
            ),
            (
                "### Phase 1: a\r\n- [x] s <!--\r\n  x\r\n-->\r\n",
                "### Phase 1: a\r\n- [x] s <!--\r\n  x\r\n-->\r\n- **Status:** complete\r\n",
            ),
        ] {
            becomes(&format!("{before}{rest}"), 0, Complete, &format!("{after}{rest}"));
        }
        for hidden in ["<!-- never closed", "```\nnever closed"] {
            becomes(
                &format!("### Phase 1: a\n- [ ] s\n{hidden}"),
                0,
                Status::Pending,
                &format!("### Phase 1: a\n- **Status:** pending\n- [ ] s\n{hidden}"),
            );
        }
        becomes(
            "### Phase 1: a\r\n### Phase 2: b",
            1,
            Complete,
            "### Phase 1: a\r\n### Phase 2: b\r\n- **Status:** complete",
        );
        becomes(
            "### Phase 1: a\r### Phase 2: b\r",
            0,
            Complete,
            "### Phase 1: a\r- **Status:** complete\r### Phase 2: b\r",
        );
    }

    #[test]
    fn lists_and_tables() {
        use Status::{Complete, InProgress, Pending};
        becomes("- [pending] 1. a\n- [ ] 2. b\n", 0, Complete, "- [complete] 1. a\n- [ ] 2. b\n");
        becomes("- [pending] 1. a\n- [ ] 2. b\n", 1, InProgress, "- [pending] 1. a\n- [in_progress] 2. b\n");
        becomes("- [ ] Phase 1: a\n- [ ] Phase 2: b\n", 1, Complete, "- [ ] Phase 1: a\n- [x] Phase 2: b\n");
        becomes("- [x] Phase 1: a\n- [ ] Phase 2: b\n", 0, Pending, "- [ ] Phase 1: a\n- [ ] Phase 2: b\n");
        becomes("- [x] Phase 1: a\n- [ ] Phase 2: b\n", 0, InProgress, "- [ ] Phase 1: a\n- [ ] Phase 2: b\n");
        let table = "| Phase | Status |\n|---|---|\n";
        for (row, after) in [
            ("| 1. a | [x] completed |", "| 1. a | in_progress |"),
            ("| 1. a | ✅ |", "| 1. a | in_progress |"),
            ("| 1. a |  |", "| 1. a | in_progress |"),
            ("| 1. a | |", "| 1. a | in_progress |"),
            ("| 1. a ||", "| 1. a | in_progress |"),
            ("| 1. a | 已完成（x） |", "| 1. a | in_progress（x） |"),
        ] {
            becomes(&format!("{table}{row}\n"), 0, InProgress, &format!("{table}{after}\n"));
        }
    }

    #[test]
    fn steps_and_ids() {
        let text = "### Phase 1: a\n- [ ] s\n- [X] t\n- **Status:** pending\n";
        let plan = plan_read::read(text.as_bytes());
        let set = |step, state| String::from_utf8(set_step(text.as_bytes(), &plan, 0, step, state).unwrap()).unwrap();
        assert_eq!(set(0, StepState::Done), text.replace("[ ] s", "[x] s"));
        assert_eq!(set(1, StepState::Dropped), text.replace("[X]", "[-]"));
        assert_eq!(set(1, StepState::Done), text);
        let id = |text: &str, id: &str| {
            set_id(text.as_bytes(), &plan_read::read(text.as_bytes()), 0, id).map(|b| String::from_utf8(b).unwrap())
        };
        assert_eq!(id(text, "survey").unwrap(), text.replace(": a", ": a {#survey}"));
        assert_eq!(id("### Phase 1: a {#old} ✅\n", "new").unwrap(), "### Phase 1: a {#new} ✅\n");
        assert_eq!(id("### Phase 1: a ### \n- [ ] s\n", "n").unwrap(), "### Phase 1: a {#n} ### \n- [ ] s\n");
        assert_eq!(id(text, "a b"), Err(EditError::BadId("a b".to_owned())));
        let ids = [(0, "one".to_owned()), (1, "two".to_owned())];
        let list = set_ids(b"- [ ] Phase 1: a \n- [x] Phase 2: b <!-- x -->\n", &ids).unwrap();
        assert_eq!(list, b"- [ ] Phase 1: a {#one} \n- [x] Phase 2: b {#two} <!-- x -->\n");
        let table = set_ids(b"| # | Phase | Status |\n|-|-|-|\n| 1 | a | done |\n| 2 | **b** | |\n", &ids).unwrap();
        assert_eq!(table, b"| # | Phase | Status |\n|-|-|-|\n| 1 | a {#one} | done |\n| 2 | **b** {#two} | |\n");
    }

    #[test]
    fn what_cannot_be_edited() {
        let text = b"### Phase 1: a\n- **Status:** pending \xD2\n";
        let plan = plan_read::read(text);
        assert_eq!(set_status(text, &plan, 0, Status::Complete), Err(EditError::NotEditable { line: 1 }));
        assert_eq!(set_status(text, &plan, 1, Status::Complete), Err(EditError::NoPhase(1)));
        assert_eq!(set_step(text, &plan, 0, 0, StepState::Done), Err(EditError::NoStep(0)));
    }
}
