//! What a person was shown in a chat and has not answered yet: the exact bytes, in the state directory.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::core::contract::{Contract, digest_start};
use crate::store::{disk, head, layout};

/// The most bytes of contracts that one dialogue offers.
pub const MAX_OFFERED: usize = 2 * 1024 * 1024;
/// The most of the file that is read: a contract is written as a string, which may double it.
const MAX: u64 = 8 * 1024 * 1024;

/// A contract that waits for a person's word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Offer {
    /// The bytes of the contract.
    pub contract: String,
    /// The plan file asked for it.
    pub own: bool,
    /// Numbers of the proposals that asked for it.
    pub proposals: Vec<u32>,
    /// Every command of it was shown.
    pub commands: bool,
}

impl Offer {
    /// The contract that was shown.
    pub fn parsed(&self) -> Option<Contract> {
        serde_json::from_str(&self.contract).ok()
    }
}

/// A dialogue. A file of another form has no offers: nothing was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// Key of the session that was shown it; no other can answer.
    pub session: String,
    /// Version of the head it was shown against.
    pub version: u64,
    /// What can be approved.
    pub offers: Vec<Offer>,
    /// Every proposal that was shown: its number, and the digest of its file.
    pub proposals: Vec<(u32, String)>,
    /// What else can be done, where that was asked about: what taking the gate off stands for, or a person's word on a phase.
    pub deed: String,
    /// Made anew for every dialogue, so that no agent can compute a code, or two plans with one code, before it is shown.
    pub nonce: String,
}

impl Pending {
    /// What the person types for one of the things that were shown: 8 hex.
    pub fn code(&self, what: &str) -> String {
        digest_start(format!("{}\n{what}", self.nonce).as_bytes(), 8)
    }

    /// The offer that a code stands for. One that stands for two is none.
    pub fn offered(&self, code: &str) -> Option<&Offer> {
        let mut found = self.offers.iter().filter(|offer| self.code(&offer.contract) == code);
        found.next().filter(|_| found.next().is_none())
    }

    /// The digest of a proposal's file when it was shown.
    pub fn digest(&self, n: u32) -> Option<&str> {
        self.proposals.iter().find(|(number, _)| *number == n).map(|(_, digest)| digest.as_str())
    }
}

/// Saves what was shown.
///
/// # Errors
/// The system's.
pub fn save(state: &Path, plan_dir: &Path, pending: &Pending) -> io::Result<()> {
    let dir = head::dir(state, plan_dir);
    disk::make_private_dir(&dir)?;
    let bytes = serde_json::to_vec(pending).map_err(io::Error::other)?;
    disk::replace_at(&disk::open_dir(&dir)?, layout::PENDING, &bytes, disk::Readers::User, false)
}

/// What was shown to this session last, if anything.
pub fn read(state: &Path, plan_dir: &Path, session: &str) -> Option<Pending> {
    let bytes = disk::read(&head::dir(state, plan_dir).join(layout::PENDING), MAX).bytes()?;
    let pending: Pending = serde_json::from_str(std::str::from_utf8(&bytes).ok()?).ok()?;
    let shown = !(pending.offers.is_empty() && pending.proposals.is_empty() && pending.deed.is_empty());
    Some(pending).filter(|p| shown && p.session == session)
}

/// Forgets it.
///
/// # Errors
/// The system's.
pub fn clear(state: &Path, plan_dir: &Path) -> io::Result<()> {
    disk::remove(&head::dir(state, plan_dir).join(layout::PENDING))
}
