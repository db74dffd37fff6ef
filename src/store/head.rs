//! The head: the one record of what is approved for a plan, in the user's state directory.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::core::contract::{Contract, ContractPhase, GateOptions, Mode, digest, newer, unreadable};
use crate::core::request::Request;
use crate::core::run::PhaseRun;
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

/// One entry of the log: an approval, or its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The version it made, or ended.
    pub version: u64,
    /// The digest of the contract.
    pub digest: String,
    /// Who.
    pub by: By,
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// The approval of this version was revoked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revoked: bool,
}

/// On what a person gives their word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// What a phase asks before it begins.
    Question,
    /// What a phase came to.
    Result,
}

/// The newest format of a head that is understood.
const FORMAT: u32 = 1;

/// What is approved for one plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// Format version, 1. A key that is not known is passed over, so whoever adds one that must be heeded raises this.
    pub v: u32,
    /// The plan directory it belongs to, so that a copied head is of no use.
    pub plan: PathBuf,
    /// 0 for a draft; each approval raises it.
    pub version: u64,
    /// SHA-256 of the contract bytes, in hex; empty where there are none.
    pub digest: String,
    /// Mode.
    pub mode: Mode,
    /// Gate options.
    pub gate: GateOptions,
    /// What the run is for: the task the user named, then the goal of the contract.
    pub goal: String,
    /// The plan was made on this machine by `init`, so that an agent may approve its first contract. A revocation takes this
    /// back.
    pub made_here: bool,
    /// Digests of the commands a person approved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub person_commands: Vec<String>,
    /// What a person approved by `Approval: human`: digests of the phases as they were, see [`ContractPhase::digest`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    /// The bytes of the contract. `None` for a draft, and after a revocation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// All approvals and revocations, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<Approval>,
}

impl Head {
    /// The approved contract. `None` for a draft, and after a revocation.
    ///
    /// # Errors
    /// Why what stands here cannot be trusted.
    pub fn approved(&self) -> Result<Option<Contract>, String> {
        if self.v > FORMAT {
            return Err(newer(&format!("format {}", self.v)));
        }
        match &self.contract {
            Some(text) if digest(text.as_bytes()) == self.digest => Contract::read(text).map(Some),
            Some(_) => Err("its digest does not match its contract".to_owned()),
            None if self.is_draft() || self.revoked() => Ok(None),
            None => Err("its contract is missing".to_owned()),
        }
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

    /// Whether a person answered what the phase asks before it begins. A word on what it came to says as much.
    pub fn is_answered(&self, phase: &ContractPhase) -> bool {
        self.is_given(phase) || self.given.contains(&phase.answer())
    }

    /// What a person would say of a phase now: whether that is an answer, or a word on what it came to; and whether it was said.
    pub fn word_on(&self, phase: &ContractPhase, run: &PhaseRun) -> (Subject, bool) {
        let asks = phase.approvals.is_empty() || (!run.met && phase.questions().next().is_some());
        if asks { (Subject::Question, self.is_answered(phase)) } else { (Subject::Result, self.is_given(phase)) }
    }

    /// Whether nothing was approved yet.
    pub fn is_draft(&self) -> bool {
        self.version == 0
    }

    /// Whether a person took the last approval back.
    pub fn revoked(&self) -> bool {
        self.contract.is_none() && self.log.last().is_some_and(|last| last.revoked)
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
    state.join(layout::PLANS).join(digest(plan_dir.as_os_str().as_encoded_bytes()))
}

/// Reads the head of a plan.
pub fn read(state: &Path, plan_dir: &Path) -> HeadRead {
    let head = match open(&dir(state, plan_dir)) {
        Ok(Some(head)) => head,
        Ok(None) => return HeadRead::None,
        Err(why) => return HeadRead::Damaged(why),
    };
    if head.plan != plan_dir {
        return HeadRead::Damaged("it belongs to another plan directory".to_owned());
    }
    match head.approved() {
        Ok(contract) => HeadRead::Head(Box::new(head), contract),
        Err(why) => HeadRead::Damaged(why),
    }
}

/// The head in a directory, as it stands there.
fn open(dir: &Path) -> Result<Option<Head>, String> {
    let read = disk::read(&dir.join(layout::HEAD), layout::MAX_HEAD);
    if let Some(trouble) = read.trouble() {
        return Err(trouble);
    }
    let Some(bytes) = read.bytes() else { return Ok(None) };
    let text = std::str::from_utf8(&bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    serde_json::from_str(text).map(Some).map_err(|error| unreadable(&error))
}

/// A head as it lies in the state directory, whatever became of its plan.
#[derive(Debug)]
pub struct Stored {
    /// Its directory.
    pub dir: PathBuf,
    /// What stands in it, where that can be read at all.
    pub head: Option<Head>,
    /// Why nothing of it is in force.
    pub trouble: Option<String>,
}

/// All heads, by the path of their plans.
pub fn all(state: &Path) -> Vec<Stored> {
    let plans = state.join(layout::PLANS);
    let is_hash = |name: &String| name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit());
    let mut found: Vec<Stored> = disk::names(&plans, 100_000)
        .into_iter()
        .filter(is_hash)
        .filter_map(|name| {
            let place = plans.join(name);
            let (head, trouble) = match open(&place) {
                Ok(None) => return None,
                Ok(Some(head)) if dir(state, &head.plan) != place => {
                    (Some(head), Some("it belongs to another plan directory".to_owned()))
                }
                Ok(Some(head)) => {
                    let trouble = head.approved().err();
                    (Some(head), trouble)
                }
                Err(why) => (None, Some(why)),
            };
            Some(Stored { dir: place, head, trouble })
        })
        .collect();
    found.sort_unstable_by_key(|stored| stored.head.as_ref().map(|head| head.plan.as_os_str().to_owned()));
    found
}

/// Whether the directory of a plan is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// It is.
    Here,
    /// It is not, and the folder it lay in is.
    Gone,
    /// That cannot be told: its project is not there (a disk that is not mounted), or cannot be looked into.
    Unknown,
}

impl Plan {
    /// Looks for a plan directory.
    pub fn look(plan: &Path) -> Self {
        let is_dir = |path: &Path| disk::kind(path).is_some_and(|kind| kind.dir);
        let folder = plan.parent().filter(|folder| folder.file_name().is_some_and(|name| name == layout::PLANNING));
        if is_dir(plan) {
            Self::Here
        } else if folder.is_some_and(is_dir) && disk::is_missing(plan) {
            Self::Gone
        } else {
            Self::Unknown
        }
    }

    /// The word in `approvals --json`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Gone => "gone",
            Self::Unknown => "unknown",
        }
    }
}

/// Writes the head of a plan: the commit point of an approval.
///
/// # Errors
/// The system's; the old head is whole then.
pub fn write(state: &Path, head: &Head) -> io::Result<()> {
    let dir = dir(state, &head.plan);
    disk::make_private_dir(&dir)?;
    let bytes = serde_json::to_vec(head).map_err(io::Error::other)?;
    disk::replace_at(&disk::open_dir(&dir)?, layout::HEAD, &bytes, disk::Readers::User, true)
}
