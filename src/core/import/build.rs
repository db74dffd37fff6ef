//! From entries to a plan file: ids, dependencies, texts that fit. The file is read back before it is handed out, so what a
//! stranger's text would turn into something else is a problem and no phase.

use std::fmt::Write;

use crate::core::attest::{LONG, SHORT, slug};
use crate::core::candidate::{self, MAX_PHASES};
use crate::core::canonical;
use crate::core::contract::{ContractPhase, GateOptions, Mode};
use crate::core::import::values::problem;
use crate::core::import::{Entry, Imported, Kind};
use crate::core::plan::{Phase, Problem, Status, StepState};
use crate::core::plan_edit::is_id;
use crate::core::plan_read;
use crate::core::text::first_chars;
use crate::core::tools::is_tool;

/// A plan file that was made of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The plan file.
    pub text: String,
    /// How many phases it has.
    pub phases: usize,
    /// What was not carried over.
    pub left_out: Vec<String>,
}

/// Makes the plan file. `name` is that of the source; `task` is what the person calls it, or empty.
pub(super) fn build(source: Imported, name: &str, kind: Kind, task: &str) -> Result<Converted, Vec<Problem>> {
    let Imported { title, goal, entries, mut left_out, partial } = source;
    let (entries, given_up): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|e| e.status != Status::Skipped);
    left_out.extend(given_up.iter().map(|e| format!("{}: it was given up there", called(e))));
    let whole = |what: String, fix: &str| Err(vec![problem("the list", what, fix)]);
    if entries.is_empty() {
        return whole("nothing in it is to be done".to_owned(), "name a list with something to do");
    }
    if entries.len() > MAX_PHASES {
        return whole(format!("it has {} entries, and a plan at most {MAX_PHASES} phases", entries.len()), "split it");
    }
    let ids = ids(&entries)?;
    let after = dependencies(&entries, &ids, &given_up, partial, &mut left_out)?;
    let all_of_it = format!("Finish what {name} lists");
    let first = |texts: &[&str]| texts.iter().map(|text| one_line(text)).find(|t| !t.is_empty()).unwrap_or_default();
    let title = first(&[task, &title, &goal, &all_of_it]);
    let goal = first(&[&goal, &title]);
    let (goal, cut) = fit(&goal, LONG);
    let mut text = canonical::top(&title, &goal);
    let mut meant = Vec::new();
    let mut working = false;
    for (index, entry) in entries.iter().enumerate() {
        let phase = phase(entry, ids.get(index), after.get(index));
        let boxes: Vec<StepState> = entry.steps.iter().map(|(_, state)| *state).collect();
        // A run has one phase in progress: the first.
        let again = entry.status == Status::InProgress && std::mem::replace(&mut working, true);
        let status = if again { Status::Pending } else { entry.status };
        let word = if again && entry.word.is_empty() { "in progress" } else { &entry.word };
        let note = if word.is_empty() { String::new() } else { format!(" ({})", one_line(word)) };
        canonical::write(&mut text, index + 1, &phase, &format!("{}{note}", status.word()), &boxes);
        notes(&mut text, entry, &phase);
        meant.push((phase, status, boxes));
    }
    let _ = write!(text, "\n## Notes\nImported from {}, read as {}.\n", one_line(name), kind.word());
    if let Some(goal) = cut {
        write_note(&mut text, "Goal in full", &goal);
    }
    for line in &left_out {
        write_note(&mut text, "Left out", line);
    }
    proven(&text, &goal, &entries, &meant)?;
    Ok(Converted { phases: entries.len(), text, left_out })
}

/// How an entry is called in a message.
fn called(entry: &Entry) -> String {
    let id = if entry.id.is_empty() { &entry.at } else { &entry.id };
    format!("{id} {}", first_chars(&one_line(&entry.title), 60))
}

/// One line; the start of a comment, which would hide what follows, is broken.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "<! --")
}

