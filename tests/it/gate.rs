//! The gate, through the real hooks.

use serde_json::json;

use crate::stage::Stage;

const SENTINEL: &str = "[steadfast gate]";

#[test]
fn a_premature_stop_is_held_once_and_then_let_go_where_the_host_sets_its_flag() {
    let stage = Stage::gated();
    let held = stage.stop("main", false);
    let reason = held.held().expect("held");
    assert!(reason.starts_with(SENTINEL), "{reason}");
    assert!(reason.contains("List the callers"), "{reason}");
    let second = stage.stop("main", true);
    assert_eq!(second.held(), None);
    assert!(second.notice().contains("forced"), "{}", second.notice());
    assert_eq!(stage.count("gate_block"), 1);
}

#[test]
fn where_nobody_attends_the_run_goes_on_while_work_gets_done_and_ends_when_it_is_done() {
    let stage = Stage::gated();
    assert!(stage.stop_alone("main", false).held().is_some());
    stage.agent("main", &["step", "1"]).fine();
    assert!(stage.stop_alone("main", true).held().is_some(), "a box was checked");
    stage.agent("main", &["step", "2"]).fine();
    stage.agent("main", &["done", "survey"]).fine();
    assert!(stage.stop_alone("main", true).held().is_some(), "a phase was completed");
    stage.write("built", "x");
    stage.agent("main", &["done", "build"]).fine();
    assert!(stage.stop_alone("main", true).held().is_some());
    stage.agent("main", &["done", "release"]).fine();
    let last = stage.stop_alone("main", true);
    assert_eq!(last.raw, "", "done is let go without a word");
    let verdict = stage.ledger().pop().unwrap();
    assert_eq!(verdict["event"], "gate_allow");
    assert_eq!(verdict["data"]["verdict"], "done");
}

#[test]
fn without_progress_the_second_stop_is_let_go() {
    let stage = Stage::gated();
    assert!(stage.stop_alone("main", false).held().is_some());
    let second = stage.stop_alone("main", true);
    assert_eq!(second.held(), None);
    assert!(second.notice().contains("no progress"), "{}", second.notice());
    assert!(second.notice().contains("3 of 3 open"), "{}", second.notice());
}

#[test]
fn an_agent_that_only_writes_junk_is_held_at_most_five_times_in_a_turn() {
    let stage = Stage::gated();
    let mut holds = 0;
    for n in 0..12 {
        stage.edit("main", "src/junk.rs", &format!("// {n}\n"));
        holds += usize::from(stage.stop_alone("main", n > 0).held().is_some());
    }
    assert_eq!(holds, 5);
    assert_eq!(stage.status()["gate"]["blocks"], 5);
}

#[test]
fn writing_the_same_contents_again_is_no_progress() {
    let stage = Stage::gated();
    stage.edit("main", "a.rs", "one");
    stage.edit("main", "a.rs", "two");
    assert!(stage.stop_alone("main", false).held().is_some());
    stage.edit("main", "a.rs", "one");
    stage.edit("main", "a.rs", "two");
    assert_eq!(stage.stop_alone("main", true).held(), None);
}

#[test]
fn toggling_a_box_and_notes_are_no_progress() {
    let stage = Stage::gated();
    stage.edit_plan("- [ ] List the callers", "- [x] List the callers");
    assert!(stage.stop_alone("main", false).held().is_some());
    stage.edit_plan("- [x] List the callers", "- [ ] List the callers");
    assert_eq!(stage.stop_alone("main", true).held(), None);
    stage.edit_plan("- [ ] List the callers", "- [x] List the callers");
    let file = stage.plan_file();
    std::fs::write(&file, stage.read(&file) + "\n## Log\nnoise\n").unwrap();
    stage.agent("main", &["log", "note", "noise"]).fine();
    assert_eq!(stage.stop_alone("main", true).held(), None);
}

