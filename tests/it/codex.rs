//! The Codex host: payloads as captured, answers held against the host's own schemas, and what its hooks do.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use steadfast::core::event::{Event, Kind, Reply, Source, StopCall, ToolCall, Write as FileWrite, Writing};
use steadfast::core::patch::Hunk;
use steadfast::hosts::{self, Host};

use crate::stage::{Answer, Ran, Stage};

fn samples(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(folder)
}

fn codex() -> &'static Host {
    hosts::find("codex").unwrap()
}

fn payload(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(samples("codex").join(name)).unwrap()).unwrap()
}

fn read(payload: &Value) -> Option<Event> {
    (codex().parse)("", payload.to_string().as_bytes(), &|_| None)
}

fn stop(active: bool, last: &str) -> Kind {
    Kind::Stop(StopCall { active, last_message: last.into(), ..StopCall::default() })
}

/// A call of the shell tool, before it.
fn shell(command: &str) -> ToolCall {
    ToolCall {
        name: "Bash".into(),
        command: Some(command.into()),
        input: format!("{}\n", command.replace('\n', " ")),
        ..ToolCall::default()
    }
}

fn after(call: ToolCall) -> Kind {
    Kind::PostTool(ToolCall { input: String::new(), writes: Vec::new(), ..call })
}

fn write(path: &str, what: Writing) -> FileWrite {
    FileWrite { path: path.into(), what }
}

/// What each captured payload says. The digest of an input is left out.
fn expected() -> Vec<(&'static str, Option<Kind>)> {
    const ADD: &str = "*** Begin Patch\n*** Add File: b.txt\n+hello\n*** End Patch";
    const MOVE: &str = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n one\n-two\n+TWO\n*** Delete File: sub/c.txt\n*** End Patch\n";
    const HEREDOC: &str = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: viash.txt\n+x\n*** End Patch\nEOF";
    let patch = |text: &str, writes| ToolCall {
        name: "apply_patch".into(),
        input: format!("{}\n", text.replace('\n', " ")),
        writes,
        ..ToolCall::default()
    };
    let patched =
        |edits: &[&str]| ToolCall { edits: edits.iter().map(Into::into).collect(), exit: Some(0), ..patch("", vec![]) };
    let spawn =
        || ToolCall { name: "spawn_agent".into(), input: "SUBAGENT_TASK do\nt1\n".into(), ..ToolCall::default() };
    let echo = || shell("echo hi > a.txt; cat a.txt");
    vec![
        ("Interrupt.json", None),
        ("PermissionRequest.Bash.json", None),
        ("PostCompact.auto.json", None),
        ("PostToolUse.Bash.exit-3.json", Some(after(shell("exit 3")))),
        ("PostToolUse.Bash.in-subagent.json", Some(after(echo()))),
        ("PostToolUse.Bash.json", Some(after(echo()))),
        ("PostToolUse.apply_patch.json", Some(after(patched(&["b.txt"])))),
        ("PostToolUse.apply_patch.move.json", Some(after(patched(&["a.txt", "b.txt", "sub/c.txt"])))),
        ("PostToolUse.spawn_agent.json", Some(after(spawn()))),
        ("PreCompact.auto.json", Some(Kind::PreCompact)),
        ("PreCompact.manual.json", Some(Kind::PreCompact)),
        (
            "PreToolUse.Bash.heredoc.json",
            Some(Kind::PreTool(ToolCall {
                writes: vec![write("viash.txt", Writing::Whole("x\n".into()))],
                ..shell(HEREDOC)
            })),
        ),
        ("PreToolUse.Bash.in-subagent.json", Some(Kind::PreTool(echo()))),
        ("PreToolUse.Bash.json", Some(Kind::PreTool(echo()))),
        (
            "PreToolUse.apply_patch.json",
            Some(Kind::PreTool(patch(ADD, vec![write("b.txt", Writing::Whole("hello\n".into()))]))),
        ),
        (
            "PreToolUse.apply_patch.move.json",
            Some(Kind::PreTool(patch(
                MOVE,
                vec![
                    write("a.txt", Writing::Remove),
                    write("b.txt", Writing::Unknown),
                    write("sub/c.txt", Writing::Remove),
                ],
            ))),
        ),
        ("PreToolUse.spawn_agent.json", Some(Kind::PreTool(spawn()))),
        ("SessionEnd.other.json", Some(Kind::SessionEnd("other".into()))),
        ("SessionStart.compact.json", Some(Kind::SessionStart(Source::Compact))),
        ("SessionStart.resume.json", Some(Kind::SessionStart(Source::Resume))),
        ("SessionStart.startup.json", Some(Kind::SessionStart(Source::Startup))),
        ("Stop.active.json", Some(stop(true, "t2"))),
        ("Stop.json", Some(stop(false, "All finished."))),
        ("SubagentStart.json", Some(Kind::SubagentStart)),
        ("SubagentStop.active.json", Some(Kind::SubagentStop)),
        ("SubagentStop.json", Some(Kind::SubagentStop)),
        ("UserPromptSubmit.in-subagent.json", Some(Kind::Prompt("SUBAGENT_TASK do".into()))),
        ("UserPromptSubmit.json", Some(Kind::Prompt("do it".into()))),
    ]
}

