//! Task files of Claude Code: `~/.claude/tasks/<list>/<n>.json`, one task each, with `blockedBy` and `blocks` as dependencies.

use crate::core::import::values::{self, Object, problem};
use crate::core::import::{Entry, File, Imported, status};
use crate::core::plan::Problem;

/// Reads one task file, or all of a list, in the order of the files.
///
/// # Errors
/// Each problem names its file.
pub(super) fn read(files: &[File]) -> Result<Imported, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut entries = Vec::new();
    let mut blocks: Vec<(String, String)> = Vec::new();
    for file in files {
        let value = match values::parse(&file.bytes) {
            Ok(value) => value,
            Err(found) => {
                problems.extend(found.into_iter().map(|p| problem(&file.name, p.what, &p.fix)));
                continue;
            }
        };
        let mut object = Object::new(file.name.clone(), value);
        let mut entry = Entry {
            at: object.at.clone(),
            id: object.text("id"),
            title: object.text("subject"),
            after: object.texts("blockedBy"),
            ..Entry::default()
        };
        if entry.title.trim().is_empty() && object.problems.is_empty() {
            object.problems.push(problem(&object.at, "`subject` is missing", "name a task file of Claude Code"));
        }
        status::set(&mut entry, &object.text("status"));
        blocks.extend(object.texts("blocks").into_iter().map(|later| (later, entry.id.clone())));
        entry.note("Description", &object.text("description"));
        // How the host shows the task while it runs: the subject in another form.
        object.take("activeForm");
        entry.note("Owner", &object.text("owner"));
        entry.note("Kept", &object.kept());
        problems.append(&mut object.problems);
        entries.push(entry);
    }
    for entry in &mut entries {
        for (_, first) in blocks.iter().filter(|(later, _)| *later == entry.id) {
            if !entry.after.contains(first) {
                entry.after.push(first.clone());
            }
        }
    }
    if problems.is_empty() { Ok(Imported { entries, partial: true, ..Imported::default() }) } else { Err(problems) }
}
