//! The plugin of this repository, in the client.

use std::path::Path;

use serde_json::Value;

use crate::client::{Client, Run};
use crate::project::{BLOCK, Project};
use crate::root;
use crate::scenarios::holds;
use crate::server::{Reply, Script};

/// The client that judges the manifest; the older one does not know all of its keys.
const JUDGE: &str = "2.1.332";

fn with_plugin(project: &Project, prompt: &str, args: &[&str], script: Script) -> Run {
    let dir = root().to_str().unwrap();
    let args: Vec<&str> = ["--plugin-dir", dir].into_iter().chain(args.iter().copied()).collect();
    project.session_with(prompt, &args, script)
}

fn blocks(run: &Run, event: &str) -> usize {
    run.hooks(event).iter().filter(|out| out.contains(BLOCK)).count()
}

pub fn the_plugin_alone_is_enough(client: &Client) {
    let project = Project::bare(client);
    project.steadfast(&["init", "--gated", "--from", "plan.md", "Sort the postcards"]);
    let run = with_plugin(&project, "begin", &[], Script::say("Not yet.")).ended_well();
    assert!(run.main()[0].text().contains(BLOCK), "{}", run.story());
    assert_eq!(holds(&run.main()), 1, "{}", run.story());
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
}

pub fn plugin_and_installed_hooks_count_once(client: &Client) {
    let project = Project::new(client);
    project.steadfast(&["init", "--gated", "--from", "plan.md", "Sort the postcards"]);
    let script = Script::new([
        crate::scenarios::write(&project, "note.txt", "one\n"),
        Reply::bash("exit 3"),
        Reply::text("Not yet."),
        Reply::bash("steadfast step"),
        Reply::text("Not yet."),
        Reply::text("No more."),
    ]);
    let run = with_plugin(&project, "begin", &[], script).ended_well();
    for event in ["SessionStart", "UserPromptSubmit"] {
        assert_eq!(run.hooks(event).len(), 2, "both are called for {event}\n{}", run.story());
        assert_eq!(blocks(&run, event), 1, "one prints for {event}\n{}", run.story());
    }
    // Three stops: held, held because a step was done, and let go. At each, the gate and the hook that sleeps, twice.
    let stops = run.hooks("Stop");
    assert_eq!(stops.len(), 12, "{}", run.story());
    assert_eq!(stops.iter().filter(|out| out.contains("\"block\"")).count(), 2, "{}", run.story());
    assert_eq!(stops.iter().filter(|out| !out.is_empty()).count(), 3, "{}", run.story());
    assert_eq!(holds(&run.main()), 2, "{}", run.story());
    let count = |event: &str| project.recorded(event).len();
    for (event, times) in [
        ("session_start", 1),
        ("prompt", 1),
        ("edit", 1),
        ("tool_failure", 1),
        ("gate_block", 2),
        ("gate_allow", 1),
        ("session_end", 1),
    ] {
        assert_eq!(count(event), times, "{event}: {:#?}", project.ledger());
    }
}

pub fn the_plugin_installs_from_its_marketplace(client: &Client) {
    let project = Project::bare(client);
    // Without what a build leaves behind: the client copies the folder.
    let source = project.aside().join("steadfast");
    for part in [".claude-plugin", "bin", "commands", "hooks", "scripts", "skill"] {
        copy(&root().join(part), &source.join(part));
    }
    let claude = |args: &[&str]| {
        let out = project.claude(args);
        let (text, err) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.success(), "claude {}: {text}{err}", args.join(" "));
    };
    claude(&["plugin", "marketplace", "add", source.to_str().unwrap()]);
    claude(&["plugin", "install", "steadfast@steadfast"]);
    project.steadfast(&["init", "--gated", "--from", "plan.md", "Sort the postcards"]);
    let run = project.session("begin", Script::say("Not yet.")).ended_well();
    assert!(run.main()[0].text().contains(BLOCK), "{}", run.story());
    assert_eq!(holds(&run.main()), 1, "{}", run.story());
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
    let first = run.events.iter().find(|e| e["subtype"] == "init").unwrap();
    let commands = first["slash_commands"].to_string();
    for command in ["init", "status", "next", "approve", "pwf"] {
        assert!(commands.contains(&format!("\"steadfast:{command}\"")), "no /steadfast:{command} in {commands}");
    }
    assert!(first["skills"].to_string().contains("\"steadfast:"), "no skill in {}", first["skills"]);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

pub fn the_plugin_is_valid(client: &Client) {
    if client.version != JUDGE {
        return;
    }
    let project = Project::bare(client);
    let out = project.claude(&["plugin", "validate", "--strict", root().to_str().unwrap()]);
    let (text, err) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{text}{err}");
    let manifest = std::fs::read_to_string(root().join(".claude-plugin/plugin.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"), "the plugin has the version of the program");
}
