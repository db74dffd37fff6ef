//! Differences for programs. The words are promised: docs/approvals.md lists them.

use serde_json::{Value, json};

use super::{Difference, Part, differences};
use crate::core::contract::Contract;

/// All differences, in the order of [`differences`]: `{"phase","title","kind","old","new"}`. `phase` and `title` are null
/// where the whole plan is meant; the title is the new one, of a removed phase the approved one. `old` is null for what came,
/// `new` for what went.
pub fn values(old: &Contract, new: &Contract) -> Vec<Value> {
    let title = |id: &str| {
        let found = new.phases.iter().chain(&old.phases).find(|phase| phase.id == id);
        found.map(|phase| phase.title.as_str())
    };
    differences(old, new)
        .iter()
        .map(|difference| {
            let (kind, old, new) = parts(difference);
            let phase = difference.phase();
            json!({ "phase": phase, "title": phase.and_then(title), "kind": kind, "old": old, "new": new })
        })
        .collect()
}

/// Kind, old and new.
fn parts(difference: &Difference) -> (String, Value, Value) {
    let (kind, old, new) = match difference {
        Difference::Version { old, new } => ("format_changed", json!(old), json!(new)),
        Difference::Goal { old, new } => ("goal_changed", json!(old), json!(new)),
        Difference::Mode { old, new } => ("mode_changed", json!(old.word()), json!(new.word())),
        Difference::Hold { old, new } => ("hold_changed", json!(old), json!(new)),
        Difference::PhaseAdded { title, .. } => ("added", Value::Null, json!(title)),
        Difference::PhaseRemoved { title, .. } => ("removed", json!(title), Value::Null),
        Difference::PhasesReordered { old, new } => ("reordered", json!(old), json!(new)),
        Difference::Title { old, new, .. } => ("reworded", json!(old), json!(new)),
        Difference::DependsOn { old, new, .. } => ("depends_changed", json!(old), json!(new)),
        Difference::Every { old, new, .. } => ("every_changed", json!(old), json!(new)),
        Difference::Added { part, text, .. } => return (kind(*part, "added"), Value::Null, json!(text)),
        Difference::Removed { part, text, .. } => return (kind(*part, "removed"), json!(text), Value::Null),
        Difference::Changed { part, old, new, .. } => return (kind(*part, "reworded"), json!(old), json!(new)),
        Difference::Reordered { part, old, new, .. } => {
            return (format!("{}_reordered", part.words()), json!(old), json!(new));
        }
    };
    (kind.to_owned(), old, new)
}

/// Steps are told apart by what happened to them; of all else it counts that it is no longer what was approved.
fn kind(part: Part, what: &str) -> String {
    format!("{}_{}", part.word(), if part == Part::Step { what } else { "changed" })
}
