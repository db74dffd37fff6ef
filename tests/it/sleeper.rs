//! The hook that sleeps beside a session that waits. Which steps it takes is seen from outside; how long, by nobody.

use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::stage::{Answer, NOW, Ran, Stage};

const GRIND: &str = "### Phase 1: Grind {#grind}\n- [ ] The rye\n- **Status:** pending";
const SELL: &str = "### Phase 2: Sell {#sell}\n- **Status:** pending\n- **DependsOn:** grind";
/// A client that knows hooks that sleep.
const CLIENT: (&str, &str) = ("AI_AGENT", "claude-code_2-1-332_harness");

/// A plan of these phases, its session attached, in a client that knows hooks that sleep.
fn plan_in(mode: &str, phases: &[&str]) -> Stage {
    let stage = Stage::new();
    let text = format!("# Task Plan: Mill\n\n## Goal\nThe mill runs.\n\n## Phases\n\n{}", phases.join("\n\n"));
    stage.write("plan.md", &text);
    stage.agent("main", &["init", mode, "--from", "plan.md", "Keep the mill"]).fine();
    stage
}

fn plan(phases: &[&str]) -> Stage {
    plan_in("--gated", phases)
}

fn later(stage: Stage, seconds: u64) -> Stage {
    let now = NOW.parse::<u64>().unwrap() + seconds;
    stage.with("STEADFAST_NOW", &now.to_string())
}

