//! Codex: its hooks are outside its sandbox, and the shell of its agent is inside.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::archive::{BLOCK, GATE};
use crate::client::Client;
use crate::codex::{Codex, FREE, Script, Turn};

/// The most holds in one user turn.
const TURN_LIMIT: usize = 5;

/// A project with an approved, gated plan, made outside any host: the first session attaches to it.
fn gated(client: &Client, more: &[&str]) -> Codex {
    let project = Codex::new(client);
    let mut args = vec!["init", "--gated", "--from", "plan.md", "Sort the postcards"];
    args.splice(2..2, more.iter().copied());
    project.steadfast(&args);
    project
}

/// A patch of the plan of a project: lines that change into others.
fn plan_patch(project: &Codex, changes: &[(&str, &str, &str)]) -> Turn {
    use std::fmt::Write;
    let plan = project.plan_dir().join("task_plan.md");
    let mut patch = format!("*** Begin Patch\n*** Update File: {}", plan.strip_prefix(&project.dir).unwrap().display());
    for (anchor, old, new) in changes {
        write!(patch, "\n@@ {anchor}\n-{old}\n+{new}").unwrap();
    }
    Turn::patch(&(patch + "\n*** End Patch"))
}

/// What the adapter takes for granted of the client.
pub fn a_hook_and_a_shell_name_the_same_session(client: &Client) {
    let project = Codex::bare(client);
    let recorder = project.aside().join("recorder");
    let script = "#!/bin/sh\nat=$(dirname \"$0\")\nenv >\"$at/$1.env\"\ntr '\\0' '\\n' </proc/$PPID/cmdline >\"$at/$1.parent\"\ncat >\"$at/$1.json\"\n";
    fs::write(&recorder, script).unwrap();
    fs::set_permissions(&recorder, fs::Permissions::from_mode(0o755)).unwrap();
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
    let hooks: serde_json::Map<_, _> = events
        .iter()
        .map(|event| {
            let command = format!("{} {event}", recorder.display());
            ((*event).to_owned(), json!([{ "hooks": [{ "type": "command", "command": command }] }]))
        })
        .collect();
    project.hooks(&json!({ "hooks": hooks }).to_string());
    let script = Script::new([Turn::shell("env | grep ^CODEX_; exit 3"), Turn::text("Looked around.")]);
    let run = project.exec("look around", script).ended_well();
    let told = |event: &str, what: &str| fs::read_to_string(project.aside().join(format!("{event}.{what}"))).unwrap();
    for event in events {
        let payload: serde_json::Value = serde_json::from_str(&told(event, "json")).unwrap();
        assert_eq!(payload["hook_event_name"], event);
        assert_eq!(payload["session_id"], run.session(), "{event}");
        assert_eq!(payload["cwd"], project.dir.to_str().unwrap(), "{event}");
        // The parent is the client; a hook has no variable that names the session or says whether somebody attends.
        assert!(told(event, "parent").contains("/bin/codex\nexec\n"), "{event}: {}", told(event, "parent"));
        for name in ["CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX"] {
            assert!(!told(event, "env").contains(name), "{event}: {}", told(event, "env"));
        }
    }
    let shell = &run.asked[1].outputs()[0];
    for line in [
        &format!("CODEX_SESSION_ID={}", run.session()),
        &format!("CODEX_THREAD_ID={}", run.session()),
        "CODEX_SANDBOX_NETWORK_DISABLED=1",
        "CODEX_CI=1",
    ] {
        assert!(shell.lines().any(|l| l == line), "{line} is not in: {shell}");
    }
    // The model is told the exit code, and a hook is not.
    assert!(shell.contains("exited with code 3"), "{shell}");
    let payload: serde_json::Value = serde_json::from_str(&told("PostToolUse", "json")).unwrap();
    assert!(payload["tool_response"].as_str().unwrap().starts_with("CODEX_"), "{payload}");
}

/// Everything that is built on the sandbox stands on this.
pub fn the_sandbox_keeps_the_shell_out_of_the_state_directory(client: &Client) {
    // A plan without a mode: of another one the guard would refuse the attempt.
    let project = Codex::new(client);
    project.steadfast(&["init", "--from", "plan.md", "Sort the postcards"]);
    let state = project.state();
    assert!(state.is_dir(), "{}", state.display());
    let sessions = || fs::read_dir(state.join("sessions")).map_or(0, Iterator::count);
    assert_eq!(sessions(), 0);
    let command = format!("touch in-the-project && echo made; touch '{}/x' || echo refused", state.display());
    let run = project.exec("begin", Script::new([Turn::shell(&command), Turn::text("Well.")])).ended_well();
    let printed = run.asked[1].outputs().concat();
    let no_sandbox = "the sandbox of Codex is not in force on this machine, so nothing that relies on it was tested";
    assert!(project.dir.join("in-the-project").exists(), "the sandbox did not start the command at all: {printed}");
    assert!(!state.join("x").exists(), "{no_sandbox}: the shell wrote the state directory: {printed}");
    assert!(printed.contains("made") && printed.contains("Read-only file system"), "{no_sandbox}: {printed}");
    assert!(printed.contains("refused"), "{no_sandbox}: {printed}");
    assert_eq!(sessions(), 1, "the hooks of the same session write it");
    assert_eq!(project.status()["session"]["attached"], run.session());
}

