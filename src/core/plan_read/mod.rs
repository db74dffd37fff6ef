//! The lenient plan reader: our own line scanner. Looks for a list of phases in the ways people write one, and takes the first
//! way that has at least two phases.

mod body;
mod fields;
pub(crate) mod fold;
mod headings;
mod hide;
mod items;
mod label;
pub(crate) mod lines;
mod lists;
mod name;
mod number;
mod outline;
mod problems;
mod status;
mod table;
mod words;

use crate::core::plan::{Phase, Plan, Problem, Shape};
use crate::core::sorted::by_number;

/// A list of phases read in one way.
#[derive(Debug, Default)]
struct Found {
    phases: Vec<Phase>,
    shape: Shape,
    ambiguous: bool,
    notes: Notes,
}

/// What is to be said about the text.
#[derive(Debug, Default)]
struct Notes {
    problems: Vec<Problem>,
    /// Those that keep the plan from being approved.
    blockers: Vec<Problem>,
}

impl Notes {
    /// Names a status word nobody knows.
    fn unknown(&mut self, line: usize, word: &str) {
        self.problems.push(Problem {
            line,
            what: format!("`{}` is no status", short(word)),
            fix: "write pending, in_progress, complete, failed, skipped or waiting first, and notes in parentheses after it"
                .to_owned(),
        });
    }
}

/// As much of a text as a message quotes.
fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Reads a plan. Never fails: what is not understood is left out or named in [`Plan::problems`]. Takes time in proportion to
/// the length of `bytes`.
pub fn read(bytes: &[u8]) -> Plan {
    let mut lines = lines::split(bytes);
    hide::hide(&mut lines);
    let outline = outline::read(&lines);
    let found = phases(&outline).unwrap_or_default();
    let mut notes = found.notes;
    problems::in_lines(outline.lines, &mut notes);
    problems::in_phases(&found.phases, &mut notes);
    problems::current_phase(&outline, &found.phases, &mut notes);
    let mut problems = notes.problems;
    problems.extend(notes.blockers.iter().cloned());
    let problems = by_number(problems, |problem| problem.line as u64);
    Plan {
        title: outline.title(),
        goal: outline.goal(),
        phases: found.phases,
        shape: found.shape,
        ambiguous: found.ambiguous,
        problems,
        blockers: notes.blockers,
    }
}

/// The lines of a Markdown text, each with whether it is code or a comment.
pub(crate) fn marked_lines(bytes: &[u8]) -> Vec<(String, bool)> {
    let mut lines = lines::split(bytes);
    hide::hide(&mut lines);
    lines.iter().map(|line| (line.text().to_owned(), line.hidden)).collect()
}

/// A text as the reader gives it: composed, on one line.
pub(crate) fn one_line(text: &str) -> String {
    name::joined(text)
}

/// The number in a name such as `Phase 1`, if it is nothing else.
pub(crate) fn phase_number(text: &str) -> Option<String> {
    name::lone_number(text).map(|number| number.text)
}

/// The first way of writing that yields two phases, else the first that yields one.
fn phases(outline: &outline::Outline<'_>) -> Option<Found> {
    let items = std::cell::OnceCell::new();
    let items = || items.get_or_init(|| lists::entries(outline)).as_slice();
    let ways: [&dyn Fn() -> Option<Found>; 6] = [
        &|| headings::worded(outline),
        &|| headings::under_phases(outline),
        &|| table::find(outline),
        &|| lists::brackets(outline, items()),
        &|| lists::named_boxes(outline, items()),
        &|| lists::boxes(outline, items()),
    ];
    let mut single = None;
    for way in ways {
        let Some(found) = way() else { continue };
        if found.phases.len() > 1 {
            return Some(found);
        }
        // One lone item is no list, unless it numbers itself.
        let heads = matches!(found.shape, Shape::Headings | Shape::Bare);
        if single.is_none() && (heads || found.phases.iter().any(|phase| phase.number.is_some())) {
            single = Some(found);
        }
    }
    single
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::plan::Status;

    #[test]
    fn the_canonical_form() {
        let text = "# Task Plan: Replace the parser\n\n## Goal\nReplace the hand-written parser\nwithout breaking the CLI.\n\n\
            ## Phases\n\n### Phase 1: Survey {#survey}\n- [x] List the callers\n- **Status:** complete\n\n\
            ### Phase 2: Build {#build}\n- [ ] Tokenizer\n  - [x] draft\n- [-] Tables\n- **Status:** in_progress (slow)\n\
            - **DependsOn:** survey\n- **Check:** `cargo test -p parser`\n- **Owner:** Ada\n";
        let plan = read(text.as_bytes());
        assert_eq!(plan.title, "Replace the parser");
        assert_eq!(plan.goal, "Replace the hand-written parser without breaking the CLI.");
        assert_eq!(plan.shape, Shape::Headings);
        assert!(plan.problems.is_empty() && !plan.ambiguous, "{:?}", plan.problems);
        let [survey, build] = plan.phases.as_slice() else { panic!("{:?}", plan.phases) };
        assert_eq!(
            (survey.id.as_deref(), survey.title.as_str(), survey.status),
            (Some("survey"), "Survey", Status::Complete)
        );
        assert_eq!(
            (build.number.as_deref(), build.status, build.note.as_str()),
            (Some("2"), Status::InProgress, "slow")
        );
        assert_eq!(build.steps.iter().map(|step| step.text.as_str()).collect::<Vec<_>>(), ["Tokenizer", "Tables"]);
        assert_eq!(build.fields.depends_on, ["survey"]);
        assert_eq!(build.fields.checks, ["cargo test -p parser"]);
        assert_eq!(build.line, 13);
        assert_eq!(&text[build.spans.status.clone().unwrap()], "in_progress");
        assert_eq!(&text[build.steps[1].mark.clone().unwrap()], "-");
    }
}
