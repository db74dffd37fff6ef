//! Proposals beside a plan: `proposals/<n>.md` waits for a person, `<n>.approved.md` and `<n>.rejected.md` were answered.

use std::io;

use crate::core::candidate::{self, Candidate};
use crate::core::change::Change;
use crate::core::contract::digest;
use crate::core::{attest, plan_read, proposal};
use crate::store::desk::Desk;
use crate::store::disk::{self, Dir, Read};
use crate::store::layout;
use crate::store::snapshot::Snapshot;

/// The most proposals that may wait at a time.
pub const MAX_OPEN: usize = 20;
/// The most names of the folder that are looked at.
const MAX_NAMES: usize = 10_000;

/// A proposal that waits.
#[derive(Debug)]
pub struct Proposal {
    /// Its number.
    pub n: u32,
    /// Digest of the file's bytes; empty where it cannot be read.
    pub digest: String,
    /// The reason, flattened.
    pub why: String,
    /// What it asks for, judged against what is approved now; or why that cannot be approved.
    pub asked: Result<Candidate, String>,
}

/// How a proposal was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is in force.
    Approved,
    /// It is not wanted.
    Rejected,
}

impl Desk {
    /// The folder, as long as it is a directory of this user and no link.
    fn proposals(&self) -> io::Result<Dir> {
        let dir = disk::open_dir_at(&self.dir, layout::PROPOSALS)?;
        if !dir.is_ours()? {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
        }
        Ok(dir)
    }
}

/// The proposals that wait, by number, at most [`MAX_OPEN`].
pub fn open(desk: &Desk, snapshot: &Snapshot) -> Vec<Proposal> {
    let Ok(dir) = desk.proposals() else { return Vec::new() };
    let mut waiting: Vec<u32> = disk::names_at(&dir, MAX_NAMES).iter().filter_map(|name| number(name)).collect();
    waiting.sort_unstable();
    waiting.into_iter().take(MAX_OPEN).map(|n| judged(n, disk::read_at(&dir, &name(n), MAX), snapshot)).collect()
}

/// The one with this number, where it waits.
pub fn find(desk: &Desk, snapshot: &Snapshot, n: u32) -> Option<Proposal> {
    let dir = desk.proposals().ok()?;
    match disk::read_at(&dir, &name(n), MAX) {
        Read::Missing => None,
        read => Some(judged(n, read, snapshot)),
    }
}

const MAX: u64 = layout::MAX_PLAN + proposal::MAX_FRONT;

fn judged(n: u32, read: Read, snapshot: &Snapshot) -> Proposal {
    let trouble = read.trouble();
    let bytes = read.bytes().unwrap_or_default();
    let (why, plan) = proposal::read(&bytes);
    let asked = match trouble {
        Some(trouble) => return Proposal { n, digest: String::new(), why, asked: Err(trouble) },
        // They were written when it was kept. To write many costs more than a look at twenty proposals should.
        None if !attest::missing_ids(&plan_read::read(plan)).is_empty() => Err("a phase of it has no id".to_owned()),
        None => snapshot.weigh(plan).map_err(|problems| candidate::lines(&problems, 3).join("; ")),
    };
    Proposal { n, digest: digest(&bytes), why, asked }
}

/// Keeps a plan as a new proposal, and gives its number, which the run is to know. Numbers only rise, and no file is ever written
/// over.
///
/// # Errors
/// The system's; then nothing is kept.
pub fn keep(desk: &Desk, why: &str, plan: &[u8]) -> io::Result<u32> {
    match disk::make_dir_at(&desk.dir, layout::PROPOSALS) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let dir = desk.proposals()?;
    let known = disk::names_at(&dir, MAX_NAMES);
    let last = known.iter().filter_map(|name| name.split('.').next()?.parse().ok()).max().unwrap_or(0);
    let n = desk.run.proposed.max(last).checked_add(1).ok_or_else(|| io::Error::other("no number is left"))?;
    disk::create_at(&dir, &name(n), &proposal::write(why, plan), disk::Readers::All)?;
    Ok(n)
}

/// Marks a proposal as answered, where it still has the bytes that were. `false`: it has not, and was left alone.
///
/// # Errors
/// The system's.
pub fn settle(desk: &Desk, n: u32, shown: &str, answer: Answer) -> io::Result<bool> {
    let dir = desk.proposals()?;
    let same = disk::read_at(&dir, &name(n), MAX).bytes().is_some_and(|bytes| digest(&bytes) == shown);
    if same {
        let word = if answer == Answer::Approved { "approved" } else { "rejected" };
        disk::rename_at(&dir, &name(n), &format!("{n}.{word}.md"))?;
    }
    Ok(same)
}

/// Marks the proposals that ask for what is approved now as answered, and gives their numbers. One that cannot be renamed
/// waits on, and says so when it is shown.
pub fn settle_met(desk: &Desk, approved: &Snapshot) -> Vec<u32> {
    let mut met = open(desk, approved);
    met.retain(|p| {
        p.asked.as_ref().is_ok_and(|asked| asked.change == Some(Change::Same))
            && matches!(settle(desk, p.n, &p.digest, Answer::Approved), Ok(true))
    });
    met.into_iter().map(|p| p.n).collect()
}

/// Puts the plan of an approved proposal in place of the plan file, with what `before` says is recorded. What stood there is
/// kept as [`layout::BEFORE_PROPOSAL`]. `false`: the file cannot be read, or somebody else writes it just now, and it was left
/// alone.
///
/// # Errors
/// The system's.
pub fn put_in_place(desk: &Desk, before: &Snapshot, candidate: &Candidate) -> io::Result<bool> {
    let text = proposal::with_states(&candidate.bytes, &candidate.contract, &before.view);
    if before.plan_trouble.is_some() || text.len() as u64 > layout::MAX_PLAN {
        return Ok(false);
    }
    if !before.bytes.is_empty() {
        desk.replace(layout::BEFORE_PROPOSAL, &before.bytes)?;
    }
    match desk.replace_plan(&before.bytes, &text) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => desk.create(layout::PLAN, &text).map(|()| true),
        other => other,
    }
}

fn name(n: u32) -> String {
    format!("{n}.md")
}

/// The number in the name of a proposal that waits.
fn number(file: &str) -> Option<u32> {
    let n: u32 = file.strip_suffix(".md")?.parse().ok()?;
    // One number has one name.
    (n > 0 && name(n) == file).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_wait() {
        for (file, n) in [
            ("1.md", Some(1)),
            ("20.md", Some(20)),
            ("01.md", None),
            ("+1.md", None),
            ("0.md", None),
            ("1.approved.md", None),
            ("1.rejected.md", None),
            ("1.md.tmp", None),
            ("4294967296.md", None),
        ] {
            assert_eq!(number(file), n, "{file}");
        }
    }
}
