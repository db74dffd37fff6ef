//! The run state: what a hook must know in O(1). The file format is owned by `store::run_file`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::core::contract::Contract;
use crate::core::plan::Status;
use crate::core::wait::Wait;

/// The recorded outcome of a phase's check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// No check was run yet.
    #[default]
    None,
    /// Every check passed.
    Passed,
    /// A check failed.
    Failed,
    /// A check was begun, and nobody knows how it ended.
    Interrupted,
}

impl Proof {
    /// The word in ledgers and for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// What the runtime recorded about one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseRun {
    /// The last status that a verb recorded or a hook took over.
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Result of the last check.
    #[serde(rename = "p", skip_serializing_if = "is_default")]
    pub proof: Proof,
    /// Exit code of the last check; 128 + signal where a signal ended it.
    #[serde(rename = "x", skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// How often the check was run.
    #[serde(rename = "t", skip_serializing_if = "is_default")]
    pub tries: u32,
    /// Ledger tick of the last check.
    #[serde(rename = "k", skip_serializing_if = "is_default")]
    pub proof_tick: u64,
    /// The first 8 hex of the digest of the checks the proof stands for.
    #[serde(rename = "d", skip_serializing_if = "String::is_empty")]
    pub checks: String,
    /// The first 8 hex of the digest of the working tree the proof was made on; empty where nobody looked.
    #[serde(rename = "h", skip_serializing_if = "String::is_empty")]
    pub tree: String,
    /// The working tree changed while the check ran: by the check, or by somebody else.
    #[serde(rename = "v", skip_serializing_if = "is_default")]
    pub moved: bool,
    /// A shell ran since the session's own was seen to pass the check, and nobody looked at the tree: the proof says nothing any more.
    #[serde(rename = "l", skip_serializing_if = "is_default")]
    pub blind: bool,
    /// A check was begun and its end is not recorded: whoever ran it may have been killed.
    #[serde(rename = "b", skip_serializing_if = "is_default")]
    pub begun: bool,
    /// A check of the phase failed at some time.
    #[serde(rename = "r", skip_serializing_if = "is_default")]
    pub red: bool,
    /// Failures in a row with the same exit code on the same tree.
    #[serde(rename = "q", skip_serializing_if = "is_default")]
    pub alike: u32,
    /// How often a failed check was run again on this tree.
    #[serde(rename = "g", skip_serializing_if = "is_default")]
    pub again: u32,
    /// At which such rerun it passed; 0 where it passed otherwise.
    #[serde(rename = "f", skip_serializing_if = "is_default")]
    pub flaky: u32,
    /// Which commands, by index, the session's own shell was seen to pass (bits).
    #[serde(rename = "m", skip_serializing_if = "is_default")]
    pub seen: u32,
    /// Tick of the oldest of those.
    #[serde(rename = "o", skip_serializing_if = "is_default")]
    pub seen_tick: u64,
    /// What it waits for, where a verb or a routine said so.
    #[serde(rename = "z", skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Every condition of `WaitsFor` was met at some time.
    #[serde(rename = "e", skip_serializing_if = "is_default")]
    pub met: bool,
    /// How often a routine was done.
    #[serde(rename = "n", skip_serializing_if = "is_default")]
    pub rounds: u32,
    /// The reason given by `fail`, `skip` or `wait`, at most 80 characters.
    #[serde(rename = "w", skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Skipped by an agent, not by a person: the run ends as `needs-you`.
    #[serde(rename = "a", skip_serializing_if = "is_default")]
    pub by_agent: bool,
}

impl PhaseRun {
    /// The phase was completed. One that comes again after `every` seconds waits from now on.
    pub fn finish(&mut self, every: Option<u64>, now: u64) {
        self.wait = every.map(|every| Wait { until: now.saturating_add(every), ..Wait::default() });
        self.rounds = self.rounds.saturating_add(u32::from(every.is_some()));
        self.why.clear();
    }
}

/// The highest counts ever reached. Undoing and redoing does not raise them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Phases complete (or parked).
    pub phases: u32,
    /// Boxes checked.
    pub boxes: u32,
    /// Phases whose checks passed.
    pub proofs: u32,
    /// Distinct file contents written.
    pub files: u32,
}

impl Mark {
    /// Whether any count is above `old`.
    pub fn exceeds(self, old: Self) -> bool {
        self.phases > old.phases || self.boxes > old.boxes || self.proofs > old.proofs || self.files > old.files
    }

    /// The larger of each count.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            phases: self.phases.max(other.phases),
            boxes: self.boxes.max(other.boxes),
            proofs: self.proofs.max(other.proofs),
            files: self.files.max(other.files),
        }
    }
}

