//! The head: the one record of what is approved for a plan, in the user's state directory.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::core::contract::{Contract, ContractPhase, GateOptions, Mode, digest};
use crate::core::request::Request;
use crate::store::locate::Place;
use crate::store::{disk, layout};

/// Who approved something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The agent, by a verb.
    #[default]
    Agent,
    /// The person.
    Person,
}

impl By {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
        }
    }
}

/// One approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The version it made.
    pub version: u64,
    /// The digest of the contract.
    pub digest: String,
    /// Who.
    pub by: By,
    /// When, RFC 3339 in UTC.
    pub at: String,
}

/// What is approved for one plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// Format version, 1.
    pub v: u32,
    /// The plan directory it belongs to, so that a copied head is of no use.
    pub plan: PathBuf,
    /// 0 for a draft; each approval raises it.
    pub version: u64,
    /// SHA-256 of the contract bytes, in hex; empty for a draft.
    pub digest: String,
    /// Mode.
    pub mode: Mode,
    /// Gate options.
    pub gate: GateOptions,
    /// What the run is for: the task the user named, then the goal of the contract.
    pub goal: String,
    /// The plan was made on this machine by `init`, so that an agent may approve its first contract.
    pub made_here: bool,
    /// Digests of the commands a person approved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub person_commands: Vec<String>,
    /// What a person approved by `Approval: human`: digests of the phases as they were, see [`ContractPhase::digest`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    /// The bytes of the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// All approvals, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<Approval>,
}

impl Head {
    /// The approved contract. `None` for a draft, and where bytes and digest do not belong together.
    pub fn approved(&self) -> Option<Contract> {
        let text = self.contract.as_ref()?;
        if digest(text.as_bytes()) != self.digest {
            return None;
        }
        serde_json::from_str(text).ok()
    }

    /// The draft that an `init` asked for: mode and goal, nothing approved.
    pub fn draft(place: &Place, init: &Request) -> Self {
        Self {
            v: 1,
            plan: place.dir(),
            mode: init.mode,
            gate: init.gate,
            goal: init.goal.clone(),
            made_here: true,
            ..Self::default()
        }
    }

    /// Whether a person approved what this phase came to.
    pub fn is_given(&self, phase: &ContractPhase) -> bool {
        self.given.contains(&phase.digest())
    }

    /// Whether nothing is approved yet.
    pub fn is_draft(&self) -> bool {
        self.version == 0
    }
}

/// What reading a head gave.
#[derive(Debug)]
pub enum HeadRead {
    /// This, with its contract; a draft has none.
    Head(Box<Head>, Option<Contract>),
    /// There is none.
    None,
    /// It is there and says nothing that can be trusted.
    Damaged(String),
}

/// The directory of a plan's head.
pub fn dir(state: &Path, plan_dir: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    state.join("plans").join(digest(plan_dir.as_os_str().as_bytes()))
}

/// Reads the head of a plan.
pub fn read(state: &Path, plan_dir: &Path) -> HeadRead {
    let read = disk::read(&dir(state, plan_dir).join(layout::HEAD), layout::MAX_HEAD);
    if let Some(trouble) = read.trouble() {
        return HeadRead::Damaged(trouble);
    }
    let Some(bytes) = read.bytes() else { return HeadRead::None };
    let Ok(text) = std::str::from_utf8(&bytes) else { return HeadRead::Damaged("it is not UTF-8".to_owned()) };
    let head = match serde_json::from_str::<Head>(text) {
        Ok(head) => head,
        Err(error) => return HeadRead::Damaged(error.to_string()),
    };
    if head.plan != plan_dir {
        return HeadRead::Damaged("it belongs to another plan directory".to_owned());
    }
    let contract = head.approved();
    if !head.is_draft() && contract.is_none() {
        return HeadRead::Damaged("its digest does not match its contract".to_owned());
    }
    HeadRead::Head(Box::new(head), contract)
}

/// Writes the head of a plan: the commit point of an approval.
///
/// # Errors
/// The system's; the old head is whole then.
pub fn write(state: &Path, head: &Head) -> io::Result<()> {
    let dir = dir(state, &head.plan);
    disk::make_private_dir(&dir)?;
    let bytes = serde_json::to_vec(head).map_err(io::Error::other)?;
    let fd = disk::open_dir(&dir)?;
    disk::replace_at(fd.as_fd(), layout::HEAD, &bytes, 0o600, true)
}
