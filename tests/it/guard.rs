//! Before a tool is used: what weakens the plan, changes what is approved or takes our hooks away is refused; all else passes
//! without a word.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::stage::{Answer, PLAN, Ran, Stage};

/// A payload as the client sends it, in this session, with this input.
fn payload(stage: &Stage, session: &str, tool: &str, input: &Value) -> Value {
    let sample = match tool {
        "Write" => include_str!("../payloads/claude-code/PreToolUse.Write.json"),
        "Bash" => include_str!("../payloads/claude-code/PreToolUse.Bash.json"),
        _ => include_str!("../payloads/claude-code/PreToolUse.Edit.json"),
    };
    let mut payload: Value = serde_json::from_str(sample).unwrap();
    payload["session_id"] = json!(session);
    payload["cwd"] = json!(stage.project);
    payload["tool_name"] = json!(tool);
    payload["tool_input"] = input.clone();
    payload
}

fn send(stage: &Stage, payload: &Value, env: &[(&str, &str)]) -> Answer {
    Answer::of(&stage.hook_bytes("pre-tool", payload.to_string().as_bytes(), env))
}

fn ask(stage: &Stage, tool: &str, input: Value) -> Answer {
    send(stage, &payload(stage, "main", tool, &input), &[])
}

fn reason(answer: &Answer) -> Option<&str> {
    let specific = answer.value.get("hookSpecificOutput")?;
    assert_eq!(specific["hookEventName"], "PreToolUse");
    assert_eq!(specific["permissionDecision"], "deny");
    specific["permissionDecisionReason"].as_str()
}

#[track_caller]
fn refused(answer: &Answer, why: &str) {
    let Some(said) = reason(answer) else { panic!("not refused: {answer:?}") };
    assert!(said.contains(why), "{said}");
    assert!(!answer.notice().is_empty() && !answer.notice().contains('\n'), "{answer:?}");
}

#[track_caller]
fn passes(answer: &Answer) {
    assert_eq!(answer.raw, "");
}

fn write(stage: &Stage, path: impl AsRef<Path>, text: &str) -> Answer {
    ask(stage, "Write", json!({ "file_path": path.as_ref(), "content": text }))
}

fn write_plan(stage: &Stage, text: &str) -> Answer {
    write(stage, stage.plan_file(), text)
}

fn edit(stage: &Stage, from: &str, to: &str) -> Answer {
    assert!(stage.read(stage.plan_file()).contains(from), "{from}");
    ask(
        stage,
        "Edit",
        json!({ "file_path": stage.plan_file(), "old_string": from, "new_string": to, "replace_all": false }),
    )
}

fn bash(stage: &Stage, command: &str) -> Answer {
    ask(stage, "Bash", json!({ "command": command, "description": "x" }))
}

/// The plan without its second phase.
fn shorter(stage: &Stage) -> String {
    let text = stage.read(stage.plan_file());
    let (before, rest) = text.split_once("### Phase 2").unwrap();
    format!("{before}### Phase 3{}", rest.split_once("### Phase 3").unwrap().1)
}

