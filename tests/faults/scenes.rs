//! The verbs and hooks that are disturbed, each with what makes it do its real writes.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{PLAN, Stage};

/// What is run.
pub(crate) enum Run {
    /// A verb in the shell of the agent of this session.
    Agent(&'static str, &'static [&'static str]),
    /// A verb typed by a person in a terminal.
    Person(&'static [&'static str]),
    /// A hook of this session, with further fields of its payload.
    Hook(&'static str, &'static str, fn(&Stage) -> Value),
}

/// One of them.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) prepare: fn() -> Stage,
    pub(crate) run: Run,
    /// What brings it to its end where it was disturbed and refuses to begin anew.
    pub(crate) then: &'static [&'static str],
}

const fn scene(name: &'static str, prepare: fn() -> Stage, run: Run) -> Scene {
    Scene { name, prepare, run, then: &[] }
}

const fn verb(name: &'static str, prepare: fn() -> Stage, args: &'static [&'static str]) -> Scene {
    scene(name, prepare, Run::Agent("main", args))
}

const fn hook(name: &'static str, prepare: fn() -> Stage, event: &'static str, fields: fn(&Stage) -> Value) -> Scene {
    scene(name, prepare, Run::Hook("main", event, fields))
}

/// All of them.
pub(crate) const SCENES: &[Scene] = &[
    // A session is not let out of the draft of a plan that holds it already.
    Scene {
        then: &["attest"],
        ..verb("init", planned, &["init", "--gated", "--from", "plan.md", "Replace the parser"])
    },
    Scene { then: &["status"], ..verb("init a draft", Stage::new, &["init", "--gated", "Replace the parser"]) },
    Scene {
        then: &["attest"],
        ..verb("import", listed, &["import", "--gated", "feature_list.json", "Replace the parser"])
    },
    verb("attest", extended, &["attest"]),
    verb("start", failed, &["start", "survey"]),
    verb("step", Stage::gated, &["step", "survey", "1"]),
    verb("check", building, &["check", "build"]),
    verb("done", surveyed, &["done", "survey"]),
    verb("done with a check", building, &["done", "build"]),
    verb("fail", Stage::gated, &["fail", "survey", "--why", "no access"]),
    verb("skip", Stage::gated, &["skip", "survey", "--why", "no access"]),
    verb("wait", Stage::gated, &["wait", "survey", "--for", "2h", "--why", "the nightly build"]),
    verb("receipt", receipted, &["receipt", "mail", "--ref", "https://mail.example/1"]),
    verb("log", Stage::gated, &["log", "note", "what was found"]),
    verb("propose", weakened, &["propose", "--why", "out of scope"]),
    verb("restore", weakened, &["restore"]),
    verb("a lost run state", lost, &["log", "note", "what was found"]),
    verb("rank", two, &["use", "--rank", "b", "a"]),
    verb("install", Stage::gated, &["install", "claude-code", "--user"]),
    scene("attach", Stage::gated, Run::Agent("other", &["attach"])),
    scene("use", two, Run::Person(&["use", "b"])),
    scene("pause", Stage::gated, Run::Person(&["pause"])),
    hook("SessionStart", Stage::gated, "SessionStart", |_| json!({ "source": "startup" })),
    scene("SessionStart that attaches", claimed, Run::Hook("next", "SessionStart", |_| json!({ "source": "startup" }))),
    hook("UserPromptSubmit", held, "UserPromptSubmit", |_| json!({ "prompt": "go on please" })),
    hook(
        "PreToolUse",
        Stage::gated,
        "PreToolUse",
        |stage| json!({ "tool_name": "Write", "tool_use_id": "t1", "tool_input": { "file_path": stage.plan_file(), "content": "" } }),
    ),
    hook("PostToolUse", edited, "PostToolUse", |stage| {
        let file = stage.project.join("src.txt");
        json!({ "tool_name": "Write", "tool_use_id": "t2", "tool_input": { "file_path": file, "content": "x" } })
    }),
    hook(
        "PostToolUse of the plan",
        extended,
        "PostToolUse",
        |stage| json!({ "tool_name": "Edit", "tool_use_id": "t3", "tool_input": { "file_path": stage.plan_file() } }),
    ),
    hook(
        "PostToolUse with a request",
        requested,
        "PostToolUse",
        |_| json!({ "tool_name": "Bash", "tool_use_id": "t4", "tool_input": { "command": "steadfast init" } }),
    ),
    hook("Stop held", Stage::gated, "Stop", stopping),
    hook("Stop let go", stuck, "Stop", stopping),
    hook("SessionEnd", Stage::gated, "SessionEnd", |_| json!({ "reason": "other" })),
    hook("PreCompact", Stage::gated, "PreCompact", |_| json!({ "trigger": "auto" })),
];

/// A stop of a session that thinks it is done.
pub(crate) fn stopping(_: &Stage) -> Value {
    json!({ "stop_hook_active": false, "last_assistant_message": "All finished." })
}

fn planned() -> Stage {
    let stage = Stage::new();
    stage.write("plan.md", PLAN);
    stage
}

fn listed() -> Stage {
    let stage = Stage::new();
    let list = json!([{ "description": "Dark mode", "steps": ["Open"], "passes": false }]);
    stage.write("feature_list.json", &list.to_string());
    stage
}

/// The file asks for one phase more than is approved.
fn extended() -> Stage {
    let stage = Stage::gated();
    let more = "\n### Phase 4: Tell {#tell}\n- **Status:** pending\n- **DependsOn:** release\n";
    fs::write(stage.plan_file(), stage.read(stage.plan_file()) + more).unwrap();
    stage
}

fn failed() -> Stage {
    let stage = Stage::gated();
    stage.agent("main", &["fail", "survey", "--why", "no access"]).fine();
    stage
}

fn surveyed() -> Stage {
    let stage = Stage::gated();
    for step in ["1", "2"] {
        stage.agent("main", &["step", "survey", step]).fine();
    }
    stage
}

fn building() -> Stage {
    let stage = surveyed();
    stage.agent("main", &["done", "survey"]).fine();
    stage.write("built", "");
    stage
}

fn receipted() -> Stage {
    let stage = Stage::new();
    stage.write("plan.md", &PLAN.replace("- **DependsOn:** build\n", "- **DependsOn:** build\n- **Receipt:** mail\n"));
    stage.agent("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    stage
}

/// The file asks for less than is approved.
fn weakened() -> Stage {
    let stage = Stage::gated();
    stage.edit_plan("- [ ] Tables\n", "");
    stage
}

/// The run state is gone; the ledger is there.
fn lost() -> Stage {
    let stage = Stage::gated();
    fs::remove_file(stage.plan_dir().join(".run")).unwrap();
    stage
}

fn two() -> Stage {
    let stage = Stage::new();
    for id in ["a", "b"] {
        stage.write(&format!(".planning/{id}/task_plan.md"), PLAN);
    }
    stage
}

/// A person made the plan, so the next session attaches.
fn claimed() -> Stage {
    let stage = planned();
    stage.verb(&["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    stage
}

fn held() -> Stage {
    let stage = Stage::gated();
    assert!(stage.stop_alone("main", false).held().is_some());
    stage
}

fn edited() -> Stage {
    let stage = Stage::gated();
    stage.write("src.txt", "x");
    stage
}

/// A verb in a shell that cannot write the state directory left all it wanted to the next hook.
fn requested() -> Stage {
    let stage = planned();
    fs::create_dir(&stage.state).unwrap();
    stage.boxed("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    stage
}

/// Held once, and nothing was done since.
fn stuck() -> Stage {
    let stage = held();
    stage.prompt("main", "go on");
    assert!(stage.stop_alone("main", false).held().is_none());
    stage
}
