//! `tasks.md` of spec-kit: a section `## Phase 1: Setup` is a phase, a task `- [ ] T001 [P] [US1] ...` below it a step.
//!
//! Which phase waits for which follows from how the format is made: a user story waits for the last phase before it that is
//! none; any other phase waits for all since the one before. A task that says `(depends on T012)` adds the phase of T012.

use crate::core::import::markdown::{self, Section, item, plain, prose};
use crate::core::import::values::problem;
use crate::core::import::{Entry, Imported};
use crate::core::plan::{Problem, Status, StepState};

/// Reads it. Sections without tasks are left out, and named.
///
/// # Errors
/// Where it has no tasks.
pub(super) fn read(bytes: &[u8]) -> Result<Imported, Vec<Problem>> {
    let mut all = Imported::default();
    let mut stories = Vec::new();
    let mut open: Option<Entry> = None;
    let close = |entry: Option<Entry>, all: &mut Imported, stories: &mut Vec<bool>| {
        let Some(mut entry) = entry else { return };
        if entry.steps.is_empty() {
            all.left_out.push(format!("the section `{}`: it has no tasks", entry.title));
            return;
        }
        if entry.steps.iter().all(|(_, state)| *state == StepState::Done) {
            entry.status = Status::Complete;
        }
        stories.push(entry.title.to_ascii_lowercase().contains("user story"));
        all.entries.push(entry);
    };
    for section in markdown::sections(bytes) {
        match section.level {
            0 => {}
            1 => {
                let title = section.title.trim_start_matches("Tasks:").trim();
                title.clone_into(&mut all.title);
            }
            2 => {
                close(open.take(), &mut all, &mut stories);
                let (number, title) = named(&section.title);
                let id = number.map(|n| format!("phase-{n}")).unwrap_or_default();
                let mut entry = Entry { at: format!("line {}", section.number), id, title, ..Entry::default() };
                tasks(&mut entry, &section, "");
                open = Some(entry);
            }
            _ => {
                if let Some(entry) = &mut open {
                    tasks(entry, &section, &section.title);
                }
            }
        }
    }
    close(open, &mut all, &mut stories);
    if all.entries.is_empty() {
        return Err(vec![problem("the file", "no section has tasks", "write tasks such as `- [ ] T001 Set up`")]);
    }
    order(&mut all.entries, &stories);
    Ok(all)
}

/// `Phase 3: Build` is phase 3, called `Build`.
fn named(heading: &str) -> (Option<&str>, String) {
    let parted = heading.strip_prefix("Phase ").and_then(|rest| rest.split_once(':'));
    match parted.filter(|(n, _)| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')) {
        Some((number, title)) => (Some(number), plain(title)),
        None => (None, plain(heading)),
    }
}

/// Tasks become steps, the rest is kept. `part` is the heading they stand under within the phase.
fn tasks(entry: &mut Entry, section: &Section, part: &str) {
    let mut rest = Vec::new();
    let mut ids = Vec::new();
    for line in &section.lines {
        match item(&line.text).filter(|_| !line.hidden).and_then(|item| Some((item.state?, item.text))) {
            Some((state, text)) => {
                ids.extend(id(text));
                entry.steps.push((text.to_owned(), state));
            }
            None if line.text.trim() == "---" => {}
            None => rest.push(line),
        }
    }
    if !part.is_empty() {
        entry.note("Part", &format!("{part}: {}", ids.join(", ")));
    }
    entry.note("Description", &prose(rest));
}

/// The id a task begins with.
fn id(task: &str) -> Option<&str> {
    let word = task.split_whitespace().next()?;
    let digits = word.strip_prefix('T')?;
    (digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit())).then_some(word)
}

/// Whether a text has tasks of this form.
pub(super) fn is(text: &str) -> bool {
    text.lines().filter_map(item).any(|item| item.state.is_some() && id(item.text).is_some())
}

/// Fills in what each phase waits for. Phases without an id get one here, since the order needs it.
fn order(entries: &mut [Entry], stories: &[bool]) {
    for (index, entry) in entries.iter_mut().enumerate().filter(|(_, entry)| entry.id.is_empty()) {
        entry.id = format!("section-{}", index + 1);
    }
    let ids: Vec<String> = entries.iter().map(|entry| entry.id.clone()).collect();
    let waits: Vec<Vec<usize>> = entries
        .iter()
        .map(|entry| {
            let of = |task| entries.iter().position(|entry| entry.steps.iter().any(|(text, _)| id(text) == Some(task)));
            entry.steps.iter().flat_map(|(text, _)| named_after(text)).filter_map(of).collect()
        })
        .collect();
    // The last phase that is no story, and all since.
    let mut since: Vec<usize> = Vec::new();
    for (index, entry) in entries.iter_mut().enumerate() {
        let story = stories.get(index) == Some(&true);
        let mut after: Vec<usize> = if story { since.first().copied().into_iter().collect() } else { since.clone() };
        after.extend(waits.get(index).into_iter().flatten().filter(|at| **at != index));
        // In the order of phases, each once.
        entry.after = ids.iter().enumerate().filter(|(at, _)| after.contains(at)).map(|(_, id)| id.clone()).collect();
        if !story {
            since.clear();
        }
        since.push(index);
    }
}

/// The tasks that a text says it depends on.
fn named_after(text: &str) -> impl Iterator<Item = &str> {
    let said = text.split_once("(depends on ").and_then(|(_, rest)| rest.split_once(')')).map_or("", |(said, _)| said);
    said.split([',', ' ']).filter(|word| id(word).is_some())
}