#[test]
fn an_edit_that_weakens_the_plan_is_refused_with_the_ways_out() {
    let stage = Stage::gated();
    let answer = write_plan(&stage, &shorter(&stage));
    refused(&answer, "phase \"Build\" is gone");
    let said = reason(&answer).unwrap();
    assert!(
        said.contains("steadfast propose FILE --why \"...\"") && said.contains("steadfast skip build --why"),
        "{said}"
    );
    refused(&edit(&stage, "- [ ] Tables\n", ""), "phase \"Build\" lacks its step \"Tables\"");
    refused(&edit(&stage, "`test -f built`", "`true`"), "lacks its check \"test -f built\"");
    refused(&edit(&stage, "Replace the hand-written", "Ignore the hand-written"), "the goal is another");
    let several = json!([
        { "old_string": "- [ ] Tokenizer", "new_string": "- [x] Tokenizer" },
        { "old_string": "### Phase 3: Release {#release}", "new_string": "### Phase 3: Ship it {#release}" },
    ]);
    let answer = ask(&stage, "MultiEdit", json!({ "file_path": stage.plan_file(), "edits": several }));
    refused(&answer, "phase \"Release\" has another title");
    assert!(!answer.raw.contains("Ship it"), "nothing that nobody approved is repeated: {answer:?}");
    for text in ["", "\n", "# Nothing\n"] {
        refused(&write_plan(&stage, text), "and 1 more");
    }
    let records: Vec<Value> = stage.ledger().into_iter().filter(|r| r["event"] == "guard").collect();
    assert_eq!(records.len(), 8);
    assert_eq!(records[0]["summary"], "Write was refused: an edit of the plan: phase \"Build\" is gone");
    assert_eq!(records[0]["session"], "main");
    assert!(records[0].get("data").is_none() && records[0].get("files").is_none(), "{:?}", records[0]);
    let skip =
        said.split("or ").find_map(|s| s.split(" (").next().filter(|s| s.starts_with("steadfast skip"))).unwrap();
    let words: Vec<&str> = skip.split(' ').skip(1).map(|w| w.trim_matches('"')).collect();
    stage.agent("main", &words).fine();
    assert_eq!(stage.status()["phases"][1]["status"], "skipped", "the way out works as it is written");
}

#[test]
fn what_does_not_weaken_passes_without_a_word() {
    let stage = Stage::gated();
    let before = stage.tree(stage.dir.path());
    passes(&edit(&stage, "- [ ] List the callers", "- [x] List the callers (nine of them)"));
    passes(&edit(
        &stage,
        "- **Status:** pending\n- **DependsOn:** build",
        "- **Status:** complete\n- **DependsOn:** build",
    ));
    passes(&edit(&stage, "## Phases", "## Notes\nThe old one is slow.\n\n## Phases"));
    passes(&edit(&stage, "- [ ] Tables\n", "- [ ] Tables\n- [ ] Errors\n"));
    let longer =
        stage.read(stage.plan_file()) + "\n### Phase 4: Announce\n- **Status:** pending\n- **Check:** `true`\n";
    passes(&write_plan(&stage, &longer));
    // The tool fails by itself.
    passes(&ask(
        &stage,
        "Edit",
        json!({ "file_path": stage.plan_file(), "old_string": "not there", "new_string": "" }),
    ));
    passes(&write(&stage, stage.project.join("src/parser.rs"), "fn main() {}\n"));
    passes(&write(&stage, stage.plan_dir().join("findings.md"), ""));
    passes(&write(&stage, stage.project.join(".planning/other/task_plan.md"), ""));
    passes(&ask(&stage, "Read", json!({ "file_path": stage.plan_file() })));
    passes(&bash(&stage, "cargo test 2>&1 | tee target/log"));
    assert!(before == stage.tree(stage.dir.path()), "and leaves no trace");
}

#[test]
fn a_way_back_passes_where_the_plan_was_weakened_by_other_means() {
    let stage = Stage::gated();
    let good = stage.read(stage.plan_file());
    std::fs::write(stage.plan_file(), shorter(&stage).replace("- [ ] Measure the old one\n", "")).unwrap();
    passes(&edit(&stage, "- [ ] List the callers", "- [x] List the callers"));
    passes(&write_plan(&stage, &good.replace("- [ ] Measure the old one\n", "")));
    passes(&write_plan(&stage, &good));
    let readable = stage.read(stage.plan_file()).replace("- **DependsOn:** build\n", "");
    std::fs::write(stage.plan_file(), readable).unwrap();
    refused(&edit(&stage, "- [ ] List the callers\n", ""), "lacks its step \"List the callers\"");
    passes(&edit(&stage, "- [ ] List the callers\n", "- [ ] List the callers\n- [ ] Measure the old one\n"));
    passes(&write_plan(&stage, &good));
    std::fs::remove_file(stage.plan_file()).unwrap();
    passes(&write_plan(&stage, &shorter(&stage_with(&good))));
    passes(&write_plan(&stage, &good));
}