#[test]
fn captured_payloads() {
    let table = expected();
    let there: BTreeSet<String> = std::fs::read_dir(samples("codex"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(table.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>(), there);
    for (name, kind) in table {
        let payload = payload(name);
        let text = |field: &str| payload[field].as_str().unwrap_or_default().to_owned();
        let turn = if payload["tool_use_id"].is_string() { text("tool_use_id") } else { text("turn_id") };
        let wanted = kind.map(|kind| Event {
            kind,
            session: text("session_id"),
            cwd: Some(text("cwd").into()),
            project: None,
            agent: payload["agent_id"].as_str().map(str::to_owned),
            turn,
            attended: None,
            host_pid: None,
        });
        let mut got = read(&payload);
        if let Some(Event { kind: Kind::PreTool(call) | Kind::PostTool(call), .. }) = &mut got {
            assert_eq!(std::mem::take(&mut call.input_digest).len(), 64, "{name}");
        }
        assert_eq!(got, wanted, "{name}");
        // The word on the command line says the same as the payload.
        if wanted.is_some() {
            let word = payload["hook_event_name"].as_str().unwrap();
            let again = (codex().parse)(word, payload.to_string().as_bytes(), &|_| None);
            assert_eq!(again.map(|e| e.session), wanted.map(|e| e.session), "{name}");
        }
    }
}

#[test]
fn a_patch_before_and_after_it() {
    let call = |event: &str, patch: &str, response: &str| {
        let payload = json!({
            "hook_event_name": event, "session_id": "s", "tool_name": "apply_patch", "tool_use_id": "c",
            "tool_input": { "command": patch }, "tool_response": response,
        });
        match read(&payload).unwrap().kind {
            Kind::PreTool(call) | Kind::PostTool(call) => call,
            other => panic!("{other:?}"),
        }
    };
    let update = "*** Begin Patch\n*** Update File: f\n@@ top\n-a\n+A\n*** End Patch";
    let hunk = Hunk { anchor: "top".into(), old: vec!["a".into()], new: vec!["A".into()], at_end: false };
    assert_eq!(call("PreToolUse", update, "").writes, [write("f", Writing::Patch(vec![hunk]))]);
    let after = call("PostToolUse", update, "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.");
    assert_eq!((after.edits, after.exit, after.failed), (vec!["f".into()], Some(0), false));
    let failed = call("PostToolUse", update, "Exit code: 1\nWall time: 0 seconds\nOutput:\nNo.");
    assert_eq!((failed.edits, failed.exit, failed.failed), (vec![], Some(1), true));
    let unsaid = call("PostToolUse", update, "Done.");
    assert_eq!((unsaid.edits, unsaid.exit, unsaid.failed), (vec!["f".into()], None, false));
    let broken = call("PreToolUse", "*** Begin Patch\n*** Update File: f", "");
    assert_eq!((broken.writes, broken.input), (vec![], "*** Begin Patch *** Update File: f\n".to_owned()));
}

/// What the host's own schema of an answer refuses. Knows the words that these schemas use, and no others.
fn refused(schema: &Value, whole: &Value, value: &Value) -> Option<String> {
    for (word, rule) in schema.as_object().unwrap() {
        let no = match word.as_str() {
            "$ref" => refused(whole.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap(), whole, value),
            "allOf" => rule.as_array().unwrap().iter().find_map(|schema| refused(schema, whole, value)),
            "type" => {
                let is = match value {
                    Value::Object(_) => "object",
                    Value::String(_) => "string",
                    Value::Bool(_) => "boolean",
                    _ => "something else",
                };
                (rule != is).then(|| format!("{value} is no {rule}"))
            }
            "enum" => (!rule.as_array().unwrap().contains(value)).then(|| format!("{value} is not in {rule}")),
            "const" => (rule != value).then(|| format!("{value} is not {rule}")),
            "required" => rule
                .as_array()
                .unwrap()
                .iter()
                .find(|name| value[name.as_str().unwrap()].is_null())
                .map(|n| format!("no {n}")),
            "additionalProperties" => {
                assert_eq!(*rule, json!(false));
                let known = schema["properties"].as_object().unwrap();
                value
                    .as_object()
                    .and_then(|o| o.keys().find(|key| !known.contains_key(*key)))
                    .map(|k| format!("{k} is not known"))
            }
            "properties" => rule
                .as_object()
                .unwrap()
                .iter()
                .find_map(|(name, schema)| value.get(name).and_then(|value| refused(schema, whole, value))),
            "definitions" => None,
            other => panic!("a word of schemas that is not read here: {other}"),
        };
        if no.is_some() {
            return no;
        }
    }
    None
}

#[test]
fn every_answer_is_one_that_the_host_takes() {
    let reply = |bits: u32| {
        let text = |bit: u32, text: &str| (bits & bit != 0).then(|| text.to_owned());
        Reply { context: text(1, "context"), notice: text(2, "notice"), hold: text(4, "hold"), deny: text(8, "deny") }
    };
    let mut said = BTreeSet::new();
    for (event, schema) in [
        ("SessionStart", Some("session-start")),
        ("UserPromptSubmit", Some("user-prompt-submit")),
        ("PreToolUse", Some("pre-tool-use")),
        ("PostToolUse", Some("post-tool-use")),
        ("PreCompact", Some("pre-compact")),
        ("SubagentStart", Some("subagent-start")),
        ("SubagentStop", Some("subagent-stop")),
        ("Stop", Some("stop")),
        // The host reads no answer to this.
        ("SessionEnd", None),
    ] {
        for failed in ["Exit code: 0\n", "Exit code: 1\n"] {
            let event = read(&json!({
                "hook_event_name": event, "session_id": "s", "tool_name": "apply_patch", "tool_response": failed,
            }));
            let event = event.unwrap();
            for bits in 0..16 {
                let Some(text) = (codex().render)(&event, &reply(bits)) else { continue };
                let value: Value = serde_json::from_str(&text).unwrap();
                let schema = schema.unwrap_or_else(|| panic!("{text}"));
                let path = samples("codex-schemas").join(format!("{schema}.json"));
                let rules: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
                assert_eq!(refused(&rules, &rules, &value), None, "{schema}: {text}");
                // What the schema does not say: a refusal has a reason.
                assert_eq!(value.get("decision").is_some(), value.get("reason").is_some(), "{text}");
                let specific = &value["hookSpecificOutput"];
                assert_eq!(
                    specific["permissionDecision"].is_null(),
                    specific["permissionDecisionReason"].is_null(),
                    "{text}"
                );
                said.insert(text);
            }
        }
    }
    for part in [
        r#"{"decision":"block","reason":"hold","systemMessage":"notice"}"#,
        r#"{"decision":"block","hookSpecificOutput":{"additionalContext":"context","hookEventName":"UserPromptSubmit"},"reason":"deny"}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"deny"}}"#,
        r#"{"hookSpecificOutput":{"additionalContext":"context","hookEventName":"SubagentStart"}}"#,
    ] {
        assert!(said.contains(part), "{part} is not among {said:#?}");
    }
}

#[test]
fn a_schema_refuses_what_it_does_not_know() {
    let rules: Value =
        serde_json::from_slice(&std::fs::read(samples("codex-schemas").join("stop.json")).unwrap()).unwrap();
    for (value, why) in [
        (json!({ "decision": "block", "reason": "r" }), None),
        (json!({ "decision": "hold" }), Some("\"hold\" is not in [\"block\"]")),
        (json!({ "reason": 7 }), Some("7 is no \"string\"")),
        (json!({ "hookSpecificOutput": {} }), Some("hookSpecificOutput is not known")),
    ] {
        assert_eq!(refused(&rules, &rules, &value).as_deref(), why, "{value}");
    }
}

#[test]
fn the_session_of_a_shell() {
    let session = |set: &[(&str, &str)]| {
        (codex().session)(&|name| set.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
    };
    assert_eq!(session(&[]), None);
    assert_eq!(session(&[("CODEX_CI", "1")]), None);
    assert_eq!(session(&[("CODEX_THREAD_ID", "t")]), Some(("t".into(), None)));
    assert_eq!(session(&[("CODEX_THREAD_ID", "t"), ("CODEX_SESSION_ID", "s")]), Some(("s".into(), None)));
    for name in ["CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI"] {
        assert!((codex().inside)(&|asked| (asked == name).then(|| "1".to_owned())), "{name}");
    }
    assert!(!(codex().inside)(&|name| (name == "CODEX_HOME").then(|| "/h".to_owned())));
}

/// A hook of Codex, started as a child or through `shell`, which gets its command line.
#[track_caller]
fn hook(stage: &Stage, event: &str, fields: Value, shell: Option<&str>) -> Answer {
    let mut payload = json!({ "session_id": "cx", "cwd": stage.project, "hook_event_name": event, "turn_id": "t1" });
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let mut command = stage.command(&["hook", event, "--host", "codex"]);
    if let Some(line) = shell {
        let line = line.replace("HOOK", &format!("'{}' hook {event} --host codex", env!("CARGO_BIN_EXE_steadfast")));
        command = Command::new("setsid");
        command.args(["sh", "-c", &line]).env_clear().envs(stage.env.iter().map(|(k, v)| (k, v)));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    Answer::of(&Ran::from(child.wait_with_output().unwrap()))
}

/// With a gated plan that a person made.
fn claimed() -> Stage {
    let stage = Stage::new();
    stage.write("plan.md", crate::stage::PLAN);
    stage.verb(&["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    stage
}

#[test]
fn a_codex_session_is_attached_and_held() {
    let stage = claimed();
    assert!(hook(&stage, "SessionStart", json!({ "source": "startup" }), None).context().contains("[plan "));
    assert!(hook(&stage, "UserPromptSubmit", json!({ "prompt": "begin" }), None).context().contains("Survey"));
    assert_eq!(stage.status()["session"]["host"], "codex");
    // A subagent's task is no turn of the user, and approves nothing.
    let sub = json!({ "prompt": "approve plan", "agent_id": "a1", "agent_type": "default", "turn_id": "t2" });
    assert_eq!(hook(&stage, "UserPromptSubmit", sub, None).value, Value::Null);
    assert_eq!(stage.count("prompt"), 1);
    let last = |active: bool| json!({ "stop_hook_active": active, "last_assistant_message": "All done." });
    let held = hook(&stage, "Stop", last(false), None);
    assert!(held.held().unwrap().starts_with("[steadfast gate]"), "{held:?}");
    // Nothing says that nobody attends, so it is held once in a row.
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch";
    stage.write("new.txt", "x\n");
    let edit = json!({ "tool_name": "apply_patch", "tool_use_id": "c1", "tool_input": { "command": patch },
        "tool_response": "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess." });
    assert_eq!(hook(&stage, "PostToolUse", edit, None).value, Value::Null);
    assert_eq!(stage.ledger().iter().find(|r| r["event"] == "edit").unwrap()["files"], json!(["new.txt"]));
    let let_go = hook(&stage, "Stop", last(true), None);
    assert!(let_go.notice().contains("Go on: steadfast run codex"), "{let_go:?}");
}

#[test]
fn an_edit_of_the_plan_by_a_patch_attaches() {
    let stage = Stage::gated();
    let file = stage.plan_file();
    let name = file.strip_prefix(&stage.project).unwrap().display().to_string();
    let patch = format!(
        "*** Begin Patch\n*** Update File: {name}\n@@\n-- [ ] List the callers\n+- [x] List the callers\n*** End Patch"
    );
    let edit = json!({ "tool_name": "apply_patch", "tool_use_id": "c1", "tool_input": { "command": patch },
        "tool_response": "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess." });
    stage.edit_plan("- [ ] List the callers", "- [x] List the callers");
    hook(&stage, "PostToolUse", edit, None);
    assert_eq!(stage.status()["session"]["attached"], "cx");
}

/// A shell that stays between host and hook is not taken for the host: it would be dead at once, and the session with it.
#[test]
fn the_host_is_who_started_the_shell() {
    for line in ["exec HOOK", "true; HOOK; true", "sh -c \"HOOK; true\"; true"] {
        let stage = claimed();
        hook(&stage, "SessionStart", json!({ "source": "startup" }), Some(line));
        let session = &stage.status()["session"];
        assert_eq!((&session["attached"], &session["live"]), (&json!("cx"), &json!(true)), "{line}");
    }
}

/// In a container that was entered from outside the session has no leader that can be seen: nobody is known to have started
/// it, and the hook does its work all the same.
#[test]
fn a_session_led_from_outside_a_container() {
    let enter = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"].join(" ");
    if !Command::new("sh").args(["-c", &format!("{enter} true")]).status().is_ok_and(|status| status.success()) {
        eprintln!("left out: this system makes no namespaces for its users");
        return;
    }
    let stage = claimed();
    let line = format!("{enter} sh -c \"HOOK; true\"");
    assert!(hook(&stage, "SessionStart", json!({ "source": "startup" }), Some(&line)).context().contains("[plan "));
}

#[test]
fn a_verb_in_a_codex_shell_knows_its_session() {
    let stage = Stage::new();
    stage.write("plan.md", crate::stage::PLAN);
    let mut command = stage.command(&["init", "--gated", "--from", "plan.md", "Replace the parser"]);
    command.env("CODEX_THREAD_ID", "cx").env("CODEX_SESSION_ID", "cx").env("CODEX_CI", "1");
    Ran::from(command.output().unwrap()).fine();
    let session = &stage.status()["session"];
    assert_eq!((&session["attached"], &session["host"]), (&json!("cx"), &json!("codex")));
}

#[test]
fn codex_is_started_by_run_and_not_installed() {
    let stage = claimed();
    let program = stage.home.join("codex");
    std::fs::write(&program, "#!/bin/sh\necho \"$@\" \"${STEADFAST_ATTACH:+with a token}\"\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", stage.home.display(), std::env::var("PATH").unwrap());
    let run = stage.with("PATH", &path).verb(&["run", "codex", "exec", "continue"]).fine();
    assert_eq!(run.out, "exec continue with a token\n");

    let stage = Stage::new();
    let install = stage.verb(&["install", "codex", "--user"]);
    assert_eq!(install.code, 2);
    assert!(
        install
            .err
            .contains("its hooks are added by hand: hooks/codex.json of the repository, as hooks.json in ~/.codex"),
        "{}",
        install.err
    );
    assert!(install.err.contains("fix: steadfast hosts"), "{}", install.err);
    let hosts = stage.verb(&["hosts"]).fine().out;
    assert!(hosts.contains("codex  (Codex CLI)"), "{hosts}");
    assert!(hosts.contains("by hand: hooks/codex.json"), "{hosts}");
}

/// What people are told to add, and what the real client is run with.
#[test]
fn the_hooks_to_add_are_those_of_the_documents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("hooks/codex.json")).unwrap();
    let hooks: Value = serde_json::from_str(&text).unwrap();
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        let command = groups[0]["hooks"][0]["command"].as_str().unwrap();
        let word = command.strip_prefix("steadfast hook ").unwrap().strip_suffix(" --host codex").unwrap();
        let named = |word: &str| {
            (codex().parse)(word, b"{\"session_id\":\"s\"}", &|_| None).map(|e| std::mem::discriminant(&e.kind))
        };
        assert_eq!(named(word), named(event), "{event}");
        assert!(named(word).is_some(), "{event}");
    }
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains(&text), "the README does not show hooks/codex.json as it is");
}
