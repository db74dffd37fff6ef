//! Approving: one atomic replace of the head is the commit point; the mirrors beside the plan are written afterwards and
//! nobody decides by them.

use std::io;
use std::path::Path;

use serde_json::json;

use crate::core::contract::{Contract, ContractPhase, Mode, digest};
use crate::core::run::phase_key;
use crate::store::desk::Desk;
use crate::store::head::{self, Approval, By, Head, Subject};
use crate::store::snapshot::Snapshot;
use crate::store::{disk, layout, pending, proposals};

/// What went wrong.
#[derive(Debug)]
pub enum Trouble {
    /// The head was not written: nothing changed.
    NotApproved(io::Error),
    /// The head is written and in force; a mirror beside the plan is not.
    NoMirror(io::Error),
}

/// What a person who approves was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The commands of the contract: they are the person's own from now on.
    Commands,
    /// Something else.
    Nothing,
}

/// Who approves.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Who it counts for.
    pub by: By,
    /// What a person saw before.
    pub shown: Shown,
    /// When, RFC 3339.
    pub at: String,
}

/// Approves a contract as the next version.
///
/// # Errors
/// A [`Trouble`].
pub fn grant(state: &Path, desk: &Desk, head: &mut Head, contract: &Contract, grant: Grant) -> Result<(), Trouble> {
    let Grant { by, shown, at } = grant;
    let bytes = contract.to_bytes();
    head.digest = digest(&bytes);
    head.goal.clone_from(&contract.goal);
    head.mode = contract.mode;
    head.contract = String::from_utf8(bytes).ok();
    let commands: Vec<String> = contract.commands().map(|c| digest(c.as_bytes())).collect();
    if by == By::Person && shown == Shown::Commands {
        head.person_commands = commands;
    } else {
        head.person_commands.retain(|d| commands.contains(d));
    }
    let phases: Vec<String> = contract.phases.iter().flat_map(|phase| [phase.digest(), phase.answer()]).collect();
    head.given.retain(|digest| phases.contains(digest));
    head.version += 1;
    head.log.push(Approval { version: head.version, digest: head.digest.clone(), by, at, revoked: false });
    publish(state, desk, head)
}

/// What the ledger keeps of an approval beside its words: `{"version","sha256","by"}`, and which proposals it answered.
fn data(head: &Head, by: By, met: &[u32]) -> serde_json::Value {
    let mut data = json!({ "version": head.version, "sha256": head.digest, "by": by.word() });
    if let (false, Some(map)) = (met.is_empty(), data.as_object_mut()) {
        map.insert("proposals".to_owned(), met.into());
    }
    data
}

/// Keeps a person's word on a phase.
///
/// # Errors
/// A [`Trouble`].
pub fn give(
    state: &Path,
    desk: &Desk,
    head: &mut Head,
    phase: &ContractPhase,
    subject: Subject,
) -> Result<(), Trouble> {
    let digest = match subject {
        Subject::Question => phase.answer(),
        Subject::Result => phase.digest(),
    };
    if !head.given.contains(&digest) {
        head.given.push(digest);
    }
    publish(state, desk, head)
}

/// Takes that word back: what comes of the phase from now on is something else. Nothing is written where none was given.
///
/// # Errors
/// A [`Trouble`].
pub fn ungive(state: &Path, desk: &Desk, head: &mut Head, phase: &ContractPhase) -> Result<(), Trouble> {
    let before = head.given.len();
    head.given.retain(|digest| *digest != phase.digest());
    if head.given.len() == before { Ok(()) } else { publish(state, desk, head) }
}

/// Takes the approval back, by a person's word: nothing of the plan is in force any more. Its version stays used up, and the
/// next contract needs a person.
///
/// # Errors
/// A [`Trouble`]; [`Trouble::NotApproved`] where nothing changed.
pub fn revoke(state: &Path, desk: &Desk, head: &mut Head, at: String) -> Result<(), Trouble> {
    // What was shown in a chat was shown against this version, whose number stays.
    pending::clear(state, &desk.path()).map_err(Trouble::NotApproved)?;
    let digest = std::mem::take(&mut head.digest);
    head.log.push(Approval { version: head.version, digest, by: By::Person, at, revoked: true });
    head.contract = None;
    head.person_commands.clear();
    head.given.clear();
    head.made_here = false;
    publish(state, desk, head)
}

