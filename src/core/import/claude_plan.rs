//! What Claude Code's plan mode writes: free Markdown. Numbered headings are its phases; where there are none, a numbered
//! list is; where there is none of these either, a list of boxes.

use crate::core::import::markdown::{self, Item, Line, Section, item, plain, prose};
use crate::core::import::values::problem;
use crate::core::import::{Entry, Imported};
use crate::core::plan::{Problem, Status, StepState};

/// Words that headings of phases begin with.
const NAMES: [&str; 6] = ["step", "phase", "task", "part", "stage", "milestone"];
/// Headings that the list of what is to be done stands under.
const WORK: [&str; 6] = ["step", "implementation", "plan", "change", "task", "approach"];
/// Headings that say what it is for.
const GOAL: [&str; 6] = ["context", "goal", "summary", "overview", "problem", "objective"];
/// Headings of how the result is tested.
const PROOF: [&str; 3] = ["verification", "testing", "test plan"];

/// Reads it.
///
/// # Errors
/// Where nothing in it is numbered.
pub(super) fn read(bytes: &[u8]) -> Result<Imported, Vec<Problem>> {
    let sections = markdown::sections(bytes);
    let mut all = Imported::default();
    if let Some(first) = sections.iter().find(|section| section.level == 1 && number(&section.title).is_none()) {
        let title = first.title.trim_start_matches("Plan:").trim_start_matches("Implementation Plan:");
        all.title = plain(title);
    }
    let mut used = vec![false; sections.len()];
    all.entries = headings(&sections, &mut used);
    if all.entries.is_empty() {
        all.entries = lists(&sections, &mut used);
    }
    if all.entries.is_empty() {
        return Err(vec![problem(
            "the file",
            "neither headings nor a list in it are numbered",
            "number what is to be done: `1. ...`, or `## Step 1: ...`",
        )]);
    }
    for (section, _) in sections.iter().zip(&used).filter(|(section, used)| !**used && section.level != 0) {
        let title = section.title.to_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| title.starts_with(word));
        if is(&GOAL) && all.goal.is_empty() {
            all.goal = first_paragraph(section);
            if all.goal == prose(&section.lines).split_whitespace().collect::<Vec<_>>().join(" ") {
                continue;
            }
        }
        if is(&PROOF) {
            let mut entry = entry(&section.title, section.number);
            fill(&mut entry, &section.lines);
            if !entry.steps.is_empty() {
                all.entries.push(entry);
                continue;
            }
        }
        if !prose(&section.lines).is_empty() && section.level > 1 {
            all.left_out.push(format!("the section `{}`", section.title));
        }
    }
    Ok(all)
}

fn entry(title: &str, number: usize) -> Entry {
    Entry { at: format!("line {number}"), title: plain(title), ..Entry::default() }
}

/// `Step 2: Build`, `2. Build` and `2) Build` are called `Build`.
fn number(title: &str) -> Option<&str> {
    let word = title.split(' ').next().unwrap_or_default();
    let named = NAMES.iter().any(|name| word.eq_ignore_ascii_case(name));
    let rest = if named { title.get(word.len()..)?.trim_start() } else { title };
    let digits = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let (number, rest) = rest.split_at_checked(digits).filter(|_| digits > 0)?;
    let name = rest.trim_start_matches([':', '.', ')', '-', '–', '—', ' ']);
    let parted = number.ends_with('.') || rest.trim_start().starts_with([':', '.', ')', '-', '–', '—']) || named;
    (parted && !name.is_empty()).then_some(name)
}

