//! The typed plan: `[{id, do, tool, depends_on, check}]`. A planner says what is to be done, never that it is.

use crate::core::import::values::{self, Object, problem};
use crate::core::import::{Entry, Imported};
use crate::core::plan::Problem;

const KEYS: &str = "id, do, tool, depends_on, check";

/// Reads it. Fails closed: what is not understood is refused, not left out.
///
/// # Errors
/// Each problem names its entry.
pub(super) fn read(bytes: &[u8]) -> Result<Imported, Vec<Problem>> {
    let list = values::list(values::parse(bytes)?, "steps")?;
    let mut problems = Vec::new();
    let mut entries = Vec::new();
    for (index, value) in list.into_iter().enumerate() {
        let mut object = Object::new(format!("entry {}", index + 1), value);
        let whole = object.problems.is_empty();
        let entry = Entry {
            at: object.at.clone(),
            id: object.text("id"),
            title: object.text("do"),
            after: object.texts("depends_on"),
            checks: object.texts("check"),
            tools: object.texts("tool"),
            ..Entry::default()
        };
        if whole && entry.title.trim().is_empty() && object.problems.is_empty() {
            object.problems.push(problem(&object.at, "`do` is missing", "say what is to be done: \"do\": \"...\""));
        }
        let strange: Vec<String> = object.rest().map(str::to_owned).collect();
        for key in strange {
            let (what, fix) = if key == "status" {
                ("a planner does not set `status`".to_owned(), "take it out: steps, checks and verbs set it".to_owned())
            } else {
                (format!("`{key}` is no key of a plan"), format!("the keys are {KEYS}"))
            };
            object.problems.push(problem(&object.at, what, &fix));
        }
        problems.append(&mut object.problems);
        entries.push(entry);
    }
    if problems.is_empty() { Ok(Imported { entries, ..Imported::default() }) } else { Err(problems) }
}