/// Takes the gate off a plan, as a person's approval of the same contract without it. A draft stays one.
///
/// # Errors
/// A [`Trouble`].
pub fn release(
    state: &Path,
    desk: &mut Desk,
    head: &mut Head,
    approved: Option<Contract>,
    at: String,
) -> Result<(), Trouble> {
    head.mode = Mode::Plain;
    let released = match approved {
        Some(contract) => {
            let contract = Contract { mode: Mode::Plain, ..contract };
            grant(state, desk, head, &contract, Grant { by: By::Person, shown: Shown::Nothing, at })
        }
        None => publish(state, desk, head),
    };
    if !matches!(released, Err(Trouble::NotApproved(_))) {
        desk.run.released = true;
        desk.run.adopted = head.version;
    }
    released
}

/// Writes a head and its mirrors.
///
/// # Errors
/// A [`Trouble`].
pub fn publish(state: &Path, desk: &Desk, head: &Head) -> Result<(), Trouble> {
    head::write(state, head).map_err(Trouble::NotApproved)?;
    mirror(desk, head).map_err(Trouble::NoMirror)
}

/// Writes the mirrors of a head beside the plan. A contract that is mirrored already is not written again.
///
/// # Errors
/// The system's.
pub fn mirror(desk: &Desk, head: &Head) -> io::Result<()> {
    if let Some(contract) = head.contract.as_ref().filter(|_| head.version > 0) {
        let name = layout::contract(head.version);
        desk.create(&name, contract.as_bytes())?;
        desk.replace(layout::ATTESTATION, format!("{}  {name}\n", head.digest).as_bytes())?;
    } else if head.revoked() {
        disk::remove(&desk.path().join(layout::ATTESTATION))?;
    }
    if head.mode == Mode::Plain {
        disk::remove(&desk.path().join(layout::MODE))
    } else {
        desk.replace(layout::MODE, head.mode.tokens().as_bytes())
    }
}

/// What a contract that came into force makes of the run: the statuses that stand in the file count, what hooks have to know of it
/// is noted, and proposals that ask for nothing else are answered. Gives the numbers of those.
fn adopt(desk: &mut Desk, approved: &Snapshot, weakened: bool) -> Vec<u32> {
    for phase in &approved.view.phases {
        let run = desk.run.phases.entry(phase_key(&phase.id)).or_default();
        if run.status.is_none() {
            run.status = Some(phase.status);
        }
    }
    desk.run.heed(approved.contract.as_ref());
    desk.run.adopted = approved.head.as_ref().map_or(0, |head| head.version);
    desk.run.revoked = false;
    let counts = approved.view.counts(desk.run.mark.files);
    // A smaller plan has smaller counts; without this it could not show progress for a while.
    desk.run.mark = if weakened { counts } else { desk.run.mark.max(counts) };
    proposals::settle_met(desk, approved)
}

/// Has the run take over what was approved, where it has not: because that was just now, or because whoever approved it was
/// killed before it could. Gives the summary and the data of the record that is to be kept of it.
pub fn take_over(desk: &mut Desk, approved: &Snapshot, weakened: bool) -> Option<(String, serde_json::Value)> {
    let head = approved.head.as_ref().filter(|head| head.contract.is_some() && head.version != desk.run.adopted)?;
    let by = head.log.last()?.by;
    let met = adopt(desk, approved, weakened);
    Some((format!("version {} by {}", head.version, by.word()), data(head, by, &met)))
}

/// A plan that came from elsewhere keeps the mode its mirror names, once a person approves it, and counts on from the versions
/// that are mirrored: none gets a second text.
pub fn head_from_mirrors(desk: &Desk) -> Head {
    let text = desk.file(layout::MODE, 256).bytes().unwrap_or_default();
    let words = String::from_utf8_lossy(&text).into_owned();
    let has = |word: &str| words.split_ascii_whitespace().any(|w| w == word);
    let mode = if has("gate") {
        Mode::Gate
    } else if has("autonomous") {
        Mode::Autonomous
    } else {
        Mode::Plain
    };
    Head { v: 1, plan: desk.path(), version: mirrored(desk), mode, ..Head::default() }
}

/// The highest version with a mirror, 0 where there is none.
fn mirrored(desk: &Desk) -> u64 {
    /// Nobody approves that often: a larger number was made up, and the next one has to fit as well.
    const MOST: u64 = 1_000_000;
    let number = |name: &String| name.strip_prefix("contract-v")?.strip_suffix(".json")?.parse::<u64>().ok();
    disk::names(&desk.path(), 10_000).iter().filter_map(number).filter(|n| *n < MOST).max().unwrap_or(0)
}
