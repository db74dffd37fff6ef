//! What a shell command line changes. No shell: words, quotes, variables that are known, redirections, and the few programs by
//! which files are changed. What is left out (functions, other programs, names that only running it would tell) passes.

mod program;
mod scan;

use std::path::{Path, PathBuf};

use super::target::{Around, Target, resolved};
use crate::core::native;

/// The longest command line that is looked at, in bytes.
const MAX: usize = 64 * 1024;
/// How many variables, places of a search and programs started by one are looked at.
const MANY: usize = 64;
/// How deep command lines in command lines are looked at.
const DEPTH: u8 = 8;
/// The longest value of a variable, and the longest word, in bytes.
const LONG: (usize, usize) = (1024, 4096);
/// How many command lines and programs within a command line are looked at in all.
const WITHIN: u16 = 256;
/// The name of this program.
const OURS: &str = "steadfast";
/// Stands for what only running the command would tell.
const UNKNOWN: char = '\0';

/// Programs that only pass on what a verb prints, or lead to where it runs.
const BESIDE: [&str; 10] = ["cd", "pwd", "echo", "true", "cat", "head", "tail", "grep", "wc", "jq"];
/// Where it does no harm to write.
const NOWHERE: &str = "/dev/null";

/// What a command line changes, in the order written.
pub(super) fn targets(line: &str, around: Around<'_>) -> Vec<Target> {
    walked(line, around).targets
}

/// Whether a command line does nothing but run verbs of this program.
pub fn only_verbs(line: &str) -> bool {
    let walk = walked(line, Around { cwd: Some(Path::new(native::ROOT)), var: &|_| None });
    let known = |program: &String| program == OURS || BESIDE.contains(&program.as_str());
    let nowhere = |target: &Target| *target == Target::At(PathBuf::from(NOWHERE));
    line.len() <= MAX
        // A document on the command line, or what only looks like one, is more than these eyes take in.
        && !line.contains("<<")
        && !walk.written
        && walk.targets.iter().all(nowhere)
        && walk.vars.is_empty()
        && walk.programs.iter().all(known)
        && walk.programs.iter().any(|p| p == OURS)
}

fn walked<'a>(line: &str, around: Around<'a>) -> Walk<'a> {
    let mut walk = Walk {
        around,
        here: around.cwd.map(Path::to_path_buf),
        vars: Vec::new(),
        targets: Vec::new(),
        programs: Vec::new(),
        written: false,
        depth: 0,
        within: WITHIN,
    };
    walk.line(line);
    walk
}

/// One command without operators.
#[derive(Default)]
struct Simple {
    /// Its words, without quotes and with variables replaced.
    words: Vec<String>,
    /// Where it is redirected to.
    into: Vec<String>,
    /// What its standard input is, where that is written down.
    input: String,
}

/// A walk through a command line, in the order in which a shell would run it.
struct Walk<'a> {
    around: Around<'a>,
    /// Where the commands work: `cd` changes it.
    here: Option<PathBuf>,
    /// Variables set on the way.
    vars: Vec<(String, String)>,
    targets: Vec<Target>,
    /// The programs that are run, by their bare names.
    programs: Vec<String>,
    /// Something is redirected into a file.
    written: bool,
    depth: u8,
    /// How many more are looked at, see [`WITHIN`].
    within: u16,
}

impl Walk<'_> {
    fn line(&mut self, text: &str) {
        if text.len() > MAX || self.depth >= DEPTH || self.within == 0 {
            return;
        }
        self.within -= 1;
        self.depth += 1;
        scan::commands(self, text);
        self.depth -= 1;
    }

    /// A command line that runs in a shell of its own.
    fn apart(&mut self, text: &str) {
        let (here, vars) = (self.here.clone(), self.vars.clone());
        self.line(text);
        (self.here, self.vars) = (here, vars);
    }

    fn var(&self, name: &str) -> Option<String> {
        let known = self.vars.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        known.or_else(|| match name {
            "PWD" => Some(self.here.as_ref()?.display().to_string()),
            _ => (self.around.var)(name),
        })
    }

    /// The path a word stands for.
    fn path(&self, word: &str) -> Option<PathBuf> {
        if word.is_empty() || word.starts_with(UNKNOWN) {
            return None;
        }
        resolved(Path::new(word), self.here.as_deref())
    }

    fn at(&mut self, word: &str) {
        self.targets.extend(self.path(word).map(Target::At));
    }

    fn tree(&mut self, word: &str) {
        self.targets.extend(self.path(word).map(Target::Tree));
    }
}

#[cfg(test)]
mod tests;