/// A stage whose plan file holds this text.
fn stage_with(text: &str) -> Stage {
    let stage = Stage::gated();
    std::fs::write(stage.plan_file(), text).unwrap();
    stage
}

#[test]
fn links_and_dots_lead_to_the_same_plan() {
    let stage = Stage::gated();
    let id = stage.plan_dir().file_name().unwrap().to_str().unwrap().to_owned();
    symlink(stage.plan_file(), stage.project.join("notes.md")).unwrap();
    symlink(stage.plan_dir(), stage.project.join("plan")).unwrap();
    for path in [
        format!(".planning/{id}/task_plan.md"),
        format!("src/../.planning/./{id}/task_plan.md"),
        "plan/task_plan.md".to_owned(),
        "notes.md".to_owned(),
    ] {
        refused(&write(&stage, &path, ""), "is gone");
        refused(&write(&stage, stage.project.join(&path), ""), "is gone");
    }
    passes(&write(&stage, "task_plan.md", ""));
}

#[test]
fn only_an_approved_plan_with_a_mode_is_guarded_and_only_from_its_session() {
    let stage = Stage::gated();
    let weaker = json!({ "file_path": stage.plan_file(), "content": "" });
    let by = |stage: &Stage, session: &str| send(stage, &payload(stage, session, "Write", &weaker), &[]);
    passes(&by(&stage, "unattached"));
    let mut subagent = payload(&stage, "main", "Write", &weaker);
    subagent["agent_id"] = json!("a883a562e6bc386f1");
    refused(&send(&stage, &subagent, &[]), "is gone");
    assert!(stage.plan_dir().join("ledger-a883a562e6bc386f1.jsonl").is_file(), "in the ledger of the subagent");
    stage.person(&["pause"], "").fine();
    passes(&by(&stage, "main"));
    passes(&bash(&stage, &format!("rm -rf {}", stage.state.display())));
    stage.person(&["resume"], "").fine();
    refused(&by(&stage, "main"), "is gone");
    stage.agent("other", &["attach"]).fine();
    passes(&by(&stage, "main"));
    refused(&by(&stage, "other"), "is gone");
    stage.person(&["release"], "").fine();
    passes(&by(&stage, "other"));

    for (mode, guarded) in [("--autonomous", true), ("--plain", false)] {
        let stage = Stage::new();
        stage.write("plan.md", PLAN);
        let args = ["init", mode, "--from", "plan.md", "Replace the parser"];
        let args: Vec<&str> = args.into_iter().filter(|a| *a != "--plain").collect();
        stage.agent("main", &args).fine();
        let answer = write_plan(&stage, "");
        if guarded { refused(&answer, "is gone") } else { passes(&answer) }
    }

    let draft = Stage::new();
    draft.agent("main", &["init", "--gated", "Replace the parser"]).fine();
    passes(&write_plan(&draft, PLAN));
    passes(&write_plan(&draft, ""));
    refused(&bash(&draft, &format!("rm -rf {}", draft.state.display())), "the state directory");
}