pub fn the_block_reaches_the_model(client: &Client) {
    let project = gated(client, &[]);
    let run = project.exec("begin", Script::say("Not yet.")).ended_well();
    let developer: Vec<String> = run.asked[0]
        .items()
        .into_iter()
        .filter(|(whose, text)| whose == "developer" && text.contains(BLOCK))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(developer.len(), 2, "at the start and with the prompt\n{}", run.story());
    for title in ["Sort the postcard archive by country", "List the boxes", "Sort the cards", "Report"] {
        assert!(developer[0].contains(title), "no `{title}` in: {}", developer[0]);
    }
    let again = project.go_on("once more", Script::say("Not yet.")).ended_well();
    assert_eq!(again.session(), run.session());
    assert!(again.asked[0].since("once more").contains(BLOCK), "{}", again.story());
    assert_eq!(project.recorded("prompt").len(), 2);
    assert_eq!(project.recorded("session_end").len(), 2);
    assert_eq!(project.status()["session"]["attached"], run.session());
}

/// In the sandbox: the agent writes the plan itself, and the hooks take over what it wrote.
pub fn a_premature_stop_is_held_and_the_run_ends_when_the_plan_is_done(client: &Client) {
    let project = Codex::new(client);
    let plan = crate::archive::PLAN.replace("- **Check:** `test -f sorted.txt`\n", "");
    fs::write(project.dir.join("plan.md"), plan).unwrap();
    project.steadfast(&["init", "--gated", "--hold", "--from", "plan.md", "Sort the postcards"]);
    let first = plan_patch(
        &project,
        &[
            ("### Phase 1: List the boxes {#list}", "- [ ] Count the boxes", "- [x] Count the boxes"),
            ("", "- [ ] Write the list", "- [x] Write the list"),
            ("", "- **Status:** in_progress", "- **Status:** complete"),
        ],
    );
    let rest = plan_patch(
        &project,
        &[
            ("", "- [ ] Sort by country", "- [x] Sort by country"),
            ("", "- **Status:** in_progress", "- **Status:** complete"),
            ("", "- [ ] Write the report", "- [x] Write the report"),
            ("", "- **Status:** pending", "- **Status:** complete"),
        ],
    );
    let script = Script::new([
        Turn::text("All done."),
        first,
        Turn::text("All done, surely."),
        rest,
        Turn::text("Everything is reported."),
    ]);
    let run = project.exec("sort them", script).ended_well();
    assert_eq!(run.asked.len(), 5, "{}", run.story());
    assert_eq!(run.holds(), 2, "{}", run.story());
    let reason = run.asked[1].news();
    assert!(reason.starts_with("<hook_prompt ") && reason.contains("List the boxes"), "{reason}");
    assert!(run.asked[3].news().contains("Sort the cards"), "{}", run.asked[3].news());
    assert_eq!(run.result(), "Everything is reported.", "{}", run.story());
    assert_eq!(project.verdicts(), ["done"], "{}", run.story());
    assert_eq!(project.status()["counts"]["complete"], 3);
    assert_eq!(project.recorded("prompt").len(), 1, "a hold is no prompt of the user");
    assert_eq!(project.recorded("gate_block").len(), 2);
}

pub fn a_run_with_verbs_ends_when_the_plan_is_done(client: &Client) {
    let project = gated(client, &["--hold"]);
    let script = Script::new([
        Turn::shell("steadfast step && steadfast step && steadfast done"),
        Turn::text("All done."),
        Turn::file("sorted.txt", "a card"),
        Turn::shell("steadfast step && steadfast done sort"),
        Turn::shell("steadfast step report 1 && steadfast done report"),
        Turn::text("Everything is reported."),
    ]);
    let run = project.exec_with("sort them", &[FREE], script).ended_well();
    assert_eq!(run.holds(), 1, "{}", run.story());
    assert_eq!(run.result(), "Everything is reported.", "{}", run.story());
    assert_eq!(project.verdicts(), ["done"], "{}", run.story());
    assert_eq!(project.recorded("edit")[0]["files"], json!(["sorted.txt"]));
}

/// A new file, then the claim to be done, for ever.
fn junk() -> Script {
    Script::forever(|nth, _| match nth % 2 {
        0 => Turn::file(&format!("junk-{nth}.txt"), &format!("junk {nth}")),
        _ => Turn::text("All done."),
    })
}

pub fn an_agent_that_never_finishes_is_let_go(client: &Client) {
    let project = gated(client, &["--hold"]);
    let run = project.exec("begin", junk()).ended_well();
    assert_eq!(run.holds(), TURN_LIMIT, "{}", run.story());
    assert_eq!(project.verdicts(), ["turn-limit"]);
    assert_eq!(run.result(), "All done.");
    let run = project.go_on("go on", Script::forever(|_, _| Turn::text("All done."))).ended_well();
    assert_eq!(run.holds(), 1, "what was done after the last hold counts once\n{}", run.story());
    assert_eq!(project.verdicts(), ["turn-limit", "no-progress"]);
}

