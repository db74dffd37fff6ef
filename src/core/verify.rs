//! What is wrong with the ledgers of a plan, line by line: a write that was cut short, a merge, or damage.

use std::collections::BTreeMap;

use crate::core::ledger::{CUT, chain};
use crate::core::ledger_lines::{Kind, Lines, Link};
use crate::core::run::LedgerEnd;

/// The most findings that are kept of one ledger.
const MOST: usize = 100;

/// What a finding says of how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A write was cut short: the system, the disk or the process ended meanwhile. Nothing that was acknowledged is lost.
    Torn,
    /// Two histories were put together, by git for instance.
    Merge,
    /// The end is older than what was written here last: it was taken away, or git checked out another version.
    Cut,
    /// A line was changed, taken out or put between.
    Damage,
}

impl Cause {
    /// The word in JSON and for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Torn => "torn",
            Self::Merge => "merge",
            Self::Cut => "cut",
            Self::Damage => "damage",
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where, from 1; 0: the file as a whole.
    pub line: usize,
    /// How it came about.
    pub cause: Cause,
    /// What it is, in words.
    pub what: String,
}

/// What is to be said of one ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Whose it is.
    pub agent: String,
    /// How many records it has.
    pub records: usize,
    /// What is wrong, in the order of the lines; at most a hundred.
    pub findings: Vec<Finding>,
    /// How many more there are.
    pub more: usize,
}

impl Verified {
    /// The first finding of this kind.
    pub fn first(&self, cause: Cause) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.cause == cause)
    }

    fn add(&mut self, line: usize, cause: Cause, what: impl Into<String>) {
        if self.findings.len() < MOST {
            self.findings.push(Finding { line, cause, what: what.into() });
        } else {
            self.more += 1;
        }
    }
}

/// A ledger as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Ledger<'a> {
    /// Whose it is.
    pub agent: &'a str,
    /// Its bytes, or the end of them.
    pub bytes: &'a [u8],
    /// How many bytes of its beginning are left out.
    pub left_out: u64,
}

/// Looks at every line of every ledger. `ends`: how long each was when it was last written here, and by what line it ended then.
pub fn verify(ledgers: &[Ledger<'_>], ends: &BTreeMap<String, LedgerEnd>) -> Vec<Verified> {
    let mut ticks: BTreeMap<u64, &str> = BTreeMap::new();
    let mut all: Vec<Verified> = ledgers.iter().map(|ledger| one(ledger, ends.get(ledger.agent), &mut ticks)).collect();
    for (agent, end) in ends.iter().filter(|(_, end)| end.bytes > 0) {
        if ledgers.iter().all(|ledger| ledger.agent != agent) {
            let mut gone = Verified { agent: agent.clone(), ..Verified::default() };
            gone.add(0, Cause::Cut, format!("it had {} bytes, and is gone", end.bytes));
            all.push(gone);
        }
    }
    all
}

fn one<'a>(ledger: &Ledger<'a>, end: Option<&LedgerEnd>, ticks: &mut BTreeMap<u64, &'a str>) -> Verified {
    let mut found = Verified { agent: ledger.agent.to_owned(), ..Verified::default() };
    // A line that is no record: its number and chain, until the next record tells whether it was there when that was written.
    let mut bad: Vec<(usize, String)> = Vec::new();
    let mut last = 0;
    let lines = if ledger.left_out > 0 { Lines::of_end(ledger.bytes) } else { Lines::of(ledger.bytes) };
    for line in lines {
        match line.kind {
            Kind::Marker => found.add(line.number, Cause::Merge, "git could not merge here, and left its marks"),
            Kind::Torn => found.add(line.number, Cause::Torn, "the last line is cut short; the next append closes it"),
            Kind::Damaged => bad.push((line.number, line.chain)),
            Kind::Record(record, link) => {
                found.records += 1;
                settle(&mut found, &mut bad, &record.prev);
                if record.event == CUT {
                    found.add(line.number, Cause::Cut, record.summary.clone());
                }
                match link {
                    Link::Lost if record.prev.is_empty() => {
                        found.add(line.number, Cause::Damage, "it is chained to no line, and those before it are");
                    }
                    Link::Lost => {
                        found.add(line.number, Cause::Damage, "the line before it was changed or taken out");
                    }
                    Link::Fork => found.add(
                        line.number,
                        Cause::Merge,
                        "it follows an earlier line: two histories were put together, or lines were put between",
                    ),
                    Link::Next if record.tick <= last => found.add(
                        line.number,
                        Cause::Damage,
                        format!("tick {} does not come after {last}", record.tick),
                    ),
                    Link::Next | Link::Free => {}
                }
                if let Some(other) = ticks.insert(record.tick, ledger.agent)
                    && link != Link::Lost
                    && (other != ledger.agent || link == Link::Fork)
                {
                    found.add(
                        line.number,
                        Cause::Merge,
                        format!("tick {} stands in the ledger of {other}, too", record.tick),
                    );
                }
                last = record.tick;
            }
        }
    }
    settle(&mut found, &mut bad, "");
    if let Some(end) = end {
        recorded_end(&mut found, ledger, end);
    }
    found
}

/// Lines that are no records: the one to which the next record is chained was there when that was written, so it was torn and
/// closed. The others came later.
fn settle(found: &mut Verified, bad: &mut Vec<(usize, String)>, prev: &str) {
    for (number, chain) in bad.drain(..) {
        if chain == prev {
            found.add(number, Cause::Torn, "it was cut short, and closed by the next append");
        } else {
            found.add(number, Cause::Damage, "it is no record");
        }
    }
}

/// Compares with what the run state knows. It does not travel with git, so after a merge it says nothing.
fn recorded_end(found: &mut Verified, ledger: &Ledger<'_>, end: &LedgerEnd) {
    let size = ledger.left_out + ledger.bytes.len() as u64;
    if found.first(Cause::Merge).is_some() || end.bytes <= ledger.left_out {
        return;
    }
    if size < end.bytes {
        found.add(0, Cause::Cut, format!("it had {} bytes when it was last written here, and has {size}: taken away, or an older version is checked out", end.bytes));
        return;
    }
    let before = usize::try_from(end.bytes - ledger.left_out).ok().and_then(|n| ledger.bytes.get(..n));
    let line = before.and_then(|bytes| bytes.split(|b| *b == b'\n').rfind(|line| !line.is_empty()));
    if !end.digest.is_empty() && line.is_some_and(|line| chain(line) != end.digest) && found.findings.is_empty() {
        found.add(
            0,
            Cause::Cut,
            "its end is another than the one that was written here last: changed, or another version is checked out",
        );
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