#[test]
fn the_state_directory_is_read_and_not_written() {
    let stage = Stage::gated();
    let state = stage.state.display().to_string();
    let head = std::fs::read_dir(stage.state.join("plans")).unwrap().next().unwrap().unwrap().path().join("head.json");
    refused(&write(&stage, &head, "{}"), "the state directory");
    refused(&write(&stage, "../state/plans/x", "{}"), "the state directory");
    refused(&ask(&stage, "Edit", json!({ "file_path": head, "old_string": "gate", "new_string": "plain" })), "state");
    refused(&ask(&stage, "NotebookEdit", json!({ "notebook_path": head, "new_source": "x" })), "state");
    refused(&ask(&stage, "mcp__files__delete_file", json!({ "path": head })), "state");
    symlink(&stage.state, stage.project.join("link")).unwrap();
    refused(&write(&stage, "link/plans/x", "{}"), "the state directory");
    for command in [
        format!("rm -rf {state}"),
        format!("ls && echo '{{}}' > {state}/plans/x/head.json"),
        "rm -rf \"$STEADFAST_HOME\"".to_owned(),
        "cd ../state && rm -rf sessions".to_owned(),
        format!("python3 -c \"open('{}', 'w')\"", head.display()),
    ] {
        let answer = bash(&stage, &command);
        refused(&answer, "the state directory");
        assert!(!answer.raw.contains("sessions"), "no word of the command is repeated: {answer:?}");
    }
    for command in [
        format!("cat {} > copy.json", head.display()),
        format!("cat {}/nothing 2>/dev/null; rm -f copy.json", head.display()),
        format!("cp {} copy.json && grep -r goal {state} | tee found.txt", head.display()),
        "ls \"$STEADFAST_HOME\"".to_owned(),
        "export STEADFAST_HOME=/tmp/x PLANNING_DISABLED=1".to_owned(),
        format!("steadfast log note 'rm -rf {state}'"),
    ] {
        passes(&bash(&stage, &command));
    }
    passes(&ask(&stage, "mcp__files__read_file", json!({ "path": head })));
    let records: Vec<Value> = stage.ledger().into_iter().filter(|r| r["event"] == "guard").collect();
    assert_eq!(records.len(), 11);
    assert!(
        records.iter().all(|r| !r.to_string().contains("head.json") && !r.to_string().contains(&state)),
        "{records:?}"
    );
}

#[test]
fn a_state_directory_behind_a_link_has_two_names() {
    let stage = Stage::new();
    std::fs::create_dir(stage.dir.path().join("real")).unwrap();
    symlink(stage.dir.path().join("real"), stage.home.join("link")).unwrap();
    let state = stage.home.join("link/state");
    let stage = stage.with("STEADFAST_HOME", &state.display().to_string());
    stage.write("plan.md", PLAN);
    stage.agent("main", &["init", "--gated", "--from", "plan.md", "x"]).fine();
    refused(&bash(&stage, &format!("rm -rf {}", state.display())), "the state directory");
    let real = std::fs::canonicalize(&state).unwrap();
    refused(&bash(&stage, &format!("rm -rf {}", real.display())), "the state directory");
}

#[test]
fn an_edit_of_the_hosts_settings_keeps_our_hooks() {
    let stage = Stage::gated();
    for (flag, path) in [
        ("--project", stage.project.join(".claude/settings.json")),
        ("--local", stage.project.join(".claude/settings.local.json")),
        ("--user", stage.home.join(".claude/settings.json")),
    ] {
        refused(&write(&stage, &path, "{\"disableAllHooks\": true}"), "sets disableAllHooks");
        stage.verb(&["install", "claude-code", flag]).fine();
        refused(&write(&stage, &path, "{}"), "takes out or changes 11 of the hooks");
        let edit = |from: &str, to: &str| {
            ask(&stage, "Edit", json!({ "file_path": path, "old_string": from, "new_string": to }))
        };
        refused(&edit("\"pre-tool\"", "\"post-tool\""), "takes out or changes 1 of the hooks");
        refused(&edit("{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\""), "sets disableAllHooks");
        refused(
            &edit("{\n  \"hooks\"", "{\n  \"env\": {\"PLANNING_DISABLED\": \"1\"},\n  \"hooks\""),
            "PLANNING_DISABLED",
        );
        refused(&edit("{\n  \"hooks\"", "{\n  hooks"), "no JSON");
        passes(&edit("{\n  \"hooks\"", "{\n  \"model\": \"large\",\n  \"hooks\""));
    }
    passes(&write(&stage, stage.project.join("other/.claude/settings.json"), "{\"disableAllHooks\": true}"));
    passes(&write(&stage, stage.project.join("settings.json"), "{\"disableAllHooks\": true}"));
    let linked = stage.home.join("dotfiles.json");
    std::fs::rename(stage.home.join(".claude/settings.json"), &linked).unwrap();
    symlink(&linked, stage.home.join(".claude/settings.json")).unwrap();
    refused(&write(&stage, stage.home.join(".claude/settings.json"), "{}"), "takes out");
    refused(&write(&stage, &linked, "{}"), "takes out");
    let plugin = stage.home.join("plugin");
    std::fs::create_dir_all(plugin.join("hooks")).unwrap();
    let hooks = plugin.join("hooks/claude-code.json");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/hooks/claude-code.json"), &hooks).unwrap();
    let input = json!({ "file_path": hooks, "content": "{}" });
    let env = [("CLAUDE_PLUGIN_ROOT", plugin.to_str().unwrap())];
    refused(&send(&stage, &payload(&stage, "main", "Write", &input), &env), "takes out or changes 11 of the hooks");
}