#[test]
fn a_user_prompt_starts_a_new_budget_and_a_machine_prompt_does_not() {
    let stage = Stage::gated().with("PWF_GATE_CAP", "1");
    assert!(stage.stop("main", false).held().is_some());
    stage.edit("main", "a.rs", "one");
    let capped = stage.stop("main", false);
    assert!(capped.notice().contains("cap"), "{}", capped.notice());
    for text in ["<task-notification>\n<status>completed</status>", "", "[steadfast gate] go on"] {
        stage.prompt("main", text);
        stage.edit("main", "a.rs", text);
        assert_eq!(stage.stop("main", false).held(), None, "{text:?}");
    }
    stage.prompt("main", "please go on with it");
    assert!(stage.stop("main", false).held().is_some());
}

#[test]
fn a_session_that_is_not_attached_is_never_held_and_leaves_no_trace() {
    let stage = Stage::gated();
    let before = (stage.tree(&stage.project), stage.tree(&stage.state));
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PreCompact",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "SessionEnd",
    ] {
        let fields = json!({ "prompt": "review this", "source": "startup", "tool_name": "Read", "agent_type": "x" });
        let answer = stage.hook_with("other", event, fields, &[("CLAUDE_CODE_SESSION_ATTENDED", "0")]);
        assert_eq!(answer.raw, "", "{event}");
    }
    assert_eq!(before, (stage.tree(&stage.project), stage.tree(&stage.state)));
}

#[test]
fn a_subagent_is_never_held_and_spends_nothing() {
    let stage = Stage::gated();
    for event in ["SubagentStop", "Stop"] {
        let answer = stage.hook(
            "main",
            event,
            json!({ "agent_id": "a1", "agent_type": "general-purpose", "stop_hook_active": false }),
        );
        assert_eq!(answer.held(), None, "{event}");
    }
    assert_eq!(stage.status()["gate"]["blocks"], 0);
    assert!(stage.stop("main", false).held().is_some());
}

#[test]
fn background_work_defers_a_stop_and_an_old_shell_does_not() {
    let stage = Stage::gated();
    let running = |kind: &str| json!({ "stop_hook_active": false, "background_tasks": [{ "id": "t1", "type": kind, "status": "running" }] });
    assert!(stage.hook("main", "Stop", running("subagent")).notice().contains("background"));
    assert!(stage.hook("main", "Stop", running("subagent")).notice().contains("background"));
    assert!(stage.hook("main", "Stop", running("shell")).notice().contains("background"));
    assert!(stage.hook("main", "Stop", running("shell")).held().is_some());
}

#[test]
fn a_question_is_not_answered_where_somebody_attends() {
    let stage = Stage::gated();
    let asks = json!({ "stop_hook_active": false, "last_assistant_message": "I can drop the old parser. Shall I?" });
    let answer = stage.hook_with("main", "Stop", asks.clone(), &[("CLAUDE_CODE_SESSION_ATTENDED", "1")]);
    assert_eq!(answer.held(), None);
    assert!(answer.notice().contains("question"));
    assert!(stage.hook_with("main", "Stop", asks, &[("CLAUDE_CODE_SESSION_ATTENDED", "0")]).held().is_some());
}

#[test]
fn a_skipped_phase_ends_the_run_as_needs_you() {
    let stage = Stage::gated();
    for id in ["survey", "build", "release"] {
        stage.agent("main", &["skip", id, "--why", "the owner decides"]).fine();
    }
    let answer = stage.stop("main", false);
    assert_eq!(answer.held(), None);
    assert!(answer.notice().contains("needs you. Not done: survey (the owner decides)"), "{}", answer.notice());
    assert!(stage.verb(&["status"]).out.contains("0 of 3 phases done, 3 parked"));
}

#[test]
fn a_status_written_by_hand_needs_a_record_or_a_proof() {
    let stage = Stage::gated();
    stage.edit_plan(
        "### Phase 2: Build {#build}\n- [ ] Tokenizer\n- [ ] Tables\n- **Status:** pending",
        "### Phase 2: Build {#build}\n- [ ] Tokenizer\n- [ ] Tables\n- **Status:** complete",
    );
    stage.edit_plan(
        "### Phase 3: Release {#release}\n- **Status:** pending",
        "### Phase 3: Release {#release}\n- **Status:** skipped",
    );
    stage.edit_plan("- **Status:** in_progress", "- **Status:** waiting");
    let status = stage.status();
    let word = |n: usize| status["phases"][n]["status"].as_str().unwrap().to_owned();
    assert_eq!((word(0), word(1), word(2)), ("in_progress".into(), "in_progress".into(), "pending".into()));
    assert_eq!(status["phases"][1]["claimed"], true);
    assert!(stage.stop("main", false).held().is_some());
}