/// Phases from numbered headings: those of the depth that has most of them.
fn headings(sections: &[Section], used: &mut [bool]) -> Vec<Entry> {
    let count = |level| sections.iter().filter(|s| s.level == level && number(&s.title).is_some()).count();
    let Some(level) = (1..=6).rev().max_by_key(|level| count(*level)).filter(|level| count(*level) > 1) else {
        return Vec::new();
    };
    let mut entries: Vec<Entry> = Vec::new();
    let mut inside = false;
    for (section, used) in sections.iter().zip(used) {
        if let Some(name) = number(&section.title).filter(|_| section.level == level) {
            let mut entry = entry(name, section.number);
            fill(&mut entry, &section.lines);
            entries.push(entry);
            inside = true;
        } else if section.level > level && inside {
            if let Some(entry) = entries.last_mut() {
                entry.note("Section", &format!("{}\n{}", section.title, prose(&section.lines)));
            }
        } else {
            inside = false;
        }
        *used = inside;
    }
    entries
}

/// What stands below the heading of a phase: boxes are steps, else what is numbered, else plain items; the rest is kept.
fn fill(entry: &mut Entry, lines: &[Line]) {
    let items =
        || lines.iter().filter(|line| !line.hidden).filter_map(|line| item(&line.text)).filter(|i| i.indent < 2);
    let wanted: fn(&Item<'_>) -> bool = if items().any(|i| i.state.is_some()) {
        |i| i.state.is_some()
    } else if items().any(|i| i.ordered) {
        |i| i.ordered
    } else {
        |_| true
    };
    let mut rest = Vec::new();
    for line in lines {
        match item(&line.text).filter(|i| !line.hidden && i.indent < 2 && wanted(i)) {
            Some(item) => entry.steps.push((plain(item.text), item.state.unwrap_or_default())),
            None => rest.push(line),
        }
    }
    let done = !entry.steps.is_empty() && entry.steps.iter().all(|(_, state)| *state == StepState::Done);
    entry.status = if done { Status::Complete } else { Status::Pending };
    entry.note("Details", &prose(rest));
}

/// Phases from a list: a numbered one, else one of boxes; one below a heading that speaks of work before any other.
fn lists(sections: &[Section], used: &mut [bool]) -> Vec<Entry> {
    let of = |section: &Section, wanted: fn(&Item<'_>) -> bool| {
        let items = section.lines.iter().filter(|line| !line.hidden).filter_map(|line| item(&line.text));
        items.filter(|i| i.indent < 2 && wanted(i)).count()
    };
    let ways: [fn(&Item<'_>) -> bool; 2] = [|i| i.ordered, |i| i.state.is_some()];
    for wanted in ways {
        let rank = |section: &Section| {
            let title = section.title.to_lowercase();
            let count = of(section, wanted);
            let work = WORK.iter().any(|word| title.contains(word));
            let proof = PROOF.iter().any(|word| title.starts_with(word));
            (count > 1 && !proof).then_some((work, count))
        };
        let best = sections.iter().enumerate().rev().filter_map(|(at, s)| Some((rank(s)?, at))).max_by_key(|(r, _)| *r);
        let Some((section, mark)) = best.and_then(|(_, at)| Some((sections.get(at)?, used.get_mut(at)?))) else {
            continue;
        };
        *mark = true;
        let mut entries: Vec<Entry> = Vec::new();
        let mut bodies: Vec<Vec<Line>> = Vec::new();
        for line in &section.lines {
            match item(&line.text).filter(|i| !line.hidden && i.indent < 2 && wanted(i)) {
                Some(item) => {
                    let mut entry = entry(item.text, line.number);
                    if item.state == Some(StepState::Done) {
                        entry.status = Status::Complete;
                    }
                    entries.push(entry);
                    bodies.push(Vec::new());
                }
                None => {
                    if let Some(body) = bodies.last_mut() {
                        let text = line.text.strip_prefix("   ").unwrap_or(&line.text).to_owned();
                        body.push(Line { text, ..line.clone() });
                    }
                }
            }
        }
        for (entry, body) in entries.iter_mut().zip(&bodies) {
            let said = entry.status;
            fill(entry, body);
            entry.status = said;
        }
        return entries;
    }
    Vec::new()
}

fn first_paragraph(section: &Section) -> String {
    let lines = section.lines.iter().filter(|line| !line.hidden).map(|line| line.text.trim());
    lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