#[test]
fn a_call_that_two_registrations_deliver_is_refused_twice_and_recorded_once() {
    let stage = Stage::gated();
    let call = payload(&stage, "main", "Write", &json!({ "file_path": stage.plan_file(), "content": "" }));
    refused(&send(&stage, &call, &[]), "is gone");
    refused(&send(&stage, &call, &[("CLAUDE_PLUGIN_ROOT", "/plugin")]), "is gone");
    assert_eq!(stage.count("guard"), 1);
    refused(&send(&stage, &call, &[]), "is gone");
    assert_eq!(stage.count("guard"), 2, "a third delivery is another call");
}

#[test]
fn what_cannot_be_judged_passes() {
    let stage = Stage::gated();
    let call = payload(&stage, "main", "Write", &json!({ "file_path": stage.plan_file(), "content": "" }));
    let text = call.to_string();
    for junk in ["", "{", "null", "[]", "{\"session_id\":\"main\"}", &text[..text.len() / 2]] {
        let ran: Ran = stage.hook_bytes("pre-tool", junk.as_bytes(), &[]);
        passes(&Answer::of(&ran));
    }
    for input in [json!(null), json!([]), json!({ "file_path": 7, "content": 7 }), json!({ "file_path": "" })] {
        passes(&ask(&stage, "Write", input));
    }
    passes(&ask(&stage, "NotebookEdit", json!({ "notebook_path": stage.plan_file(), "new_source": "" })));
    let ran = stage.hook_bytes("pre-tool", text.as_bytes(), &[("STEADFAST_PANIC", "1")]);
    passes(&Answer::of(&ran));
    passes(&send(&stage, &call, &[("PLANNING_DISABLED", "1")]));
    // The next hook catches by digest what passed.
    refused(&send(&stage, &call, &[]), "is gone");
    let run = stage.plan_dir().join(".run");
    let bytes = std::fs::read(&run).unwrap();
    std::fs::write(&run, b"torn").unwrap();
    passes(&send(&stage, &call, &[]));
    std::fs::remove_file(&run).unwrap();
    passes(&send(&stage, &call, &[]));
    std::fs::write(&run, bytes).unwrap();
    refused(&send(&stage, &call, &[]), "is gone");
    let head = std::fs::read_dir(stage.state.join("plans")).unwrap().next().unwrap().unwrap().path().join("head.json");
    let kept = std::fs::read(&head).unwrap();
    std::fs::write(&head, "{}").unwrap();
    passes(&send(&stage, &call, &[]));
    std::fs::write(&head, kept).unwrap();
    refused(&send(&stage, &call, &[]), "is gone");
    std::fs::set_permissions(&stage.state, PermissionsExt::from_mode(0o777)).unwrap();
    passes(&send(&stage, &call, &[]));
    std::fs::set_permissions(&stage.state, PermissionsExt::from_mode(0o700)).unwrap();
    let away = stage.dir.path().join("away");
    std::fs::rename(&stage.state, &away).unwrap();
    passes(&send(&stage, &call, &[]));
    std::fs::rename(&away, &stage.state).unwrap();
    refused(&send(&stage, &call, &[]), "is gone");
}