#[test]
fn a_hand_written_completion_without_a_check_counts() {
    let stage = Stage::gated();
    stage.edit_plan("- **Status:** in_progress", "- **Status:** complete");
    let held = stage.stop("main", false);
    assert!(held.held().unwrap().contains("build"), "the next phase was opened: {held:?}");
    assert_eq!(stage.status()["phases"][1]["status"], "in_progress");
    assert!(stage.ledger().iter().any(|r| r["event"] == "phase_complete" && r["phase"] == "survey"));
}

#[test]
fn an_edit_after_the_proof_is_asked_about_once() {
    let stage = Stage::gated();
    stage.agent("main", &["done", "survey", "--anyway", "--why", "small"]).fine();
    stage.write("built", "x");
    stage.agent("main", &["done", "build"]).fine();
    stage.agent("main", &["done", "release"]).fine();
    stage.edit("main", "src/late.rs", "late");
    let held = stage.stop("main", false);
    assert!(held.held().unwrap().contains("steadfast check --all"), "{held:?}");
    stage.agent("main", &["check", "--all"]).fine();
    assert_eq!(stage.stop("main", true).raw, "");
    assert_eq!(stage.stop("main", false).raw, "");
}

#[test]
fn status_shows_what_a_plain_stop_would_get() {
    let verdict = |stage: &Stage| stage.status()["gate"]["verdict"].clone();
    let stage = Stage::gated();
    assert_eq!(verdict(&stage), "hold");
    assert!(stage.stop("main", false).held().is_some());
    assert_eq!(verdict(&stage), "no-progress");
    stage.edit_plan("- [ ] List the callers", "- [x] List the callers");
    assert_eq!(verdict(&stage), "hold", "what was written by hand counts as it will in the hook");
    stage.agent("main", &["done", "survey", "--anyway", "--why", "small"]).fine();
    stage.write("built", "x");
    stage.agent("main", &["done", "build"]).fine();
    stage.agent("main", &["done", "release"]).fine();
    assert_eq!(verdict(&stage), "done");
    stage.edit("main", "src/late.rs", "late");
    assert_eq!(verdict(&stage), "hold", "a file changed after the proof");
    assert!(stage.stop("main", false).held().is_some());
    assert_eq!(verdict(&stage), "done", "it is asked about once");
    stage.edit("main", "src/later.rs", "later");
    assert_eq!(verdict(&stage), "done", "and no second time for what changes after that");
    assert_eq!(stage.stop("main", true).raw, "");
    std::fs::remove_file(stage.plan_dir().join(".run")).unwrap();
    assert_eq!(verdict(&stage), "error");
    assert!(stage.stop("main", false).notice().contains("error"));
}

#[test]
fn a_paused_run_holds_nobody() {
    let stage = Stage::gated();
    assert_eq!(stage.agent("main", &["pause"]).code, 1, "not for the agent");
    assert_eq!(stage.verb(&["pause"]).code, 1, "nor without a terminal");
    stage.person(&["pause"], "").fine();
    let answer = stage.stop("main", false);
    assert_eq!(answer.held(), None);
    assert!(answer.notice().contains("paused"), "{}", answer.notice());
    let tool = |id: &str| {
        stage.hook(
            "main",
            "PostToolUse",
            serde_json::json!({ "tool_name": "Read", "tool_use_id": id, "tool_input": {} }),
        )
    };
    let told = tool("t1");
    assert!(told.context().contains("paused") && told.context().lines().count() == 2, "{told:?}");
    assert_eq!(tool("t2").raw, "", "told once");
    stage.person(&["resume"], "").fine();
    assert!(tool("t3").context().contains("resumed"));
    assert!(stage.stop("main", false).held().is_some());
}

