//! Plans of other tools, turned into a plan file of ours. Each tool has a file of its own, which reads bytes into entries;
//! `build` makes a plan file of them, the same way for all, and reads it back before it is handed out.

mod backlog;
mod build;
mod claude_plan;
mod claude_tasks;
mod detect;
mod feature_list;
mod front;
mod markdown;
mod plan_json;
mod spec_kit;
mod status;
mod task_master;
#[cfg(test)]
mod tests;
mod values;

pub use build::Converted;
pub use detect::detect;

use crate::core::plan::{Problem, Status, StepState};

/// Whose format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A list of `{id, do, tool, depends_on, check}`.
    PlanJson,
    /// `feature_list.json`: a list of `{category, description, steps, passes}`.
    FeatureList,
    /// Task files of Claude Code: `{id, subject, description, status, blocks, blockedBy}`, one a file.
    ClaudeTasks,
    /// The Markdown that Claude Code's plan mode writes.
    ClaudePlan,
    /// `tasks.json` of Task Master, with and without tags.
    TaskMaster,
    /// Task files of Backlog.md.
    Backlog,
    /// `tasks.md` of spec-kit.
    SpecKit,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::PlanJson,
        Self::FeatureList,
        Self::ClaudeTasks,
        Self::ClaudePlan,
        Self::TaskMaster,
        Self::Backlog,
        Self::SpecKit,
    ];
    /// Their words, in the same order.
    pub const WORDS: [&'static str; 7] =
        ["plan-json", "feature-list", "claude-tasks", "claude-plan", "task-master", "backlog", "spec-kit"];

    /// The word on the command line.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().zip(Self::WORDS).find(|(kind, _)| **kind == self).map_or("", |(_, word)| word)
    }

    /// The kind of a word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a directory of files can be one plan.
    pub fn in_directories(self) -> bool {
        matches!(self, Self::Backlog | Self::ClaudeTasks)
    }
}

/// A file to be imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its name, without the directory.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Names in the order a person would put them: `task-10` after `task-9`.
pub fn in_order(names: Vec<String>) -> Vec<String> {
    // The name follows a copy of it in which numbers are as long as each other.
    let mut keyed: Vec<String> = names.into_iter().map(|name| format!("{}\0{name}", padded(&name))).collect();
    keyed.sort();
    keyed.into_iter().filter_map(|key| Some(key.split_once('\0')?.1.to_owned())).collect()
}

fn padded(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (head, tail) = rest.split_at(if digits > 0 { digits } else { c.len_utf8() });
        out.extend(std::iter::repeat_n('0', if digits > 0 { 20usize.saturating_sub(digits) } else { 0 }));
        out.push_str(head);
        rest = tail;
    }
    out
}

/// What is to be imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// What a person calls it: a file name, or that of the directory.
    pub name: String,
    /// One file, or those of a directory.
    pub files: Vec<File>,
    /// Which of the lists of a Task Master file.
    pub tag: Option<String>,
}

/// One thing to do, as its tool wrote it. It becomes a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Where it stands, for messages: `entry 3`, or a file name.
    pub at: String,
    /// Its id in the source; empty where it has none.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// Parts with a box.
    pub steps: Vec<(String, StepState)>,
    /// What its status means. `Skipped`: given up there, so it is left out here.
    pub status: Status,
    /// Its status in the source's word, where that says more.
    pub word: String,
    /// Ids, in the source's words, of what comes first.
    pub after: Vec<String>,
    /// Commands that decide whether it is done.
    pub checks: Vec<String>,
    /// Tools it names.
    pub tools: Vec<String>,
    /// All else, under keys that are ours: a key of the source could be one that is executed.
    pub notes: Vec<(&'static str, String)>,
}

impl Entry {
    /// Keeps a text, unless it is empty.
    fn note(&mut self, key: &'static str, text: &str) {
        if !text.trim().is_empty() {
            self.notes.push((key, text.to_owned()));
        }
    }
}

/// What a tool's file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// What the whole is called; empty where the source does not say.
    pub title: String,
    /// What it is for; empty where the source does not say.
    pub goal: String,
    /// What is to be done, in order.
    pub entries: Vec<Entry>,
    /// What is not carried over, for the person.
    pub left_out: Vec<String>,
    /// Its tool moves or deletes finished tasks, so a dependency may name one that is not there.
    pub partial: bool,
}

/// Turns a source into a plan file. `task` is what the person calls it, or empty.
///
/// # Errors
/// All that keeps it from being imported; where it is a list, each names its entry, counted from 1. A fix that begins with
/// `steadfast` is a command, and `{file}` in it the source as the person named it.
pub fn convert(kind: Kind, source: &Source, task: &str) -> Result<Converted, Vec<Problem>> {
    build::build(read(kind, source)?, &source.name, kind, task)
}

/// Reads a source.
///
/// # Errors
/// As [`convert`].
pub fn read(kind: Kind, source: &Source) -> Result<Imported, Vec<Problem>> {
    let one = || match source.files.as_slice() {
        [file] => Ok(file.bytes.as_slice()),
        files => Err(vec![values::problem(
            &source.name,
            format!("{} is one file, and here are {}", kind.word(), files.len()),
            "name the file",
        )]),
    };
    match kind {
        Kind::PlanJson => plan_json::read(one()?),
        Kind::FeatureList => feature_list::read(one()?),
        Kind::ClaudeTasks => claude_tasks::read(&source.files),
        Kind::ClaudePlan => claude_plan::read(one()?),
        Kind::TaskMaster => task_master::read(one()?, source.tag.as_deref()),
        Kind::Backlog => backlog::read(&source.files),
        Kind::SpecKit => spec_kit::read(one()?),
    }
}