#[test]
fn a_refusal_needs_no_record() {
    let stage = Stage::gated();
    let call = payload(&stage, "main", "Write", &json!({ "file_path": stage.plan_file(), "content": "" }));
    let ledger = stage.plan_dir().join("ledger-claude-code.jsonl");
    std::fs::remove_file(&ledger).unwrap();
    std::fs::create_dir(&ledger).unwrap();
    refused(&send(&stage, &call, &[]), "is gone");
}

#[test]
fn a_refused_edit_between_two_stops_makes_the_second_a_new_one() {
    let stage = Stage::gated();
    assert!(stage.stop_alone("main", false).held().is_some());
    refused(&write_plan(&stage, ""), "is gone");
    let again = stage.stop_alone("main", false);
    assert!(again.held().is_none() && again.notice().contains("no progress"), "{again:?}");
}

#[test]
fn an_agent_does_not_uninstall_the_hooks() {
    let stage = Stage::gated();
    stage.verb(&["install", "claude-code", "--user"]).fine();
    let settings = stage.home.join(".claude/settings.json");
    let before = stage.read(&settings);
    let ran = stage.agent("main", &["uninstall", "claude-code", "--user"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("`uninstall` is for the person, not for the agent"), "{}", ran.err);
    assert!(ran.err.contains("steadfast uninstall claude-code --user"), "{}", ran.err);
    assert_eq!(stage.read(&settings), before);
    stage.verb(&["uninstall", "claude-code", "--user"]).fine();
    assert!(!settings.exists());
}

/// With a plan whose phases name tools.
fn fenced() -> Stage {
    let stage = Stage::new();
    let plan = PLAN
        .replace(
            "- **Status:** pending\n\n### Phase 2",
            "- **Status:** pending\n- **Tool:** edit, WebFetch\n\n### Phase 2",
        )
        .replace(
            "- **DependsOn:** survey\n",
            "- **DependsOn:** survey\n- **Tool:** `shell`\n- **Tool:** mcp__files__*\n",
        );
    stage.write("plan.md", &plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    stage
}

#[test]
fn a_phase_that_names_its_tools_is_done_with_them() {
    let stage = fenced();
    let url = || json!({ "url": "https://example.org", "prompt": "x" });
    let make = bash(&stage, "make");
    refused(&make, "phase survey may use edit, WebFetch. Verbs and");
    assert!(make.notice().contains("To let it: pause plan"), "{make:?}");
    assert!(stage.ledger().iter().any(|r| r["event"] == "guard" && r["summary"].as_str().unwrap().contains("Bash")));
    refused(&ask(&stage, "mcp__files__read", json!({})), "phase survey may use");
    passes(&write(&stage, stage.project.join("src/a.rs"), "x"));
    passes(&ask(&stage, "WebFetch", url()));
    passes(&bash(&stage, "cd src && steadfast step 1 | tail -1"));
    passes(&ask(
        &stage,
        "Edit",
        json!({ "file_path": stage.plan_dir().join("notes.md"), "old_string": "a", "new_string": "b" }),
    ));
    // The block says it before it is tried.
    assert!(stage.start("main", "startup").context().contains("\ntools: edit, WebFetch\n"));

    // Work of a subagent is work of the phase; another session has none here.
    let mut sub = payload(&stage, "main", "Bash", &json!({ "command": "make" }));
    sub["agent_id"] = json!("a1");
    refused(&send(&stage, &sub, &[]), "phase survey may use");
    passes(&send(&stage, &payload(&stage, "other", "Bash", &json!({ "command": "make" })), &[]));

    stage.agent("main", &["step", "1"]).fine();
    stage.agent("main", &["step", "2"]).fine();
    stage.agent("main", &["done"]).fine();
    passes(&bash(&stage, "make"));
    passes(&ask(&stage, "mcp__files__read", json!({})));
    refused(&ask(&stage, "WebFetch", url()), "phase build may use shell, mcp__files__*");
    refused(&write(&stage, stage.project.join("src/a.rs"), "y"), "phase build may use");
    assert_eq!(stage.person(&["pause"], "").code, 0);
    passes(&ask(&stage, "WebFetch", url()));
}

#[test]
fn a_command_of_the_agents_own_is_no_way_around_its_tools() {
    let stage = fenced();
    stage.edit_plan("- **Tool:** edit, WebFetch\n", "- **Tool:** edit, WebFetch\n- **Check:** `touch made`\n");
    stage.agent("main", &["attest"]).fine();
    for args in [&["check", "survey"][..], &["done", "survey"], &["check", "build"]] {
        let ran = stage.agent("main", args);
        assert!(ran.code == 1 && ran.err.contains("names its tools, and a shell is none of them"), "{ran:?}");
    }
    assert!(!stage.project.join("made").exists());
    stage.approves(&["attest"]);
    stage.agent("main", &["check", "survey"]).fine();
    stage.agent("main", &["done", "survey"]).fine();
    assert_eq!(stage.agent("main", &["check", "build"]).code, 1, "this phase may use a shell, and the check fails");
}

#[test]
fn tools_that_are_named_later_count_from_the_next_event_on() {
    let stage = Stage::gated();
    stage.prompt("main", "begin");
    passes(&bash(&stage, "make"));
    stage.edit_plan("- [ ] Measure the old one\n", "- [ ] Measure the old one\n- **Tool:** edit\n");
    stage.agent("main", &["attest"]).fine();
    stage.after("main", "steadfast attest");
    refused(&bash(&stage, "make"), "phase survey may use edit");
    // More tools are less of a fence: that needs a person.
    stage.edit_plan("- **Tool:** edit\n", "- **Tool:** edit, shell\n");
    assert_eq!(stage.agent("main", &["attest"]).code, 1);
    refused(&bash(&stage, "make"), "phase survey may use edit");
    let new = stage.read(stage.plan_file());
    stage.edit_plan("- **Tool:** edit, shell\n", "- **Tool:** edit\n");
    refused(&write_plan(&stage, &new), "phase \"Survey\" has a new tool");
    // What the contract says counts again where the run state lost it.
    std::fs::write(stage.plan_dir().join(".run"), "").unwrap();
    stage.agent("main", &["attach"]).fine();
    refused(&bash(&stage, "make"), "phase survey may use edit");
}

#[test]
fn what_is_no_name_of_a_tool_is_not_approved() {
    let stage = Stage::new();
    let plan = PLAN.replace("- **DependsOn:** survey\n", "- **DependsOn:** survey\n- **Tool:** Bash(cargo test)\n");
    stage.write("plan.md", &plan);
    let made = stage.agent("main", &["init", "--gated", "--from", "plan.md", "x"]);
    assert_eq!(made.code, 1);
    assert!(made.err.contains("`build` may use `Bash(cargo test)`, which is no name of a tool"), "{}", made.err);
    assert!(made.err.contains("or one of shell, edit"), "{}", made.err);
}

#[test]
fn a_link_in_the_plans_directory_leads_out_of_a_fence() {
    let stage = fenced();
    stage.agent("main", &["done", "survey", "--anyway", "--why", "known"]).fine();
    stage.write("src/a.rs", "x");
    symlink(stage.project.join("src"), stage.plan_dir().join("src")).unwrap();
    refused(&write(&stage, stage.plan_dir().join("src/a.rs"), "y"), "phase build may use");
    refused(&write(&stage, stage.plan_dir().join("src/new.rs"), "y"), "phase build may use");
    passes(&write(&stage, stage.plan_dir().join("notes.md"), "y"));
}
