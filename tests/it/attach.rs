//! Which session is bound to a plan.

use serde_json::json;

use crate::stage::{PLAN, Stage};

const ALONE: [(&str, &str); 1] = [("CLAUDE_CODE_SESSION_ATTENDED", "0")];

fn outside() -> Stage {
    let stage = Stage::new();
    stage.write("plan.md", PLAN);
    stage.verb(&["init", "--gated", "--from", "plan.md"]).fine();
    stage
}

fn owner(stage: &Stage) -> String {
    stage.status()["session"]["attached"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_first_session_started_after_an_init_outside_any_host_attaches_and_no_other() {
    let stage = outside();
    assert_eq!(owner(&stage), "");
    let first = stage.start("one", "startup");
    assert!(first.context().contains("Survey"), "{first:?}");
    assert_eq!(owner(&stage), "one");
    assert_eq!(stage.start("two", "startup").raw, "", "used up, and the owner lives");
    assert_eq!(stage.stop("two", false).raw, "");
    assert!(stage.stop("one", false).held().is_some());
}

#[test]
fn the_claim_is_over_after_a_day() {
    let stage = outside();
    let later = stage.with("STEADFAST_NOW", "1772456401");
    let answer = later.hook_with(
        "one",
        "SessionStart",
        json!({ "source": "startup" }),
        &[("CLAUDE_CODE_SESSION_ATTENDED", "1")],
    );
    assert!(answer.context().contains("steadfast attach"), "an offer: {answer:?}");
    assert_eq!(owner(&later), "");
}

#[test]
fn an_attended_session_is_offered_an_unfinished_plan_and_a_one_shot_run_is_not() {
    let stage = outside().with("STEADFAST_NOW", "1772456401");
    let offer = stage.hook_with(
        "one",
        "SessionStart",
        json!({ "source": "startup" }),
        &[("CLAUDE_CODE_SESSION_ATTENDED", "1")],
    );
    assert!(offer.context().contains("0 of 3"), "{offer:?}");
    assert!(!offer.context().contains("Survey"));
    let before = stage.tree(&stage.state);
    assert_eq!(stage.hook_with("two", "SessionStart", json!({ "source": "startup" }), &ALONE).raw, "");
    assert_eq!(before, stage.tree(&stage.state));
}

#[test]
fn continue_attaches_where_nobody_live_is_attached() {
    let stage = Stage::gated();
    assert_eq!(
        stage.hook_with("new", "UserPromptSubmit", json!({ "prompt": "continue" }), &ALONE).raw,
        "",
        "the owner lives"
    );
    stage.hook("main", "SessionEnd", json!({ "reason": "other" }));
    assert_eq!(stage.hook_with("new", "UserPromptSubmit", json!({ "prompt": "what is this?" }), &ALONE).raw, "");
    let answer = stage.hook_with("new", "UserPromptSubmit", json!({ "prompt": " Continue \n" }), &ALONE);
    assert!(answer.context().contains("Survey"), "{answer:?}");
    assert_eq!(owner(&stage), "new");
    assert!(stage.stop_alone("new", false).held().is_some());
}

#[test]
fn a_crashed_owner_is_not_live() {
    let stage = Stage::new();
    stage.write("plan.md", PLAN);
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let mut init = stage.command(&["init", "--gated", "--from", "plan.md"]);
    init.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "main").env("CLAUDE_PID", child.id().to_string());
    assert!(init.output().unwrap().status.success());
    assert_eq!(stage.hook_with("new", "UserPromptSubmit", json!({ "prompt": "continue" }), &ALONE).raw, "");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_ne!(stage.hook_with("new", "UserPromptSubmit", json!({ "prompt": "continue" }), &ALONE).raw, "");
}

#[test]
fn after_clear_the_same_process_goes_on_under_its_new_id() {
    let stage = Stage::gated();
    stage.hook("main", "SessionEnd", json!({ "reason": "clear" }));
    let answer = stage.start("cleared", "clear");
    assert!(answer.context().contains("Survey"), "{answer:?}");
    assert_eq!(owner(&stage), "cleared");
}

#[test]
fn resume_and_compaction_keep_the_session() {
    let stage = Stage::gated();
    for source in ["resume", "compact", "startup"] {
        assert!(stage.start("main", source).context().contains("Survey"), "{source}");
    }
    assert_eq!(owner(&stage), "main");
}

#[test]
fn the_newest_attach_takes_over_and_the_former_is_told_once() {
    let stage = Stage::gated();
    stage.agent("second", &["attach"]).fine();
    assert_eq!(owner(&stage), "second");
    let told = stage.stop("main", false);
    assert_eq!(told.held(), None);
    assert!(told.notice().contains("another session"), "{}", told.notice());
    assert_eq!(stage.stop("main", false).raw, "");
    assert!(stage.stop("second", false).held().is_some());
}

#[test]
fn editing_the_plan_with_a_tool_attaches() {
    let stage = outside().with("STEADFAST_NOW", "1772456401");
    let fields = json!({ "tool_name": "Edit", "tool_use_id": "t1", "tool_input": { "file_path": stage.plan_file(), "new_string": "x" } });
    stage.hook("editor", "PostToolUse", fields);
    assert_eq!(owner(&stage), "editor");
}

#[test]
fn a_pin_attaches_and_a_broken_one_says_why() {
    let stage = Stage::gated();
    stage.hook("main", "SessionEnd", json!({ "reason": "other" }));
    let id = stage.plan_dir().file_name().unwrap().to_str().unwrap().to_owned();
    let pinned = [("PLAN_ID", id.as_str()), ("CLAUDE_CODE_SESSION_ATTENDED", "0")];
    assert!(
        stage.hook_with("new", "SessionStart", json!({ "source": "startup" }), &pinned).context().contains("Survey")
    );
    for bad in ["../x", "nothing", "/etc"] {
        let answer = stage.hook_with("other", "SessionStart", json!({ "source": "startup" }), &[("PLAN_ID", bad)]);
        assert_eq!(answer.context(), "", "{bad}");
        assert!(answer.notice().contains("Nothing is injected"), "{bad}: {answer:?}");
    }
}

#[test]
fn an_attached_session_keeps_its_plan_wherever_it_goes() {
    let stage = Stage::gated();
    std::fs::create_dir_all(stage.project.join("sub/.planning/inner")).unwrap();
    stage.write("sub/.planning/inner/task_plan.md", &PLAN.replace("Survey", "Elsewhere"));
    let fields = json!({ "prompt": "x", "cwd": stage.project.join("sub") });
    assert!(stage.hook("main", "UserPromptSubmit", fields).context().contains("Survey"));
}

#[test]
fn several_plans_and_no_pointer_are_left_alone() {
    let stage = Stage::new();
    stage.write(".planning/a/task_plan.md", PLAN);
    stage.write(".planning/b/task_plan.md", PLAN);
    let answer = stage.start("one", "startup");
    assert_eq!(answer.context(), "");
    assert!(answer.notice().contains("steadfast use a"), "{answer:?}");
    let verb = stage.verb(&["status"]);
    assert_eq!(verb.code, 1);
    assert!(verb.err.contains("fix: steadfast use a"), "{verb:?}");
    stage.verb(&["use", "b"]).fine();
    assert_eq!(stage.status()["plan"]["id"], "b");
}

#[test]
fn a_token_of_run_attaches_once() {
    let stage = outside().with("STEADFAST_NOW", "1772456401");
    let bin = stage.home.join("bin");
    std::fs::create_dir(&bin).unwrap();
    let fake = bin.join("claude");
    std::fs::write(
        &fake,
        format!("#!/bin/sh\nprintf %s \"$STEADFAST_ATTACH\" > {}\n", stage.home.join("token").display()),
    )
    .unwrap();
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let stage = stage.with("PATH", &path);
    stage.verb(&["run", "claude", "-p", "continue"]).fine();
    let token = stage.read(stage.home.join("token"));
    let start = |session: &str| {
        stage.hook_with(
            session,
            "SessionStart",
            json!({ "source": "startup" }),
            &[("STEADFAST_ATTACH", &token), ALONE[0]],
        )
    };
    assert!(start("one").context().contains("Survey"));
    assert_eq!(start("two").raw, "");
}

#[test]
fn starting_again_and_again_is_no_news() {
    let stage = Stage::gated();
    for _ in 0..10 {
        stage.start("main", "startup");
    }
    assert_eq!(stage.count("session_start"), 1);
}

#[test]
fn a_claim_is_used_up_by_the_first_of_many() {
    for _ in 0..5 {
        let stage = outside();
        std::thread::scope(|scope| {
            for n in 0..4 {
                let stage = &stage;
                scope.spawn(move || stage.start(&format!("s{n}"), "startup"));
            }
        });
        assert_eq!(stage.count("attach"), 1);
    }
}

#[test]
fn resuming_another_conversation_in_the_same_process_does_not_attach() {
    let stage = Stage::gated();
    stage.hook("main", "SessionEnd", json!({ "reason": "other" }));
    let answer = stage.hook_with("old-chat", "SessionStart", json!({ "source": "resume" }), &ALONE);
    assert_eq!(answer.raw, "");
    assert_eq!(stage.stop_alone("old-chat", false).raw, "");
}

#[test]
fn a_hook_that_attaches_hides_no_lost_run_state() {
    let stage = Stage::gated();
    stage.agent("main", &["skip", "survey", "--why", "known"]).fine();
    stage.hook("main", "SessionEnd", json!({ "reason": "other" }));
    std::fs::remove_file(stage.plan_dir().join(".run")).unwrap();
    let answer = stage.hook_with("new", "UserPromptSubmit", json!({ "prompt": "continue" }), &ALONE);
    assert!(answer.notice().contains("steadfast attach"), "{answer:?}");
    stage.agent("new", &["attach"]).fine();
    assert_eq!(stage.status()["phases"][0]["status"], "skipped");
}
