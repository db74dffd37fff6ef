//! Which tool a file is of, by what stands in it.

use serde_json::Value;

use crate::core::import::{Kind, Source, front, spec_kit, values};
use crate::core::plan::{Problem, Shape};
use crate::core::plan_read;

/// Whose format a source has. `directory`: it is one.
///
/// # Errors
/// What it is instead, and what to do.
pub fn detect(source: &Source, directory: bool) -> Result<Kind, Problem> {
    let whole = |what: &str, fix: &str| Problem { line: 0, what: what.to_owned(), fix: fix.to_owned() };
    if directory {
        return match source.files.first() {
            Some(file) if is_json(&file.name) => Ok(Kind::ClaudeTasks),
            Some(_) => Ok(Kind::Backlog),
            None => {
                Err(whole("the directory has no task files", "name one with files such as 1.json or `task-1 - X.md`"))
            }
        };
    }
    let bytes = source.files.first().map(|file| file.bytes.as_slice()).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    if is_json(&source.name) || text.trim_start_matches('\u{feff}').trim_start().starts_with(['[', '{']) {
        let value = values::parse(bytes).map_err(|mut found| found.swap_remove(0))?;
        return in_json(&value, &source.name)
            .ok_or_else(|| whole("it is JSON of a form that is not known", &format!("add --format: {}", words())));
    }
    let id_of_a_task = |(fields, _): (Vec<front::Field>, &str)| {
        let has = |key: &str| fields.iter().any(|field| field.key == key);
        has("id") && has("title")
    };
    if front::split(&text).is_some_and(id_of_a_task) {
        return Ok(Kind::Backlog);
    }
    if spec_kit::is(&text) {
        return Ok(Kind::SpecKit);
    }
    let plan = plan_read::read(bytes);
    if plan.shape == Shape::Headings && plan.phases.iter().any(|phase| phase.explicit) {
        return Err(whole("it is a plan in our own format already", "steadfast init --from {file}"));
    }
    Ok(Kind::ClaudePlan)
}

fn is_json(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("json"))
}

fn words() -> String {
    Kind::WORDS.join(", ")
}

fn in_json(value: &Value, name: &str) -> Option<Kind> {
    let list = |value: &Value, key: &str| value.get(key).is_some_and(Value::is_array);
    match value {
        Value::Array(entries) => {
            let any = |key: &str| entries.iter().any(|entry| entry.get(key).is_some());
            let features = any("passes") || any("category") || (entries.is_empty() && name.contains("feature"));
            // What is neither is read as the stricter of the two.
            Some(if features && !any("do") { Kind::FeatureList } else { Kind::PlanJson })
        }
        Value::Object(map) if list(value, "tasks") || map.values().any(|under| list(under, "tasks")) => {
            Some(Kind::TaskMaster)
        }
        Value::Object(_) if list(value, "features") => Some(Kind::FeatureList),
        Value::Object(map) if map.contains_key("subject") => Some(Kind::ClaudeTasks),
        _ => None,
    }
}
