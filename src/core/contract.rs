//! The contract: the typed content that may reach the model or be executed. Built strictly from a leniently read plan.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::core::wait::Condition;

/// How far a plan binds the agent. Tokens of `.mode` in planning-with-files v3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The plan is injected, nothing more.
    #[default]
    Plain,
    /// Long runs without a gate.
    Autonomous,
    /// Autonomous, and a premature stop is held.
    Gate,
}

impl Mode {
    /// The word in `status --json`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Autonomous => "autonomous",
            Self::Gate => "gate",
        }
    }

    /// The line in `.mode`; empty for a plain plan, which has no such file.
    pub fn tokens(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Autonomous => "autonomous\n",
            Self::Gate => "autonomous gate\n",
        }
    }
}

/// Options of the gate that are approved together with the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateOptions {
    /// Hold again although `stop_hook_active` is set. `None`: where nobody attends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<bool>,
}

/// A phase of the contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContractPhase {
    /// Unique id, `[A-Za-z0-9._-]{1,64}` or a slug in any script.
    pub id: String,
    /// Title.
    pub title: String,
    /// Steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// Ids of phases that come first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Commands that decide whether the phase is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// Files that must exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// Receipts of side effects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub receipts: Vec<String>,
    /// Who has to approve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<String>,
    /// Conditions the phase waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// Cadence of a routine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// Tools the phase may use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

impl ContractPhase {
    /// Whether a word is not enough to finish the phase.
    pub fn needs_proof(&self) -> bool {
        !(self.checks.is_empty() && self.artifacts.is_empty() && self.receipts.is_empty() && self.approvals.is_empty())
    }

    /// What it asks a person before it begins, as written.
    pub fn questions(&self) -> impl Iterator<Item = &String> {
        self.waits_for.iter().filter(|text| matches!(Condition::parse(text), Ok(Condition::Human(_))))
    }

    /// Whether a person has to give their word: on what it came to, or before it begins.
    pub fn asks_a_person(&self) -> bool {
        !self.approvals.is_empty() || self.questions().next().is_some()
    }

    /// The first 16 hex of the digest of the phase as it is approved.
    pub fn digest(&self) -> String {
        digest_start(&serde_json::to_vec(self).unwrap_or_default(), 16)
    }

    /// How a person's answer to what it asks before it begins is kept: another word than the one on what it came to.
    pub fn answer(&self) -> String {
        format!("answer {}", self.digest())
    }

    /// First 8 hex of the digest over everything a proof of this phase stands for; a proof of other checks is none.
    pub fn proof_tag(&self) -> String {
        let mut hash = Sha256::new();
        for part in [&self.checks, &self.artifacts, &self.receipts, &self.approvals] {
            for text in part {
                hash.update(text.as_bytes());
                hash.update([0]);
            }
            hash.update([1]);
        }
        let mut tag = hex::encode(hash.finalize());
        tag.truncate(8);
        tag
    }
}

/// The contract of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Contract {
    /// Format version, 1.
    pub v: u32,
    /// What the run is for.
    pub goal: String,
    /// Mode.
    pub mode: Mode,
    /// Gate options.
    pub gate: GateOptions,
    /// Phases in order.
    pub phases: Vec<ContractPhase>,
}

impl Contract {
    /// Every command that may be run because of it: the checks, and what phases wait for.
    pub fn commands(&self) -> impl Iterator<Item = String> {
        self.phases.iter().flat_map(|phase| {
            let waits = phase.waits_for.iter().filter_map(|text| match Condition::parse(text) {
                Ok(Condition::Command(command)) => Some(command),
                _ => None,
            });
            phase.checks.iter().cloned().chain(waits)
        })
    }

    /// The phase with this id.
    pub fn phase(&self, id: &str) -> Option<&ContractPhase> {
        self.phases.iter().find(|phase| phase.id == id)
    }

    /// Whether a phase names the tools it may use.
    pub fn is_fenced(&self) -> bool {
        self.phases.iter().any(|phase| !phase.tools.is_empty())
    }

    /// First 8 hex of the digest of every check command, each once.
    pub fn check_marks(&self) -> Vec<String> {
        let mut marks: Vec<String> =
            self.phases.iter().flat_map(|p| &p.checks).map(|c| digest_start(c.as_bytes(), 8)).collect();
        marks.sort();
        marks.dedup();
        marks
    }

    /// Canonical bytes: compact JSON with keys in declaration order, and a final newline. These are the bytes of `contract-v<N>.json`.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Serialising strings, lists and options cannot fail.
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Reads a stored contract, by value: the order of keys and spaces between them do not matter. A key that this version
    /// does not know may stand for something it should wait for or must not do, so such a contract cannot be followed.
    ///
    /// # Errors
    /// Why it cannot, as the end of a sentence about it.
    pub fn read(text: &str) -> Result<Self, String> {
        let contract: Self = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
        match contract.v {
            1 => Ok(contract),
            0 => Err("it does not say which format it has".to_owned()),
            v => Err(newer(&format!("format {v}"))),
        }
    }
}

/// Why stored JSON cannot be read: a key or word that is not known comes from a later version of this program.
pub fn unreadable(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split(", expected").next().filter(|what| what.starts_with("unknown ")) {
        Some(what) => newer(what),
        None => text,
    }
}

/// What is said of a record that a later version of this program wrote.
pub fn newer(what: &str) -> String {
    format!("a newer version of steadfast wrote it ({what}); use that one")
}

/// The first `length` hex digits of the SHA-256 of `bytes`: a short name for them.
pub fn digest_start(bytes: &[u8], length: usize) -> String {
    let mut start = digest(bytes);
    start.truncate(length);
    start
}

/// SHA-256 of `bytes` in hex.
pub fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