/// A text of at most `most` characters, and the whole of it where it was cut.
fn fit(text: &str, most: usize) -> (String, Option<String>) {
    if text.chars().count() <= most {
        return (text.to_owned(), None);
    }
    let head = first_chars(text, most - 2);
    let head = head.rsplit_once(' ').filter(|(head, _)| head.len() > most / 2).map_or(head, |(head, _)| head);
    (format!("{head} …"), Some(text.to_owned()))
}

/// The id of each phase: that of the source where it can be one, else a slug.
fn ids(entries: &[Entry]) -> Result<Vec<String>, Vec<Problem>> {
    let mut problems = Vec::new();
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.id.is_empty()) {
        if let Some(first) = entries.iter().take(index).find(|first| first.id == entry.id) {
            let what = format!("the id `{}` is that of {} already", first_chars(&entry.id, 60), first.at);
            problems.push(problem(&entry.at, what, "give each an id of its own"));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut ids: Vec<String> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        if is_id(&entry.id) {
            ids.push(entry.id.clone());
            continue;
        }
        let base = slug(&entry.id).or_else(|| slug(&entry.title)).unwrap_or_else(|| format!("phase-{}", index + 1));
        let taken = |id: &String| ids.contains(id) || entries.iter().any(|entry| entry.id == *id);
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        let free = std::iter::once(base.clone()).chain(numbered).find(|id| !taken(id));
        ids.push(free.unwrap_or_default());
    }
    Ok(ids)
}

/// What each phase waits for, in our ids.
fn dependencies(
    entries: &[Entry],
    ids: &[String],
    given_up: &[Entry],
    partial: bool,
    left_out: &mut Vec<String>,
) -> Result<Vec<Vec<String>>, Vec<Problem>> {
    // Tools write their ids in either case.
    let known = |name: &str| {
        let like = || entries.iter().position(|entry| entry.id.eq_ignore_ascii_case(name));
        ids.get(entries.iter().position(|entry| entry.id == name).or_else(like)?)
    };
    let mut problems = Vec::new();
    let mut all = Vec::new();
    for entry in entries {
        let mut own: Vec<String> = Vec::new();
        for name in entry.after.iter().filter(|name| !name.is_empty()) {
            let gone = given_up.iter().any(|e| e.id.eq_ignore_ascii_case(name));
            match known(name) {
                Some(id) if own.contains(id) => {}
                Some(id) => own.push(id.clone()),
                None if gone => left_out.push(format!("{}: it waited for {name}, which was given up", called(entry))),
                None if partial => left_out.push(format!("{}: it waited for {name}, which is not here", called(entry))),
                None => problems.push(problem(
                    &entry.at,
                    format!("it depends on `{}`, which is not in the list", first_chars(name, 60)),
                    "name the id of another entry",
                )),
            }
        }
        all.push(own);
    }
    if problems.is_empty() { Ok(all) } else { Err(problems) }
}

fn phase(entry: &Entry, id: Option<&String>, after: Option<&Vec<String>>) -> ContractPhase {
    let short = |text: &str| fit(&one_line(text), SHORT).0;
    ContractPhase {
        id: id.cloned().unwrap_or_default(),
        title: short(&entry.title),
        steps: entry.steps.iter().map(|(text, _)| short(text)).collect(),
        depends_on: after.cloned().unwrap_or_default(),
        checks: entry.checks.clone(),
        // What is no name of a tool fences nothing in.
        tools: if entry.tools.iter().all(|tool| is_tool(tool)) { entry.tools.clone() } else { Vec::new() },
        ..ContractPhase::default()
    }
}