/// Length and chain end of one agent's ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerEnd {
    /// Bytes written so far.
    #[serde(rename = "n")]
    pub bytes: u64,
    /// First 16 hex of the SHA-256 of the last line.
    #[serde(rename = "d", skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// Tick of the last record.
    #[serde(rename = "k")]
    pub tick: u64,
    /// Last record of work of this agent (event and phase), as shown in the block.
    #[serde(rename = "e", skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// Tick of that record of work.
    #[serde(rename = "w", skip_serializing_if = "is_default")]
    pub work_tick: u64,
}

/// The run state of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// Format version.
    pub v: u32,
    /// The last tick given out.
    pub tick: u64,
    /// Blocks since the budget was last reset.
    pub blocks: u32,
    /// All holds of this run, never reset: the count a person sees.
    pub holds: u32,
    /// The run is paused.
    #[serde(skip_serializing_if = "is_default")]
    pub paused: bool,
    /// The approval was revoked, says the verb that did it: a busy session looks at the head at its next tool call, where
    /// hooks else read none. Only the head decides.
    #[serde(skip_serializing_if = "is_default")]
    pub revoked: bool,
    /// A person took the gate off. Only a mark, so that a hook need not read the head to learn of it: the head decides.
    #[serde(skip_serializing_if = "is_default")]
    pub released: bool,
    /// The version of the approval that the run took over. Where the head has another, whoever approved it was killed before
    /// the run knew.
    #[serde(skip_serializing_if = "is_default")]
    pub adopted: u64,
    /// The number of the last proposal.
    #[serde(skip_serializing_if = "is_default")]
    pub proposed: u32,
    /// The number of the last proposal that a person was shown.
    #[serde(skip_serializing_if = "is_default")]
    pub looked: u32,
    /// High-water mark.
    pub mark: Mark,
    /// Filter of distinct file contents already counted (hex, see [`crate::core::seen`]).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub seen: String,
    /// Tick of the last recorded edit outside the plan directory.
    #[serde(skip_serializing_if = "is_default")]
    pub edit_tick: u64,
    /// When the last such edit was recorded, in milliseconds since 1970.
    #[serde(skip_serializing_if = "is_default")]
    pub edit_ms: u64,
    /// `check --all` was already asked for once, at this edit tick.
    #[serde(skip_serializing_if = "is_default")]
    pub asked_tick: u64,
    /// Key of the attached session; empty where none is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// Until when (seconds since 1970) the next session that starts here may attach by itself, because `init` or `attach`
    /// was typed outside any host.
    #[serde(skip_serializing_if = "is_default")]
    pub claim_until: u64,
    /// First 16 hex of the digest of the one-use token that `run` gave to the host it started.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub token: String,
    /// Number of a phase that `wake` made ready and no session heard of yet; 0: none.
    #[serde(skip_serializing_if = "is_default")]
    pub woke: u32,
    /// The check commands of the contract, first 8 hex of the digest of each: by these a hook knows without reading the plan
    /// whether a shell command is worth a look.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// A phase of the contract names the tools it may use: only then a hook looks before a tool that changes nothing of ours.
    #[serde(skip_serializing_if = "is_default")]
    pub fenced: bool,
    /// Keys of the receipts recorded, first 8 hex of the digest of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub receipts: Vec<String>,
    /// Ids of background shells that a stop was already deferred to (first 8 hex of a digest over the ids).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub deferred: String,
    /// Phases by key, see [`phase_key`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, PhaseRun>,
    /// Ledgers by agent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ledgers: BTreeMap<String, LedgerEnd>,
}

/// What a person made of a run, as far as an agent that is busy has to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// It runs.
    #[default]
    Running,
    /// It is paused.
    Paused,
    /// Its gate was taken off.
    Released,
}

impl Run {
    /// Takes over what hooks have to know of the contract in force without reading it.
    pub fn heed(&mut self, contract: Option<&Contract>) {
        self.checks = contract.map(Contract::check_marks).unwrap_or_default();
        self.fenced = contract.is_some_and(Contract::is_fenced);
    }

    /// What a person made of it.
    pub fn course(&self) -> Course {
        if self.released {
            Course::Released
        } else if self.paused {
            Course::Paused
        } else {
            Course::Running
        }
    }
}

/// The key of a phase in [`Run::phases`]: the id where it is short, else the first 16 hex of its SHA-256, so that the state stays small.
pub fn phase_key(id: &str) -> String {
    use sha2::{Digest, Sha256};
    if id.len() <= 16 {
        return id.to_owned();
    }
    let mut key = hex::encode(Sha256::digest(id.as_bytes()));
    key.truncate(16);
    key
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
