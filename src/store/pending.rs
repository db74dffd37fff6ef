//! What a person was shown in a chat and has not answered yet: the exact bytes, in the state directory.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::core::contract::{Contract, digest_start};
use crate::store::{disk, head, layout};

/// A contract that waits for a person's word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// Key of the session that was shown it; no other can answer.
    pub session: String,
    /// Version of the head it was shown against.
    pub version: u64,
    /// The bytes of the contract.
    pub contract: String,
}

impl Pending {
    /// What the person types to approve: the first 8 hex of the digest.
    pub fn code(&self) -> String {
        digest_start(self.contract.as_bytes(), 8)
    }

    /// The contract that was shown.
    pub fn parsed(&self) -> Option<Contract> {
        serde_json::from_str(&self.contract).ok()
    }
}

const NAME: &str = "pending.json";

/// Saves what was shown.
///
/// # Errors
/// The system's.
pub fn save(state: &Path, plan_dir: &Path, pending: &Pending) -> io::Result<()> {
    let dir = head::dir(state, plan_dir);
    disk::make_private_dir(&dir)?;
    let bytes = serde_json::to_vec(pending).map_err(io::Error::other)?;
    disk::replace_at(disk::open_dir(&dir)?.as_fd(), NAME, &bytes, 0o600, false)
}

/// What was shown last, if anything.
pub fn read(state: &Path, plan_dir: &Path) -> Option<Pending> {
    let bytes = disk::read(&head::dir(state, plan_dir).join(NAME), layout::MAX_HEAD).bytes()?;
    serde_json::from_str(std::str::from_utf8(&bytes).ok()?).ok()
}

/// Forgets it.
///
/// # Errors
/// The system's.
pub fn clear(state: &Path, plan_dir: &Path) -> io::Result<()> {
    disk::remove(&head::dir(state, plan_dir).join(NAME))
}