/// What else the source says of an entry, and the whole of what was cut.
fn notes(text: &mut String, entry: &Entry, phase: &ContractPhase) {
    let title = one_line(&entry.title);
    if phase.title != title || !reads_as_it_is(&title) {
        write_note(text, "Title in full", &title);
    }
    for (step, _) in &entry.steps {
        if let Some(whole) = fit(&one_line(step), SHORT).1 {
            write_note(text, "Step in full", &whole);
        }
    }
    if phase.id != entry.id && !entry.id.is_empty() {
        write_note(text, "Known as", &entry.id);
    }
    if phase.tools.is_empty() && !entry.tools.is_empty() {
        write_note(text, "Uses", &entry.tools.join(", "));
    }
    for (key, value) in &entry.notes {
        write_note(text, key, value);
    }
}

/// Whether a title loses nothing in a heading: a number, a tag or emphasis in it is none of the title there.
fn reads_as_it_is(title: &str) -> bool {
    let text = format!("### Phase 1: {title} {{#a}}\n- **Status:** pending\n### Phase 2: b\n");
    plan_read::read(text.as_bytes()).phases.first().is_some_and(|phase| phase.title == plan_read::one_line(title))
}

/// A note. What has several lines is quoted, so that nothing in it is read as a part of the plan.
fn write_note(text: &mut String, key: &str, value: &str) {
    let value = value.trim().replace("\r\n", "\n").replace('\r', "\n").replace("<!--", "<! --");
    let clean = |line: &str| line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let lines: Vec<String> = value.lines().map(|line| clean(line).trim_end().to_owned()).collect();
    match lines.as_slice() {
        [line] => {
            let _ = writeln!(text, "- **{key}:** {line}");
        }
        lines => {
            let _ = writeln!(text, "- **{key}:**");
            for line in lines {
                let _ = writeln!(text, "{}", format!("  > {line}").trim_end());
            }
        }
    }
}

/// Reads the file back: it says what was meant, and could be approved. Problems name the entry they are of.
fn proven(
    text: &str,
    goal: &str,
    entries: &[Entry],
    meant: &[(ContractPhase, Status, Vec<StepState>)],
) -> Result<(), Vec<Problem>> {
    let read = plan_read::read(text.as_bytes());
    let at = |line: usize| {
        let index = read.phases.iter().rposition(|phase| phase.line <= line)?;
        entries.get(index).map(|entry| entry.at.clone())
    };
    let strict = candidate::strict(text.as_bytes(), Mode::Plain, GateOptions::default());
    if let Err(problems) = strict {
        return Err(problems
            .into_iter()
            .map(|p| problem(at(p.line).as_deref().unwrap_or("the plan"), p.what, &p.fix))
            .collect());
    }
    let other = "it holds signs that a plan reads as something else";
    if read.phases.len() != meant.len() || read.goal != plan_read::one_line(goal) {
        return Err(vec![problem("the plan", other, "take Markdown signs out of titles and goal")]);
    }
    let wrong: Vec<Problem> = read
        .phases
        .iter()
        .zip(meant)
        .zip(entries)
        .filter(|((phase, meant), _)| !says(phase, meant))
        .map(|(_, entry)| problem(&entry.at, other, "take Markdown signs out of its title, steps and checks"))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn says(phase: &Phase, (meant, status, boxes): &(ContractPhase, Status, Vec<StepState>)) -> bool {
    let same = |read: &[String], meant: &[String]| {
        read.len() == meant.len() && read.iter().zip(meant).all(|(r, m)| r.trim() == m.trim())
    };
    let steps = phase.steps.len() == meant.steps.len()
        && phase
            .steps
            .iter()
            .zip(&meant.steps)
            .zip(boxes)
            .all(|((r, m), state)| r.text == plan_read::one_line(m) && r.state == *state);
    let fields = &phase.fields;
    let nothing_else = fields.artifacts.is_empty()
        && fields.receipts.is_empty()
        && fields.approvals.is_empty()
        && fields.waits_for.is_empty()
        && fields.every.is_none();
    phase.id.as_deref() == Some(&meant.id)
        && phase.status == *status
        && steps
        && nothing_else
        && same(&fields.depends_on, &meant.depends_on)
        && same(&fields.checks, &meant.checks)
        && same(&fields.tools, &meant.tools)
}