#[test]
fn a_released_plan_holds_nobody() {
    let stage = Stage::gated();
    assert_eq!(stage.agent("main", &["release"]).code, 1, "not for the agent");
    assert_eq!(stage.verb(&["release"]).code, 1, "nor without a terminal");
    stage.person(&["release"], "").fine();
    let tool = |session: &str, id: &str| {
        let call = json!({ "tool_name": "Read", "tool_use_id": id, "tool_input": {} });
        stage.hook(session, "PostToolUse", call)
    };
    let told = tool("main", "t1");
    assert!(told.context().contains("took the gate off") && told.context().lines().count() == 2, "{told:?}");
    assert_eq!(tool("main", "t2").raw, "", "told once");
    assert_eq!(stage.stop("main", false).raw, "");
    assert_eq!(stage.count("release"), 1);
    stage.agent("later", &["attach"]).fine();
    assert_eq!(tool("later", "t3").raw, "", "no news to a session that comes later");
    assert_eq!(stage.status()["plan"]["mode"], "plain");
    assert_eq!(stage.status()["plan"]["attestation"], "approved");
}

#[test]
fn a_release_that_only_the_run_state_claims_releases_nothing() {
    let stage = Stage::gated();
    let path = stage.plan_dir().join(".run");
    let text = stage.read(&path);
    let run = text.trim_end().split_once(' ').unwrap().1.replacen("\"mark\"", "\"released\":true,\"mark\"", 1);
    let sum = steadfast::core::contract::digest_start(run.as_bytes(), 16);
    std::fs::write(&path, format!("{:<4095}\n", format!("{sum} {run}"))).unwrap();
    let told = stage.hook("main", "PostToolUse", json!({ "tool_name": "Read", "tool_use_id": "t1", "tool_input": {} }));
    assert_eq!(told.raw, "", "the head decides what is told");
    assert!(!stage.read(&path).contains("released"), "and the mark is mended");
    std::fs::write(&path, format!("{:<4095}\n", format!("{sum} {run}"))).unwrap();
    assert!(stage.stop("main", false).held().is_some(), "and what is held");
}

#[test]
fn what_depends_on_a_parked_phase_goes_on_and_the_run_ends_with_the_list() {
    let story = |skip: &dyn Fn(&Stage)| {
        let stage = Stage::gated();
        skip(&stage);
        let status = stage.status();
        assert_eq!(
            (&status["phases"][0]["status"], &status["phases"][1]["status"]),
            (&json!("skipped"), &json!("in_progress"))
        );
        assert!(stage.prompt("main", "go on please").context().contains("Build"), "the dependent is the next work");
        assert!(stage.stop("main", false).held().unwrap().contains("Build"), "and is held for");
        stage.write("built", "x");
        stage.agent("main", &["done", "build"]).fine();
        stage.agent("main", &["done", "release"]).fine();
        stage.stop("main", false)
    };
    let told =
        story(&|stage| drop(stage.agent("main", &["skip", "survey", "--why", "needs you: who calls it"]).fine()));
    assert_eq!(told.held(), None);
    assert_eq!(
        told.notice(),
        "steadfast let the run end: needs you. Not done: survey (needs you: who calls it). To take one up again: steadfast start survey"
    );
    let done = story(&|stage| drop(stage.person(&["skip", "survey", "--why", "known"], "").fine()));
    assert_eq!(done.raw, "", "what a person parks is settled");
}

#[test]
fn the_list_of_a_run_that_needs_you_names_only_what_needs_you() {
    let stage = Stage::gated();
    stage.person(&["skip", "survey", "--why", "known"], "").fine();
    stage.agent("main", &["skip", "build", "--why", "no compiler"]).fine();
    stage.agent("main", &["done", "release"]).fine();
    assert!(stage.stop("main", false).notice().contains("Not done: build (no compiler). To take"));
}

#[test]
fn a_draft_is_held_once_to_be_written_and_approved() {
    let stage = Stage::new();
    stage.agent("main", &["init", "--gated", "Replace the parser"]).fine();
    let held = stage.stop_alone("main", false);
    assert!(held.held().unwrap().contains("steadfast attest"), "{held:?}");
    assert!(stage.stop_alone("main", true).notice().contains("no progress"));
}

#[test]
fn an_ungated_plan_never_holds() {
    for mode in [&["init", "--from", "plan.md"][..], &["init", "--autonomous", "--from", "plan.md"]] {
        let stage = Stage::new();
        stage.write("plan.md", crate::stage::PLAN);
        stage.agent("main", mode).fine();
        assert_eq!(stage.stop_alone("main", false).raw, "");
    }
}

