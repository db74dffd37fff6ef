//! What the model reads, through the real hooks.

use serde_json::json;

use crate::stage::Stage;

#[test]
fn a_session_start_reads_the_full_form_and_a_prompt_the_short_one() {
    let stage = Stage::gated();
    let full = stage.start("main", "startup");
    assert!(full.context().contains("Replace the hand-written parser"), "{full:?}");
    for title in ["Survey", "Build", "Release"] {
        assert!(full.context().contains(title), "{title}");
    }
    let short = stage.prompt("main", "go");
    assert!(short.context().contains("List the callers"));
    assert!(short.context().len() < full.context().len());
    assert_eq!(full.value["hookSpecificOutput"]["hookEventName"], "SessionStart");
    assert_eq!(short.value["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
}

#[test]
fn nothing_changes_without_news() {
    let stage = Stage::gated();
    stage.start("main", "startup");
    let first = stage.prompt("main", "one");
    let second = stage.prompt("main", "two");
    assert_eq!(first.raw, second.raw);
}

#[test]
fn after_compaction_the_next_block_is_full() {
    let stage = Stage::gated();
    let full = stage.start("main", "startup");
    let short = stage.prompt("main", "one");
    stage.hook("main", "PreCompact", json!({ "trigger": "auto" }));
    assert_eq!(stage.prompt("main", "two").context(), full.context(), "also without a session start");
    assert_eq!(stage.prompt("main", "three").context(), short.context());
    stage.hook("main", "PreCompact", json!({ "trigger": "manual" }));
    assert_eq!(stage.start("main", "compact").context(), full.context());
}

#[test]
fn a_changed_contract_is_not_injected_and_each_side_hears_of_it_once() {
    let stage = Stage::gated();
    stage.start("main", "startup");
    stage.edit_plan("Tokenizer", "Publish everything");
    let first = stage.prompt("main", "one");
    assert!(!first.raw.contains("Publish everything"));
    assert!(first.notice().contains("not in force"), "{}", first.notice());
    let second = stage.prompt("main", "two");
    assert_eq!(second.notice(), "");
    let path = stage.plan_file();
    let tool =
        json!({ "tool_name": "Edit", "tool_use_id": "t1", "tool_input": { "file_path": path, "new_string": "x" } });
    let told = stage.hook("main", "PostToolUse", tool);
    assert!(told.context().contains("steadfast attest"), "{told:?}");
    let tool =
        json!({ "tool_name": "Edit", "tool_use_id": "t2", "tool_input": { "file_path": path, "new_string": "x" } });
    assert_eq!(stage.hook("main", "PostToolUse", tool).context(), "");
}

#[test]
fn notes_statuses_and_prose_are_no_change_of_the_contract() {
    let stage = Stage::gated();
    stage.edit_plan("- [ ] List the callers", "- [x] List the callers (17, see findings.md)");
    stage.edit_plan("# Task Plan", "<!-- a comment -->\n# Task Plan");
    let file = stage.plan_file();
    std::fs::write(&file, stage.read(&file) + "\n## Decisions\nfree text\n").unwrap();
    assert_eq!(stage.status()["plan"]["attestation"], "approved");
    assert_eq!(stage.prompt("main", "one").notice(), "");
}

#[test]
fn line_endings_alone_change_nothing() {
    let stage = Stage::gated();
    let file = stage.plan_file();
    std::fs::write(&file, stage.read(&file).replace('\n', "\r\n")).unwrap();
    assert_eq!(stage.status()["plan"]["attestation"], "approved");
}

#[test]
fn an_emptied_or_deleted_file_goes_on_with_the_approved_copy() {
    for remove in [false, true] {
        let stage = Stage::gated();
        stage.agent("main", &["done", "survey", "--anyway", "--why", "known"]).fine();
        let file = stage.plan_file();
        if remove {
            std::fs::remove_file(&file).unwrap();
        } else {
            std::fs::write(&file, "\n").unwrap();
        }
        let answer = stage.prompt("main", "one");
        assert!(answer.context().contains("Build"), "{answer:?}");
        assert!(answer.notice().contains("missing or empty"), "{}", answer.notice());
        assert_eq!(stage.status()["phases"][0]["status"], "complete", "the recorded status counts");
        assert!(stage.stop("main", false).held().is_some());
    }
}

#[test]
fn a_draft_reads_its_goal_and_what_to_do() {
    let stage = Stage::new();
    stage.agent("main", &["init", "--gated", "Replace the parser"]).fine();
    let answer = stage.start("main", "startup");
    assert!(answer.context().contains("Replace the parser"));
    assert!(answer.context().contains("steadfast attest"));
    stage.edit_plan("[Make the change]", "Publish everything");
    assert!(!stage.prompt("main", "x").raw.contains("Publish everything"));
}

#[test]
fn a_subagent_gets_the_short_form_and_its_own_ledger() {
    let stage = Stage::gated();
    let answer = stage.hook("main", "SubagentStart", json!({ "agent_id": "a1b2", "agent_type": "general-purpose" }));
    assert!(answer.context().contains("Survey"), "{answer:?}");
    assert!(stage.plan_dir().join("ledger-a1b2.jsonl").is_file());
}

#[test]
fn one_reminder_after_forty_tool_calls_without_a_verb() {
    let stage = Stage::gated();
    let mut reminded = Vec::new();
    for n in 1..=85 {
        let tool = json!({ "tool_name": "Read", "tool_use_id": format!("t{n}"), "tool_input": { "file_path": "/x" } });
        if !stage.hook("main", "PostToolUse", tool).context().is_empty() {
            reminded.push(n);
        }
    }
    assert_eq!(reminded, [40, 80]);
}

#[test]
fn a_failing_tool_is_recorded_with_its_exit_code_and_nothing_of_its_output() {
    let stage = Stage::gated();
    let fields = json!({ "tool_name": "Bash", "tool_use_id": "t1", "tool_input": { "command": "TOKEN=s3cret make" }, "error": "Exit code 3" });
    stage.hook("main", "PostToolUseFailure", fields);
    let record = stage.ledger().into_iter().find(|r| r["event"] == "tool_failure").unwrap();
    assert_eq!(record["data"]["exit"], 3);
    assert!(!record.to_string().contains("s3cret"));
}

#[test]
fn an_edit_is_recorded_by_name_and_digest() {
    let stage = Stage::gated();
    stage.edit("main", "src/lexer.rs", "secret text");
    let record = stage.ledger().into_iter().find(|r| r["event"] == "edit").unwrap();
    assert_eq!(record["files"], json!(["src/lexer.rs"]));
    assert!(!record.to_string().contains("secret text"));
}

#[test]
fn a_legacy_plan_is_shown_as_data_once_it_is_attached_and_never_held() {
    let stage = Stage::new();
    stage.write(".planning/old/task_plan.md", crate::stage::PLAN);
    assert_eq!(stage.start("main", "startup").raw, "", "nothing before anybody attaches");
    stage.agent("main", &["attach"]).fine();
    let answer = stage.start("main", "resume");
    assert!(answer.context().contains("Survey"), "{answer:?}");
    assert!(answer.context().contains("data"), "{answer:?}");
    assert_eq!(stage.stop_alone("main", false).held(), None);
}

#[test]
fn a_legacy_plan_in_the_root_is_shown_as_data_to_the_session_that_attaches() {
    let stage = Stage::new();
    stage.write("task_plan.md", crate::stage::PLAN);
    assert_eq!(stage.start("main", "startup").raw, "");
    stage.agent("main", &["attach"]).fine();
    let files = stage.tree(&stage.project);
    assert!(stage.start("main", "resume").context().contains("Survey"));
    assert_eq!(stage.prompt("main", "x").raw, "", "no news");
    stage.write("task_plan.md", &crate::stage::PLAN.replace("Survey", "Look around"));
    assert!(stage.prompt("main", "x").context().contains("Look around"));
    assert_eq!(stage.stop_alone("main", false).raw, "");
    stage.write("task_plan.md", crate::stage::PLAN);
    assert_eq!(files, stage.tree(&stage.project), "nothing is written beside it");
    let editor = stage.edit("other", "task_plan.md", crate::stage::PLAN);
    assert_eq!(editor.held(), None);
    assert!(stage.start("other", "resume").context().contains("Survey"), "editing it attaches");
}

#[test]
fn everything_off_with_planning_disabled() {
    let stage = Stage::gated().with("PLANNING_DISABLED", "1");
    for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
        assert_eq!(stage.hook("main", event, json!({ "prompt": "x" })).raw, "", "{event}");
    }
}