/// Nothing tells whether somebody attends: without `--hold` the stop after a hold is let go.
pub fn an_agent_that_nothing_is_known_of_is_held_once(client: &Client) {
    let project = gated(client, &[]);
    let run = project.exec("begin", junk()).ended_well();
    assert_eq!(run.holds(), 1, "{}", run.story());
    assert_eq!(project.verdicts(), ["forced"], "{}", run.story());
}

/// A session that works and stops.
fn bystander(project: &Codex) -> crate::codex::Run {
    let script = Script::new([Turn::file("unrelated.txt", "hello"), Turn::shell("exit 3"), Turn::text("All done.")]);
    let run = project.exec("something else", script).ended_well();
    assert_eq!(run.asked.len(), 3, "not held\n{}", run.story());
    for word in [BLOCK, GATE] {
        assert!(run.asked.iter().all(|asked| !asked.text().contains(word)), "`{word}`\n{}", run.story());
    }
    run
}

pub fn a_session_without_a_plan_leaves_no_trace(client: &Client) {
    let project = Codex::new(client);
    let before = project.traces();
    let run = bystander(&project);
    assert!(!run.asked[2].text().contains("steadfast"), "{}", run.story());
    project.unchanged(&before);
    assert!(!project.dir.join(".planning").exists());
}

/// It is offered the plan, once, since it may be one that somebody attends, and that is all.
pub fn another_session_is_left_alone(client: &Client) {
    let project = gated(client, &[]);
    project.exec("begin", Script::say("Not yet.")).ended_well();
    let before = project.traces();
    let run = bystander(&project);
    let offers = run.asked[2].text().matches("Unfinished plan here").count();
    assert_eq!(offers, 1, "{}", run.story());
    project.unchanged(&before);
}

pub fn the_run_verb_attaches_the_session_it_starts(client: &Client) {
    let project = gated(client, &[]);
    project.exec("begin", Script::say("Not yet.")).ended_well();
    let run = project.run_verb("take it up", Script::say("Not yet.")).ended_well();
    assert!(run.asked[0].text().contains(BLOCK), "{}", run.story());
    assert_eq!(project.status()["session"]["attached"], run.session());
    assert_eq!(run.holds(), 1, "{}", run.story());
}

/// Everything from within the sandbox: the agent makes the plan, which the hook that follows approves and attaches.
pub fn verbs_in_the_sandbox_hand_over_to_the_next_hook(client: &Client) {
    let project = Codex::new(client);
    let script = Script::new([
        Turn::shell(&format!(
            "touch '{}/x' 2>&1; steadfast init --gated --hold --from plan.md 'Sort the postcards'; steadfast step",
            project.home().display()
        )),
        Turn::text("All done."),
        Turn::shell("steadfast step && steadfast step && steadfast done"),
        Turn::file("sorted.txt", "a card"),
        Turn::shell("steadfast step && steadfast done sort"),
        Turn::shell("steadfast step report 1 && steadfast done report"),
        Turn::text("Everything is reported."),
    ]);
    let run = project.exec("sort them", script).ended_well();
    let printed = run.asked[1].outputs().concat();
    assert!(printed.contains("Read-only file system"), "the sandbox is not in force: {printed}");
    assert_eq!(printed.matches("takes effect at the next hook").count(), 2, "init, and why step must wait: {printed}");
    assert!(run.asked[1].text().contains("approved as version 1"), "the agent is told: {}", run.story());
    assert_eq!(run.holds(), 1, "{}", run.story());
    assert_eq!(run.result(), "Everything is reported.", "{}", run.story());
    assert_eq!(project.verdicts(), ["done"], "{}", run.story());
    let status = project.status();
    assert_eq!((&status["plan"]["mode"], &status["plan"]["version"]), (&json!("gate"), &json!(1)));
    assert_eq!(status["session"]["attached"], run.session());
    let left = fs::read_dir(project.dir.join(".planning")).unwrap().filter_map(Result::ok);
    assert!(!left.into_iter().any(|e| e.file_name().to_string_lossy().starts_with(".request")), "no request is left");
}

/// What takes something from the plan is refused before it happens, and the agent reads why.
pub fn a_patch_that_weakens_the_plan_is_refused(client: &Client) {
    let project = gated(client, &["--hold"]);
    let weaker = plan_patch(&project, &[("", "- [ ] Sort by country", "- [ ] Sort somehow")]);
    let status = plan_patch(&project, &[("", "- [ ] Count the boxes", "- [x] Count the boxes")]);
    let before = fs::read_to_string(project.plan_dir().join("task_plan.md")).unwrap();
    let run = project.exec("begin", Script::new([weaker, status, Turn::text("Not yet.")])).ended_well();
    let refused = run.asked[1].text();
    assert!(refused.contains("steadfast refused this edit"), "{}", run.story());
    let after = fs::read_to_string(project.plan_dir().join("task_plan.md")).unwrap();
    assert!(after.contains("Sort by country") && after.contains("- [x] Count the boxes"), "{before}\n{after}");
    assert_eq!(project.recorded("guard").len(), 1);
}
