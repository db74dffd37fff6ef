//! `feature_list.json`: `[{category, description, steps, passes}]`, the form of "Effective harnesses for long-running agents"
//! (Anthropic, 2025). `passes` is a claim of the file.

use serde_json::Value;

use crate::core::import::values::{self, Object, problem};
use crate::core::import::{Entry, Imported};
use crate::core::plan::{Problem, Status, StepState};

/// Reads it: the list, or an object with a list `features`.
///
/// # Errors
/// Each problem names its entry.
pub(super) fn read(bytes: &[u8]) -> Result<Imported, Vec<Problem>> {
    let whole = match values::parse(bytes)? {
        Value::Object(mut map) => map.remove("features").unwrap_or_default(),
        other => other,
    };
    let mut problems = Vec::new();
    let mut entries = Vec::new();
    for (index, value) in values::list(whole, "features")?.into_iter().enumerate() {
        let mut object = Object::new(format!("entry {}", index + 1), value);
        let passes = match object.take("passes") {
            None => false,
            Some(Value::Bool(passes)) => passes,
            Some(_) => {
                object.wrong("passes", "is neither true nor false");
                false
            }
        };
        let (status, state) =
            if passes { (Status::Complete, StepState::Done) } else { (Status::Pending, StepState::Open) };
        let mut entry = Entry {
            at: object.at.clone(),
            id: object.text("id"),
            title: object.text("description"),
            steps: object.texts("steps").into_iter().map(|step| (step, state)).collect(),
            status,
            ..Entry::default()
        };
        if entry.title.trim().is_empty() && object.problems.is_empty() {
            object.problems.push(problem(&object.at, "`description` is missing", "say what the feature is"));
        }
        entry.note("Category", &object.text("category"));
        entry.note("Kept", &object.kept());
        problems.append(&mut object.problems);
        entries.push(entry);
    }
    if problems.is_empty() { Ok(Imported { entries, ..Imported::default() }) } else { Err(problems) }
}
