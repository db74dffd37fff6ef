//! Task files of Backlog.md: `backlog/tasks/task-1 - Title.md`, with front matter, and acceptance criteria as boxes.

use crate::core::import::markdown::{self, Section, item, prose};
use crate::core::import::values::problem;
use crate::core::import::{Entry, File, Imported, front, status};
use crate::core::plan::Problem;

/// Reads one task file, or all of a directory, in the order of the files. A file without front matter is left out, and named.
///
/// # Errors
/// Each problem names its file.
pub(super) fn read(files: &[File]) -> Result<Imported, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut all = Imported { partial: true, ..Imported::default() };
    for file in files {
        let text = String::from_utf8_lossy(&file.bytes);
        match front::split(&text) {
            Some((fields, body)) => match task(&file.name, fields, body) {
                Ok(entry) => all.entries.push(entry),
                Err(found) => problems.push(found),
            },
            None if files.len() > 1 => all.left_out.push(format!("{}: it is no task", file.name)),
            None => problems.push(problem(&file.name, "it has no front matter", "name a task file of Backlog.md")),
        }
    }
    if problems.is_empty() { Ok(all) } else { Err(problems) }
}

fn task(name: &str, fields: Vec<front::Field>, body: &str) -> Result<Entry, Problem> {
    let mut entry = Entry { at: name.to_owned(), ..Entry::default() };
    let mut kept = Vec::new();
    for field in fields {
        let text = field.values.join(", ");
        match field.key.as_str() {
            "id" => entry.id = text,
            "title" => entry.title = text,
            "status" => status::set(&mut entry, &text),
            "dependencies" => entry.after = field.values,
            "priority" => entry.note("Priority", &text),
            "labels" => entry.note("Labels", &text),
            "assignee" => entry.note("Assignee", &text),
            "parent_task_id" => entry.note("Parent", &text),
            "milestone" => entry.note("Milestone", &text),
            _ if text.is_empty() => {}
            _ => kept.push(format!("{}: {text}", field.key)),
        }
    }
    for (value, key) in [(&entry.id, "id"), (&entry.title, "title")] {
        if value.trim().is_empty() {
            return Err(problem(name, format!("`{key}` is missing in the front matter"), "name a task of Backlog.md"));
        }
    }
    for section in markdown::sections(body.as_bytes()) {
        below(&mut entry, &section);
    }
    entry.note("Kept", &kept.join("\n"));
    Ok(entry)
}

/// Criteria become steps; other sections are kept whole.
fn below(entry: &mut Entry, section: &Section) {
    let key = match section.title.as_str() {
        "Acceptance Criteria" | "Definition of Done" => {
            let mut rest = Vec::new();
            for line in &section.lines {
                match item(&line.text).filter(|_| !line.hidden).and_then(|item| Some((item.state?, item.text))) {
                    Some((state, text)) => entry.steps.push((unnumbered(text).to_owned(), state)),
                    None => rest.push(line),
                }
            }
            return entry.note("Criteria", &prose(rest));
        }
        "" | "Description" => "Description",
        "Implementation Plan" => "Plan",
        "Implementation Notes" => "Notes",
        "Final Summary" => "Summary",
        title => {
            return entry.note("Section", &format!("{title}\n{}", prose(&section.lines)));
        }
    };
    entry.note(key, &prose(&section.lines));
}

/// A criterion without the number its tool gives it (`#1 `): a step has one already.
fn unnumbered(text: &str) -> &str {
    let rest = text.strip_prefix('#').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.and_then(|rest| rest.strip_prefix(' ')).map_or(text, str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::plan::StepState;

    #[test]
    fn criteria_lose_their_numbers() {
        assert_eq!((unnumbered("#12 a"), unnumbered("#x a"), unnumbered("a")), ("a", "#x a", "a"));
        let state = |text| item(text).and_then(|item| item.state);
        assert_eq!(
            (state("- [x] a"), state("- [ ] a"), state("- a")),
            (Some(StepState::Done), Some(StepState::Open), None)
        );
    }
}