/// The hook is started for a stop of this session; it may sleep.
fn begin(stage: &Stage, session: &str, fields: &Value, env: &[(&str, &str)]) -> Child {
    let mut payload = json!({ "session_id": session, "cwd": stage.project, "hook_event_name": "Stop" });
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let input = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(input.path(), payload.to_string()).unwrap();
    let mut command = stage.command(&["hook", "sleep", "--host", "claude-code", "--sleeper"]);
    command.env("CLAUDE_PID", std::process::id().to_string()).env(CLIENT.0, CLIENT.1).envs(env.iter().copied());
    command.stdin(std::fs::File::open(input.path()).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Its end. Where it would sleep for ever the test hangs, and does not pass.
fn end(child: Child) -> Ran {
    child.wait_with_output().unwrap().into()
}

fn sleep(stage: &Stage) -> Ran {
    end(begin(stage, "main", &json!({}), &[]))
}

#[track_caller]
fn quiet(ran: &Ran) {
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{ran:?}");
}

/// Waits until a hook sleeps beside the session; the file of the session names it.
fn asleep(stage: &Stage, child: &mut Child) {
    let named = format!("\"sleeper\":[{},", child.id());
    let sessions = || stage.tree(&stage.state.join("sessions"));
    while !sessions().iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&named)) {
        assert!(child.try_wait().unwrap().is_none(), "it does not sleep");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// A hook of the session, as it is registered beside one that sleeps.
#[track_caller]
fn hook(stage: &Stage, event: &str, fields: &Value, client: &str) -> Answer {
    use std::io::Write;
    let mut payload = json!({ "session_id": "main", "cwd": stage.project, "hook_event_name": event });
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let mut command = stage.command(&["hook", event, "--host", "claude-code", "--sleeper"]);
    command.env("CLAUDE_PID", std::process::id().to_string()).env("AI_AGENT", client);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    Answer::of(&child.wait_with_output().unwrap().into())
}

#[test]
fn when_its_time_has_come_the_session_is_woken() {
    for (mode, next) in [("--gated", "steadfast step grind 1"), ("--autonomous", "steadfast start grind")] {
        let stage = plan_in(mode, &[GRIND, SELL]);
        stage.agent("main", &["wait", "grind", "--for", "2h"]).fine();
        let stage = later(stage, 7_200);
        let woken = sleep(&stage);
        let line = format!(
            "steadfast: phase 1 (\"Grind\") need not wait any longer; it is ready. Automatic, not the user. Next: `{next}`\n"
        );
        assert_eq!((woken.code, woken.out.as_str(), woken.err.as_str()), (2, "", line.as_str()));
        let ledger = stage.ledger();
        let wake = ledger.iter().find(|r| r["event"] == "wake").unwrap();
        assert_eq!((&wake["phase"], &wake["data"]["by"]), (&json!("grind"), &json!("sleeper")));
        let status = if mode == "--gated" { "in_progress" } else { "pending" };
        assert_eq!(stage.status()["phases"][0]["status"], status);
        // One more finds nothing that waits: a session is woken once.
        quiet(&sleep(&stage));
        assert_eq!(stage.count("wake"), 1);
    }
}

#[test]
fn a_file_that_is_there_wakes_and_one_that_is_not_is_waited_for() {
    let stage = plan(&[GRIND, SELL]);
    stage.agent("main", &["wait", "grind", "--file", "grain/dry"]).fine();
    let mut child = begin(&stage, "main", &json!({}), &[]);
    asleep(&stage, &mut child);
    assert_eq!(stage.status()["phases"][0]["status"], "waiting");
    stage.write("grain/dry", "x");
    let woken = end(child);
    assert!(woken.code == 2 && woken.err.contains("(\"Grind\")"), "{woken:?}");
    let late = stage.agent("main", &["wait", "grind", "--file", "grain/dry"]);
    assert!(late.code == 1 && late.err.contains("`grain/dry` is there already"), "{late:?}");
    std::fs::remove_file(stage.project.join("grain/dry")).unwrap();
    stage.agent("main", &["wait", "grind", "--file", "grain/dry"]).fine();
    stage.write("grain/dry", "x");
    assert_eq!(sleep(&stage).code, 2, "it came before the hook slept");
}

#[test]
fn what_the_plan_says_wakes_as_well() {
    for (wait, code) in [
        ("until 2026-03-01T13:00Z", 2),
        ("file plan.md", 2),
        ("until 2026-03-05", 0),
        ("human Which flour?", 0),
        ("cmd `true`", 0),
    ] {
        let first = format!("{GRIND}\n- **WaitsFor:** {wait}");
        let stage = later(plan(&[&first, SELL]), 3_600);
        assert_eq!(sleep(&stage).code, code, "{wait}");
    }
}

#[test]
fn where_nothing_waits_that_it_can_see_it_ends_at_once() {
    let sweep = "### Phase 2: Sweep {#sweep}\n- **Status:** pending";
    let stage = plan(&[GRIND, sweep]);
    quiet(&sleep(&stage));
    stage.agent("main", &["wait", "grind", "--for", "1h"]).fine();
    quiet(&sleep(&stage));
    stage.agent("main", &["done", "sweep"]).fine();
    let before = stage.tree(&stage.project);
    let headless = [("CLAUDE_CODE_SESSION_ATTENDED", "0")];
    let shell = json!({ "background_tasks": [{ "id": "b1", "type": "shell", "status": "running" }] });
    for (session, fields, env) in [
        ("other", json!({}), &[][..]),
        ("", json!({}), &[]),
        ("main", json!({ "agent_id": "a1" }), &[]),
        // What runs there ends before: a host that nobody attends would see it after this hook.
        ("main", shell, &headless),
        ("main", json!({}), &[("PLANNING_DISABLED", "1")]),
        // Too old, or not known: it would keep the stop waiting.
        ("main", json!({}), &[("AI_AGENT", "claude-code_2-1-196_harness")]),
        ("main", json!({}), &[("AI_AGENT", "")]),
    ] {
        quiet(&end(begin(&stage, session, &fields, env)));
    }
    let broken = end(begin(&stage, "main", &json!({}), &[("STEADFAST_PANIC", "1")]));
    assert!(broken.code == 0 && broken.out.is_empty() && broken.err.contains("internal error"), "{broken:?}");
    assert_eq!(stage.tree(&stage.project), before);
    // A question is the user's.
    stage.agent("main", &["wait", "grind", "--human", "Which flour?"]).fine();
    quiet(&sleep(&stage));
}

#[test]
fn it_ends_when_somebody_else_goes_on() {
    let ways: [(&str, &dyn Fn(&Stage)); 7] = [
        ("taken up", &|stage| drop(stage.agent("main", &["start", "grind"]).fine())),
        ("paused", &|stage| drop(stage.person(&["pause"], "").fine())),
        ("another session", &|stage| drop(stage.agent("other", &["attach"]).fine())),
        ("ended", &|stage| drop(stage.hook("main", "SessionEnd", json!({ "reason": "other" })))),
        ("deleted", &|stage| std::fs::remove_dir_all(stage.plan_dir()).unwrap()),
        ("revoked", &|stage| {
            let digest = stage.read(stage.plan_dir().join(".attestation"));
            drop(stage.person(&["attest", "--revoke"], &format!("{}\n", &digest[..8])).fine());
        }),
        ("another plan", &|stage| drop(stage.agent("main", &["init", "--autonomous", "Another mill"]).fine())),
    ];
    for (how, way) in ways {
        let stage = plan_in("--autonomous", &[GRIND, SELL]);
        stage.agent("main", &["wait", "grind", "--for", "2h"]).fine();
        let mut child = begin(&stage, "main", &json!({}), &[]);
        asleep(&stage, &mut child);
        way(&stage);
        let ran = end(child);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{how}");
    }
}

#[test]
fn it_ends_with_its_client() {
    let stage = plan(&[GRIND, SELL]);
    stage.agent("main", &["wait", "grind", "--for", "2h"]).fine();
    let mut client = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let mut child = begin(&stage, "main", &json!({}), &[("CLAUDE_PID", &client.id().to_string())]);
    asleep(&stage, &mut child);
    client.kill().unwrap();
    client.wait().unwrap();
    quiet(&end(child));
}

#[test]
fn of_two_that_sleep_the_newer_one_goes_on() {
    let stage = plan(&[GRIND, SELL]);
    stage.agent("main", &["wait", "grind", "--file", "grain/dry"]).fine();
    let mut first = begin(&stage, "main", &json!({}), &[]);
    asleep(&stage, &mut first);
    let mut second = begin(&stage, "main", &json!({}), &[]);
    asleep(&stage, &mut second);
    quiet(&end(first));
    stage.write("grain/dry", "x");
    assert_eq!(end(second).code, 2);
}

#[test]
fn who_wakes_it_is_the_hook_where_there_is_one() {
    const BY_HOOK: &str = "a hook of this session, while the client stays open";
    let said = |stage: &Stage| stage.verb(&["status"]).fine().out;
    let stop = json!({ "stop_hook_active": false, "last_assistant_message": "I wait." });
    let stage = plan(&[GRIND, SELL]);
    // Nothing says yet that there is one.
    let wait = stage.agent("main", &["wait", "grind", "--for", "2h"]).fine();
    assert!(wait.out.contains("woken by: nothing: asleep"), "{wait:?}");
    hook(&stage, "PostToolUse", &json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } }), CLIENT.1);
    let wait = stage.agent("main", &["wait", "grind", "--for", "2h"]).fine();
    assert!(wait.out.contains(BY_HOOK), "{wait:?}");
    assert!(said(&stage).contains(BY_HOOK));
    let notice = hook(&stage, "Stop", &stop, CLIENT.1).notice().to_owned();
    assert!(notice.contains(&format!("Woken by: {BY_HOOK}. To go on before")), "{notice}");
    // Stopped, and no hook there: the truth is what counts.
    assert!(said(&stage).contains("woken by: nothing: asleep"));
    let mut child = begin(&stage, "main", &stop, &[]);
    asleep(&stage, &mut child);
    assert!(said(&stage).contains(BY_HOOK));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(said(&stage).contains("woken by: nothing: asleep"));
    // A question is not answered by a hook, and an older client has none that sleeps.
    let question = stage.agent("main", &["wait", "grind", "--human", "Which flour?"]).fine();
    assert!(question.out.contains("nothing: asleep"), "{question:?}");
    stage.agent("main", &["wait", "grind", "--for", "3h"]).fine();
    let notice = hook(&stage, "Stop", &stop, "claude-code_2-1-100_harness").notice().to_owned();
    assert!(notice.contains("nothing: asleep"), "{notice}");
}

#[test]
fn the_first_stop_after_it_is_judged_as_any_other() {
    let stage = plan(&[GRIND, SELL]);
    stage.agent("main", &["wait", "grind", "--for", "2h"]).fine();
    let stage = later(stage, 7_200);
    assert_eq!(sleep(&stage).code, 2);
    let held = stage.stop("main", true);
    assert!(held.held().is_some_and(|reason| reason.contains("Grind")), "the host's flag is about the hook: {held:?}");
    let forced = stage.stop("main", true);
    assert!(forced.notice().contains("forced"), "{forced:?}");
}
