//! The conditions of a phase that are no commands: files that have to be there, receipts, a person's approval.

use serde_json::{Map, Value};

use crate::core::contract::{ContractPhase, digest_start};
use crate::core::run::Run;
use crate::store::{Head, Place, digest, disk, tree};

/// Why a condition does not hold.
pub(super) struct Missing {
    pub(super) why: String,
    /// A person's word alone.
    pub(super) word: bool,
}

impl From<String> for Missing {
    fn from(why: String) -> Self {
        Self { why, word: false }
    }
}

/// The digests of the artifacts, by path; or why one of the conditions does not hold.
pub(super) fn look(place: &Place, phase: &ContractPhase, run: &Run, head: Option<&Head>) -> Result<Value, Missing> {
    let mut digests = Map::new();
    for path in &phase.artifacts {
        digests.insert(path.clone(), artifact(place, path)?.into());
    }
    for key in &phase.receipts {
        if !run.receipts.contains(&receipt_tag(key)) {
            return Err(format!("the receipt `{key}` is missing: steadfast receipt {key} --ref URL").into());
        }
    }
    if !phase.approvals.is_empty() && !head.is_some_and(|h| h.is_given(phase)) {
        let why = format!(
            "everything else holds; they type `steadfast approve {0}` in a terminal, or `approve phase {0}` in the chat",
            phase.id
        );
        return Err(Missing { why, word: true });
    }
    Ok(if digests.is_empty() { Value::Null } else { Value::Object(digests) })
}

/// How a receipt's key stands in the run state.
pub(super) fn receipt_tag(key: &str) -> String {
    digest_start(key.as_bytes(), 8)
}

/// The digest of an artifact, or why it does not count.
fn artifact(place: &Place, path: &str) -> Result<String, String> {
    if !digest::is_beneath(path) {
        return Err(format!("the artifact `{path}` does not lie beneath the project root"));
    }
    let real = digest::beneath(&place.root, path);
    match real.as_ref().and_then(|p| disk::kind(p)) {
        Some(kind) if kind.file && kind.size > 0 => {
            real.and_then(|p| tree::contents(&p)).ok_or_else(|| format!("the artifact `{path}` cannot be read"))
        }
        Some(kind) if kind.file => Err(format!("the artifact `{path}` is empty")),
        Some(_) => Err(format!("the artifact `{path}` is not a file")),
        None => Err(format!("the artifact `{path}` is not there")),
    }
}
