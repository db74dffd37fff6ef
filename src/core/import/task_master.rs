//! `tasks.json` of Task Master: `{"tasks": [...]}`, or a list under each tag: `{"master": {"tasks": [...]}}`. Subtasks become
//! steps.

use serde_json::{Map, Value};

use crate::core::import::values::{self, Object, problem};
use crate::core::import::{Entry, Imported, status};
use crate::core::plan::{Problem, Status, StepState};
use crate::core::plan_edit::is_id;

/// Reads one list of it: that of `tag`, or the only one there is.
///
/// # Errors
/// Each problem names its entry.
pub(super) fn read(bytes: &[u8], tag: Option<&str>) -> Result<Imported, Vec<Problem>> {
    let Value::Object(map) = values::parse(bytes)? else {
        return Err(vec![problem("the file", "it is no object", "name a tasks.json of Task Master")]);
    };
    let mut list = choose(map, tag)?;
    let tasks = values::list(list.remove("tasks").unwrap_or_default(), "tasks")?;
    let mut problems = Vec::new();
    let mut entries = Vec::new();
    for (index, value) in tasks.into_iter().enumerate() {
        let mut object = Object::new(format!("entry {}", index + 1), value);
        entries.push(task(&mut object));
        problems.append(&mut object.problems);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let about = list.remove("metadata").and_then(|mut about| about.get_mut("description").map(Value::take));
    let goal = about.and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
    Ok(Imported { goal, entries, ..Imported::default() })
}

/// The list that is meant.
fn choose(mut map: Map<String, Value>, tag: Option<&str>) -> Result<Map<String, Value>, Vec<Problem>> {
    if map.get("tasks").is_some_and(Value::is_array) {
        return Ok(map);
    }
    let filled = |value: &Value| value.get("tasks").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let tags: Vec<String> = map.iter().filter(|(_, value)| filled(value)).map(|(tag, _)| tag.clone()).collect();
    let chosen = match (tag, tags.as_slice()) {
        (Some(tag), _) => tag,
        (None, [only]) => only.as_str(),
        (None, _) => "",
    };
    match map.remove(chosen) {
        Some(Value::Object(list)) => Ok(list),
        _ if tags.is_empty() => Err(vec![problem("the file", "no tag has tasks", "write tasks into it")]),
        _ => {
            let what = match tag {
                Some(tag) => format!("it has no tag `{tag}`; it has {}", tags.join(", ")),
                None => format!("it is not clear which of its tags is meant: {}", tags.join(", ")),
            };
            let plain = tags.iter().find(|tag| is_id(tag));
            let fix = plain.map_or_else(
                || "name one of them with --tag".to_owned(),
                |tag| format!("steadfast import --dry-run --tag={tag} {{file}}"),
            );
            Err(vec![problem("the file", what, &fix)])
        }
    }
}

fn task(object: &mut Object) -> Entry {
    let mut entry = Entry {
        at: object.at.clone(),
        id: object.text("id"),
        title: object.text("title"),
        // A dependency may name a subtask: what it belongs to comes first then.
        after: object.texts("dependencies").into_iter().map(|id| of(&id).to_owned()).collect(),
        ..Entry::default()
    };
    entry.after.dedup();
    if entry.title.trim().is_empty() && object.problems.is_empty() {
        object.problems.push(problem(&object.at, "`title` is missing", "give the task a title"));
    }
    status::set(&mut entry, &object.text("status"));
    for (key, note) in [
        ("description", "Description"),
        ("details", "Details"),
        ("testStrategy", "TestStrategy"),
        ("priority", "Priority"),
    ] {
        entry.note(note, &object.text(key));
    }
    let parts = match object.take("subtasks") {
        None => Vec::new(),
        Some(Value::Array(parts)) => parts,
        Some(_) => {
            object.wrong("subtasks", "is no list");
            Vec::new()
        }
    };
    for (index, value) in parts.into_iter().enumerate() {
        let mut part = Object::new(format!("{}, subtask {}", object.at, index + 1), value);
        subtask(&mut part, &mut entry);
        object.problems.append(&mut part.problems);
    }
    entry.note("Kept", &object.kept());
    entry
}

/// A subtask is a step; what it says beyond its title becomes a note that begins with its id.
fn subtask(part: &mut Object, entry: &mut Entry) {
    let id = format!("{}.{}", entry.id, part.text("id"));
    let title = part.text("title");
    if title.trim().is_empty() && part.problems.is_empty() {
        part.problems.push(problem(&part.at, "`title` is missing", "give the subtask a title"));
    }
    let mut own = Entry::default();
    let word = part.text("status");
    status::set(&mut own, &word);
    let state = match own.status {
        Status::Complete => StepState::Done,
        Status::Skipped => StepState::Dropped,
        _ => StepState::Open,
    };
    entry.steps.push((format!("{id} {title}"), state));
    let mut said: Vec<String> = Vec::new();
    if !own.word.is_empty() || own.status == Status::InProgress {
        said.push(word);
    }
    said.extend(["description", "details", "testStrategy"].map(|key| part.text(key)));
    let after = part.texts("dependencies").join(", ");
    if !after.is_empty() {
        said.push(format!("after {after}"));
    }
    said.push(part.kept());
    said.retain(|text| !text.trim().is_empty());
    if !said.is_empty() {
        entry.note("Subtask", &format!("{id}: {}", said.join("\n")));
    }
}

/// The task that an id of a subtask (`4.2`) belongs to.
fn of(id: &str) -> &str {
    id.split_once('.').filter(|(task, _)| !task.is_empty()).map_or(id, |(task, _)| task)
}
