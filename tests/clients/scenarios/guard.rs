//! What the client does with the guard's answer before a tool is used.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::client::{Client, Run};
use crate::project::Project;
use crate::scenarios::{gated, ungated};
use crate::server::{Reply, Script};

fn read(file: &Path) -> Reply {
    Reply::tool("Read", json!({ "file_path": file }))
}

fn write(file: &Path, content: &str) -> Reply {
    Reply::tool("Write", json!({ "file_path": file, "content": content }))
}

fn edit(file: &Path, from: &str, to: &str) -> Reply {
    Reply::tool("Edit", json!({ "file_path": file, "old_string": from, "new_string": to }))
}

/// What the guard answered, call by call; empty where it let it pass.
fn answers(run: &Run) -> Vec<String> {
    run.hooks("PreToolUse")
}

pub fn an_edit_that_weakens_is_refused_and_the_model_reads_why(client: &Client) {
    let project = ungated(client);
    let file = project.plan_dir().join("task_plan.md");
    let good = fs::read_to_string(&file).unwrap();
    let (shorter, _) = good.split_once("### Phase 3").unwrap();
    let script = Script::new([
        read(&file),
        write(&file, shorter),
        edit(&file, "`test -f sorted.txt`", "`true`"),
        Reply::text("I see."),
    ]);
    let run = project.session("begin", script).ended_well();
    let main = run.main();
    let after = |n: usize| main[n].text();
    assert!(after(2).contains("phase \"Report\" is gone"), "{}", run.story());
    assert!(after(2).contains("steadfast propose FILE --why"), "{}", run.story());
    assert!(after(3).contains("lacks its check \"test -f sorted.txt\""), "{}", run.story());
    assert_eq!(fs::read_to_string(&file).unwrap(), good, "nothing was written");
    assert_eq!(project.status()["plan"]["attestation"], "approved");
    assert_eq!(project.recorded("guard").len(), 2);
    assert!(project.recorded("edit").is_empty() && project.recorded("tool_failure").is_empty(), "{}", run.story());
    assert_eq!(run.notices().iter().filter(|n| n.contains("kept the agent from an edit of the plan")).count(), 2);
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
}

pub fn what_does_not_weaken_goes_through_and_the_hook_is_called_for_writing_tools_alone(client: &Client) {
    let project = ungated(client);
    let file = project.plan_dir().join("task_plan.md");
    let script = Script::new([
        read(&file),
        edit(&file, "- [ ] Count the boxes", "- [x] Count the boxes (nine)"),
        Reply::bash("cat ~/.local/state/steadfast/plans/*/head.json > head.json; ls ~/.local/state/steadfast"),
        write(&project.dir.join("note.txt"), "one\n"),
        Reply::text("Done so far."),
    ]);
    let run = project.session("begin", script).ended_well();
    assert_eq!(answers(&run), ["", "", ""], "an edit, a command and a new file, and no reading\n{}", run.story());
    assert!(fs::read_to_string(&file).unwrap().contains("- [x] Count the boxes (nine)"), "{}", run.story());
    assert!(fs::read_to_string(project.dir.join("head.json")).unwrap().contains("made_here"), "{}", run.story());
    assert!(project.dir.join("note.txt").exists() && project.recorded("guard").is_empty());
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
}

pub fn approvals_and_hooks_are_kept(client: &Client) {
    let project = gated(client);
    let settings = project.dir.join(".claude/settings.json");
    let before = fs::read_to_string(&settings).unwrap();
    let traces = project.home().join(".local/state/steadfast/plans");
    let script = Script::new([
        read(&settings),
        edit(&settings, "{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\""),
        write(&settings, "{}\n"),
        Reply::bash("rm -rf ~/.local/state/steadfast"),
        Reply::bash("steadfast uninstall claude-code --project"),
        Reply::text("I see."),
        Reply::text("I see."),
    ]);
    let run = project.session("begin", script).ended_well();
    let main = run.main();
    let after = |n: usize| main[n].text();
    assert!(after(2).contains("sets disableAllHooks"), "{}", run.story());
    assert!(after(3).contains("takes out or changes 11 of the hooks"), "{}", run.story());
    assert!(after(4).contains("it changes the state directory"), "{}", run.story());
    assert!(after(5).contains("is for the person, not for the agent"), "{}", run.story());
    assert_eq!(fs::read_to_string(&settings).unwrap(), before);
    assert!(traces.is_dir(), "{}", run.story());
    assert_eq!(project.recorded("guard").len(), 3);
}

pub fn a_subagent_is_guarded_too(client: &Client) {
    let project = ungated(client);
    let file = project.plan_dir().join("task_plan.md");
    let good = fs::read_to_string(&file).unwrap();
    let task = json!({ "description": "d", "prompt": "SUBAGENT empty the plan", "subagent_type": "general-purpose", "run_in_background": false });
    let script = Script::new([Reply::tool("Agent", task), Reply::text("I see.")]).with_sub([
        read(&file),
        write(&file, "# Nothing\n"),
        Reply::text("I could not."),
    ]);
    let run = project.session("begin", script).ended_well();
    assert_eq!(fs::read_to_string(&file).unwrap(), good, "{}", run.story());
    let sub = run.of(crate::server::Kind::Sub);
    assert!(sub[2].text().contains("steadfast refused this edit"), "{}", run.story());
    assert_eq!(project.recorded("guard").len(), 1);
}

pub fn a_phase_that_names_its_tools_is_done_with_them(client: &Client) {
    let project = Project::new(client);
    let plan = project.dir.join("plan.md");
    let text = fs::read_to_string(&plan).unwrap();
    let named = text.replace("- [ ] Write the list\n", "- [ ] Write the list\n- **Tool:** edit\n");
    fs::write(&plan, named).unwrap();
    project.steadfast(&["init", "--autonomous", "--from", "plan.md", "Sort the postcards"]);
    let fetch = Reply::tool("WebFetch", json!({ "url": "http://127.0.0.1:9/boxes", "prompt": "how many" }));
    let script = Script::new([
        Reply::bash("steadfast start list"),
        Reply::bash("touch boxes.txt"),
        fetch,
        read(&plan),
        write(&project.dir.join("list.txt"), "nine\n"),
        Reply::bash("steadfast step 1 && steadfast step 2 && steadfast done list"),
        Reply::bash("touch sorted.txt"),
        Reply::text("Done so far."),
    ]);
    let run = project.session("begin", script).ended_well();
    let main = run.main();
    assert!(main[0].text().contains("tools: edit"), "{}", run.story());
    for n in [2, 3] {
        assert!(main[n].text().contains("phase list may use edit"), "{n}\n{}", run.story());
    }
    assert!(!project.dir.join("boxes.txt").exists() && project.dir.join("list.txt").exists(), "{}", run.story());
    // The next phase names none.
    assert!(project.dir.join("sorted.txt").exists(), "{}", run.story());
    assert_eq!(project.recorded("guard").len(), 2);
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
}