#[test]
fn deleting_the_run_state_between_stops_lets_go_visibly() {
    let stage = Stage::gated();
    let mut holds = 0;
    for _ in 0..10 {
        let answer = stage.stop_alone("main", false);
        holds += usize::from(answer.held().is_some());
        for name in [".run", ".stop_blocks"] {
            let _ = std::fs::remove_file(stage.plan_dir().join(name));
        }
        if answer.held().is_none() {
            assert!(answer.notice().contains("error"), "{}", answer.notice());
        }
    }
    assert_eq!(holds, 1);
}

#[test]
fn a_counter_that_cannot_be_written_or_read_holds_nobody() {
    let stage = Stage::gated();
    let blocks = stage.plan_dir().join(".stop_blocks");
    std::fs::remove_file(&blocks).unwrap();
    std::fs::create_dir(&blocks).unwrap();
    for _ in 0..5 {
        let answer = stage.stop_alone("main", false);
        assert_eq!(answer.held(), None);
        assert!(answer.notice().contains("cap"), "{}", answer.notice());
    }
}

#[test]
fn the_same_stop_by_plugin_and_settings_counts_once_and_prints_once() {
    let stage = Stage::gated();
    let stop = json!({ "stop_hook_active": false, "last_assistant_message": "All finished.", "prompt_id": "p1" });
    let plugin = [("CLAUDE_PLUGIN_ROOT", "/plugins/steadfast")];
    let first = stage.hook_with("main", "Stop", stop.clone(), &plugin);
    let second = stage.hook("main", "Stop", stop);
    assert!(first.held().is_some());
    assert_eq!(second.raw, "");
    assert_eq!(stage.count("gate_block"), 1);
    let prompt = json!({ "prompt": "go on please", "prompt_id": "p2" });
    assert_ne!(stage.hook("main", "UserPromptSubmit", prompt.clone()).raw, "");
    assert_eq!(stage.hook_with("main", "UserPromptSubmit", prompt, &plugin).raw, "");
    assert_eq!(stage.count("prompt"), 1);
}

#[test]
fn the_very_same_stop_delivered_twice_is_answered_the_same_once() {
    let stage = Stage::gated();
    let first = stage.stop("main", false);
    let again = stage.stop("main", false);
    assert_eq!(first.held(), again.held());
    assert_eq!(stage.count("gate_block"), 1);
    let third = stage.stop("main", false);
    assert_eq!(third.held(), None);
    assert!(third.notice().contains("duplicate"), "{third:?}");
}

#[test]
fn a_plan_written_as_boxes_can_be_run_to_its_end() {
    let stage = Stage::new();
    stage.write(
        "plan.md",
        "# Task Plan: Small\n\n## Goal\nTwo things.\n\n## Phases\n- [ ] Phase 1: First\n- [ ] Phase 2: Second\n",
    );
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    assert!(stage.stop_alone("main", false).held().is_some());
    assert_eq!(stage.count("phase_start"), 1);
    stage.agent("main", &["done"]).fine();
    assert!(stage.stop_alone("main", true).held().is_some());
    stage.agent("main", &["done"]).fine();
    assert_eq!(stage.stop_alone("main", true).raw, "");
}

#[test]
fn a_count_that_cannot_be_written_is_an_error_and_never_replayed_as_a_hold() {
    let stage = Stage::gated();
    let blocks = stage.plan_dir().join(".stop_blocks");
    std::fs::remove_file(&blocks).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", &blocks).unwrap();
    for _ in 0..3 {
        assert_eq!(stage.stop("main", false).held(), None);
    }
    assert_eq!(stage.count("gate_block"), 0);
}

#[test]
fn a_replayed_stop_is_judged_like_any_other() {
    let stage = Stage::gated();
    assert!(stage.stop("main", false).held().is_some());
    stage.person(&["pause"], "").fine();
    assert_eq!(stage.stop("main", false).held(), None, "paused");
    stage.person(&["resume"], "").fine();
    let stage = Stage::gated();
    assert!(stage.stop("main", false).held().is_some());
    for id in ["survey", "build", "release"] {
        stage.write("built", "x");
        stage.agent("main", &["done", id, "--anyway", "--why", "quick"]).fine();
    }
    let last = stage.stop("main", false);
    assert_eq!(last.raw, "", "done, and not a duplicate");
}

#[test]
fn no_sequence_of_equal_stops_and_edits_holds_more_than_five_times_in_a_turn() {
    let stage = Stage::gated();
    let mut holds = 0;
    for n in 0..8 {
        stage.edit("main", "a.rs", &format!("// {n}"));
        for _ in 0..3 {
            holds += usize::from(stage.stop("main", false).held().is_some());
        }
    }
    assert_eq!(holds, 5);
}

#[test]
fn changing_plans_or_taking_turns_gives_no_new_holds() {
    let stage = Stage::gated();
    let first = stage.plan_dir().file_name().unwrap().to_str().unwrap().to_owned();
    // A session does not leave its gated plan while work is open; a person makes the second plan, and lets it go.
    for way in [&["init", "escape"][..], &["init", "--gated", "--from", "plan.md", "Second"]] {
        let refused = stage.agent("main", way);
        assert!(refused.code == 1 && refused.err.contains("held by"), "{refused:?}");
    }
    let second = "2026-03-01-second";
    stage.verb(&["init", "--gated", "--from", "plan.md", "Second"]).fine();
    for way in [&["--plan", second, "attach"][..], &["use", second], &["--plan", second, "step", "1"]] {
        assert_eq!(stage.agent("main", way).code, 1, "{way:?}");
    }
    let mut holds = 0;
    for _ in 0..10 {
        for id in [first.as_str(), second] {
            stage.person(&["--plan", if id == second { &first } else { second }, "pause"], "");
            stage.agent("main", &["--plan", id, "attach"]);
            stage.person(&["--plan", id, "resume"], "");
            holds += usize::from(stage.stop_alone("main", true).held().is_some());
        }
    }
    assert!((1..=5).contains(&holds), "{holds}");
    let stage = Stage::gated();
    let mut holds = 0;
    for _ in 0..10 {
        stage.agent("other", &["attach"]).fine();
        stage.agent("main", &["attach"]).fine();
        holds += usize::from(stage.stop_alone("main", true).held().is_some());
    }
    assert_eq!(holds, 1, "no progress");
}

#[test]
fn one_route_alone_is_judged() {
    let stage = Stage::gated();
    let plugin = [("CLAUDE_PLUGIN_ROOT", "/plugins/steadfast"), ("CLAUDE_CODE_SESSION_ATTENDED", "0")];
    let stop = |n: u32| json!({ "stop_hook_active": n > 0, "last_assistant_message": format!("finished {n}") });
    assert!(stage.hook_with("main", "Stop", stop(0), &plugin).held().is_some());
    stage.edit("main", "a.rs", "new");
    assert!(stage.hook_with("main", "Stop", stop(1), &[("CLAUDE_CODE_SESSION_ATTENDED", "0")]).held().is_some());
}

#[test]
fn an_edit_while_a_check_runs_makes_its_proof_old() {
    let stage = Stage::new();
    stage.write("plan.md", "# Task Plan: x\n\n## Goal\nx\n\n## Phases\n\n### Phase 1: A {#a}\n- **Status:** pending\n- **Check:** `touch begun; while [ ! -e go ]; do sleep 0.05; done`\n");
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let mut command = stage.command(&["done", "a"]);
    command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "main");
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    while !stage.project.join("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    stage.edit("main", "late.rs", "late");
    stage.write("go", "");
    assert!(child.wait().unwrap().success());
    assert_eq!(stage.count("proof"), 2, "`done` made it anew");
    assert_eq!(stage.stop("main", false).raw, "");
}

#[test]
fn a_skip_without_a_person_at_a_terminal_is_an_agents() {
    let stage = Stage::gated();
    for id in ["survey", "build", "release"] {
        stage.verb(&["skip", id, "--why", "x"]).fine();
    }
    assert!(stage.stop("main", false).notice().contains("needs you"));
    let stage = Stage::gated();
    for id in ["survey", "build", "release"] {
        stage.person(&["skip", id, "--why", "x"], "").fine();
    }
    assert_eq!(stage.stop("main", false).raw, "");
}
