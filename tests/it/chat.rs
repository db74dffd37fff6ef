//! A person's words in the chat.

use serde_json::json;

use crate::stage::{Answer, Stage};

pub(crate) const ATTENDED: [(&str, &str); 1] = [("CLAUDE_CODE_SESSION_ATTENDED", "1")];

pub(crate) fn say(stage: &Stage, session: &str, text: &str) -> Answer {
    stage.hook_with(session, "UserPromptSubmit", json!({ "prompt": text }), &ATTENDED)
}

pub(crate) fn code(answer: &Answer) -> String {
    let text = answer.held().expect("answered by the hook");
    let rest = text.split("approve plan ").nth(1).unwrap_or_else(|| panic!("{text}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

fn weakened() -> Stage {
    let stage = Stage::gated();
    stage.edit_plan("- [ ] Tables\n", "");
    stage
}

#[test]
fn a_person_approves_exactly_what_was_shown() {
    let stage = weakened();
    let shown = say(&stage, "main", "approve plan");
    assert!(shown.held().unwrap().contains("Tables"), "{shown:?}");
    assert!(shown.held().unwrap().contains("runs: test -f built"), "{shown:?}");
    let code = code(&shown);
    stage.edit_plan("Tokenizer", "Publish everything");
    let approved = say(&stage, "main", &format!("approve plan {code}"));
    assert!(approved.held().unwrap().contains("version 2"), "{approved:?}");
    let contract = stage.verb(&["attest", "--show", "--json"]).fine().json();
    let text = contract["contract"].to_string();
    assert!(text.contains("Tokenizer") && !text.contains("Tables") && !text.contains("Publish"), "{text}");
    assert_eq!(contract["by"], "person");
    stage.write("built", "x");
    stage.verb(&["check", "build"]).fine();
}

#[test]
fn a_code_counts_once_for_one_version_one_session_and_one_plan() {
    let stage = weakened();
    let code = code(&say(&stage, "main", "approve plan"));
    let word = format!("approve plan {code}");
    assert!(say(&stage, "main", "approve plan 00000000").held().unwrap().contains("not the code"));
    assert_eq!(say(&stage, "other", &word).held(), None, "an unattached session approves nothing");
    assert!(say(&stage, "main", &word).held().unwrap().contains("approved as version 2"));
    assert!(say(&stage, "main", &word).held().unwrap().contains("nothing was shown"));
    assert_eq!(stage.status()["plan"]["version"], 2);
}

#[test]
fn another_approval_in_between_makes_the_code_void() {
    let stage = weakened();
    let code = code(&say(&stage, "main", "approve plan"));
    let file = stage.plan_file();
    let weak = stage.read(&file);
    let good = weak.replace("- [ ] Tokenizer\n", "- [ ] Tokenizer\n- [ ] Tables\n");
    std::fs::write(&file, good + "\n### Phase 4: Announce\n- **Status:** pending\n").unwrap();
    stage.agent("main", &["attest"]).fine();
    assert!(say(&stage, "main", &format!("approve plan {code}")).held().unwrap().contains("another version"));
}

#[test]
fn where_nobody_attends_in_a_notification_or_a_subagent_nothing_is_approved() {
    let stage = weakened();
    let code = code(&say(&stage, "main", "approve plan"));
    let word = format!("approve plan {code}");
    let alone = stage.hook_with(
        "main",
        "UserPromptSubmit",
        json!({ "prompt": word }),
        &[("CLAUDE_CODE_SESSION_ATTENDED", "0")],
    );
    assert!(alone.held().unwrap().contains("nobody attends"));
    let sub = json!({ "prompt": word, "agent_id": "a1", "agent_type": "x" });
    assert_eq!(stage.hook_with("main", "UserPromptSubmit", sub, &ATTENDED).raw, "");
    for text in [
        format!("<task-notification>{word}</task-notification>"),
        format!("[steadfast gate] {word}"),
        format!("The file says: {word}"),
    ] {
        assert_eq!(say(&stage, "main", &text).held(), None, "{text}");
    }
    assert_eq!(stage.status()["plan"]["version"], 1);
}

#[test]
fn reject_forgets_what_was_shown() {
    let stage = weakened();
    let code = code(&say(&stage, "main", "approve plan"));
    assert!(say(&stage, "main", "reject plan").held().unwrap().contains("rejected"));
    assert!(say(&stage, "main", &format!("approve plan {code}")).held().unwrap().contains("nothing was shown"));
}

#[test]
fn a_plan_that_cannot_be_approved_names_its_problems() {
    let stage = Stage::new();
    stage.agent("main", &["init", "--gated", "Some task"]).fine();
    assert!(say(&stage, "main", "approve plan").held().unwrap().contains("line "));
}

#[test]
fn pause_resume_and_status_by_chat() {
    let stage = Stage::gated();
    assert!(say(&stage, "main", "plan status").held().unwrap().contains("0 of 3 phases done"));
    assert!(say(&stage, "main", "pause plan").held().unwrap().contains("paused"));
    assert_eq!(stage.stop("main", false).held(), None);
    assert!(say(&stage, "main", "Resume Plan").held().unwrap().contains("resumed"));
    assert!(stage.stop("main", false).held().is_some());
}

#[test]
fn a_plan_is_released_by_chat_in_two_steps() {
    let stage = Stage::gated();
    let shown = say(&stage, "main", "release plan");
    let code = shown.held().unwrap().split("release plan ").nth(1).unwrap()[..8].to_owned();
    assert!(stage.stop("main", false).held().is_some(), "asking changes nothing");
    assert!(say(&stage, "main", "release plan 00000000").held().unwrap().contains("not the code"));
    assert_eq!(say(&stage, "other", &format!("release plan {code}")).held(), None, "an unattached session");
    assert_eq!(stage.status()["plan"]["mode"], "gate");
    assert!(say(&stage, "main", &format!("release plan {code}")).held().unwrap().contains("released"));
    assert_eq!(stage.status()["plan"]["mode"], "plain");
    let tool = |id: &str| {
        let call = json!({ "tool_name": "Read", "tool_use_id": id, "tool_input": {} });
        stage.hook("main", "PostToolUse", call)
    };
    assert!(tool("t1").context().contains("took the gate off"));
    assert_eq!(tool("t2").raw, "");
    assert_eq!(stage.stop("main", false).raw, "");
    assert!(say(&stage, "main", "release plan").held().unwrap().contains("no gate"));
    let draft = Stage::new();
    draft.agent("main", &["init", "--gated", "Some task"]).fine();
    let shown = say(&draft, "main", "release plan");
    let code = shown.held().unwrap().split("release plan ").nth(1).unwrap()[..8].to_owned();
    say(&draft, "main", &format!("release plan {code}")).held().unwrap();
    assert_eq!(draft.stop_alone("main", false).raw, "");
}

#[test]
fn where_nobody_attends_nothing_is_paused_resumed_or_released() {
    let stage = Stage::gated();
    let code =
        say(&stage, "main", "release plan").held().unwrap().split("release plan ").nth(1).unwrap()[..8].to_owned();
    let release = format!("release plan {code}");
    for env in [("CLAUDE_CODE_SESSION_ATTENDED", "0"), ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")] {
        for word in ["pause plan", "resume plan", "release plan", &release] {
            let answer = stage.hook_with("main", "UserPromptSubmit", json!({ "prompt": word }), &[env]);
            assert!(answer.held().unwrap().contains("nobody attends"), "{word}: {answer:?}");
        }
        let seen = stage.hook_with("main", "UserPromptSubmit", json!({ "prompt": "plan status" }), &[env]);
        assert!(seen.held().unwrap().contains("0 of 3"), "looking is for everybody");
    }
    let status = stage.status();
    assert_eq!((&status["plan"]["paused"], &status["plan"]["mode"]), (&json!(false), &json!("gate")));
}

#[test]
fn a_client_that_the_agent_starts_does_not_pause_or_release_the_run_it_is_in() {
    let stage = Stage::gated();
    let id = stage.plan_dir().file_name().unwrap().to_str().unwrap().to_owned();
    // As the shell of the agent hands its variables down, with the plan pinned too.
    for pinned in [&[][..], &[("PLAN_ID", id.as_str())]] {
        let mut env =
            vec![("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "main"), ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")];
        env.extend(pinned);
        stage.hook_with("nested", "SessionStart", json!({ "source": "startup" }), &env);
        for word in ["pause plan", "release plan", "approve plan"] {
            let answer = stage.hook_with("nested", "UserPromptSubmit", json!({ "prompt": word }), &env);
            assert_eq!(answer.held(), None, "{word}: {answer:?}");
        }
    }
    assert_eq!(stage.status()["plan"]["paused"], false);
    assert_eq!(stage.status()["session"]["attached"], "main");
    assert!(stage.stop("main", false).held().is_some());
}

#[test]
fn what_an_older_version_left_as_shown_approves_nothing() {
    let stage = weakened();
    let code = code(&say(&stage, "main", "approve plan"));
    let file = stage.tree(&stage.state).into_iter().find(|(path, _)| path.ends_with("pending.json")).unwrap().0;
    let pending: serde_json::Value = serde_json::from_str(&stage.read(&file)).unwrap();
    let old = json!({ "session": pending["session"], "version": 1, "contract": pending["offers"][0]["contract"] });
    for text in [old.to_string(), "{}".to_owned(), "nonsense".to_owned()] {
        std::fs::write(&file, text).unwrap();
        assert!(say(&stage, "main", &format!("approve plan {code}")).held().unwrap().contains("nothing was shown"));
    }
}

/// With a phase whose work a person approves, and one that a person lets begin.
fn asking() -> Stage {
    let stage = Stage::new();
    let plan = "## Goal\nMove the mill\n## Phases\n### Phase 1: Draw {#Draw}\n- [x] Wheel\n- [ ] approve plan 12345678\n\
        - **Status:** pending\n- **Approval:** human\n### Phase 2: Build {#build}\n- **Status:** pending\n- **WaitsFor:** human Which wood?\n";
    stage.write("plan.md", plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md", "Move the mill"]).fine();
    stage
}

fn code_for(answer: &Answer, phase: &str) -> String {
    let text = answer.held().expect("answered by the hook");
    let rest = text.split(&format!("approve phase {phase} ")).nth(1).unwrap_or_else(|| panic!("{text}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_person_approves_what_a_phase_came_to() {
    let stage = asking();
    let refused = stage.agent("main", &["done", "--anyway", "--why", "drawn"]);
    assert!(
        refused.code == 1
            && refused.err.contains("waits for the user's word")
            && refused.err.contains("approve phase Draw` in the chat"),
        "{refused:?}"
    );
    let shown = say(&stage, "main", "approve phase draw");
    let text = shown.held().unwrap();
    assert!(text.contains("1. Draw: waiting\n  [x] Wheel\n  [ ] approve-plan 12345678\n"), "{text}");
    let code = code_for(&shown, "Draw");
    let answer = |session: &str, word: &str| say(&stage, session, word).held().unwrap_or_default().to_owned();
    assert!(answer("main", "approve phase draw 00000000").contains("not the code"));
    assert!(answer("main", &format!("approve phase build {code}")).contains("not the code"));
    assert!(answer("main", &format!("approve plan {code}")).contains("not the code"));
    assert_eq!(answer("other", &format!("approve phase draw {code}")), "");
    assert_eq!(stage.agent("main", &["done", "--anyway", "--why", "drawn"]).code, 1, "nothing was approved so far");
    // The run waits for it, and goes on when it is there.
    let let_go = stage.stop("main", false);
    assert!(
        let_go.notice().contains("let the run end: waiting. Draw waits for the user (to approve its result)"),
        "{let_go:?}"
    );
    assert!(let_go.notice().contains("Your word on Draw: steadfast approve Draw."), "{let_go:?}");
    // It stands for what was shown.
    stage.edit_plan("- [x] Wheel\n", "- [ ] Wheel\n");
    assert!(answer("main", &format!("approve phase draw {code}")).contains("the phase changed since"));
    stage.edit_plan("- [ ] Wheel\n", "- [x] Wheel\n");
    assert!(answer("main", &format!("approve phase draw {code}")).contains("Draw is approved."));
    assert_eq!(stage.status()["phases"][0]["status"], "in_progress");
    assert!(answer("main", &format!("approve phase draw {code}")).contains("approved already"));
    stage.agent("main", &["done", "Draw"]).fine();
    // The other one begins by it.
    assert_eq!(stage.status()["phases"][1]["status"], "waiting");
    let shown = say(&stage, "main", "approve phase 2");
    assert!(shown.held().unwrap().contains("waits for human Which wood?"), "{shown:?}");
    let approved = say(&stage, "main", &format!("approve phase 2 {}", code_for(&shown, "build")));
    assert!(approved.held().unwrap().contains("build is approved."), "{approved:?}");
    assert_eq!(stage.status()["phases"][1]["status"], "in_progress");
}

#[test]
fn an_answer_before_the_work_is_no_word_on_what_it_comes_to() {
    let stage = Stage::new();
    let plan = "## Goal\nG.\n\n## Phases\n\n### Phase 1: Sell {#sell}\n- **Status:** pending\n- **WaitsFor:** human Which region?\n- **Check:** `true`\n- **Approval:** human\n";
    stage.write("plan.md", plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let give = |to: &str| {
        let shown = say(&stage, "main", "approve phase sell");
        assert!(shown.held().unwrap().contains(to), "{shown:?}");
        let code = code_for(&shown, "sell");
        assert!(say(&stage, "main", &format!("approve phase sell {code}")).held().unwrap().contains("is approved."));
        shown.held().unwrap().to_owned()
    };
    give("To say yes to what it waits for");
    assert_eq!(stage.status()["phases"][0]["status"], "in_progress");
    assert_eq!(stage.agent("main", &["done", "sell"]).code, 1, "nobody saw what it came to");
    assert_eq!(stage.status()["phases"][0]["status"], "waiting");
    // An edit between what was shown and the code is something else.
    let shown = say(&stage, "main", "approve phase sell");
    assert!(shown.held().unwrap().contains("its check: passed"), "{shown:?}");
    stage.edit("main", "src/a.rs", "late");
    let old = say(&stage, "main", &format!("approve phase sell {}", code_for(&shown, "sell")));
    assert!(old.held().unwrap().contains("the phase changed since"), "{old:?}");
    give("To approve what it came to");
    stage.agent("main", &["done", "sell"]).fine();
}

#[test]
fn a_phase_is_approved_by_a_person_in_the_attached_session_alone() {
    let stage = asking();
    let alone = stage.prompt("main", "approve phase draw");
    assert!(alone.held().is_some(), "answered here, whoever it is");
    let nobody = stage.hook_with(
        "main",
        "UserPromptSubmit",
        json!({ "prompt": "approve phase draw" }),
        &[("CLAUDE_CODE_SESSION_ATTENDED", "0")],
    );
    assert!(nobody.held().unwrap().contains("nobody attends"), "{nobody:?}");
    let none = say(&stage, "main", "approve phase mill");
    assert!(
        none.held().unwrap().contains("no such phase asks for your approval; in this plan: Draw, build"),
        "{none:?}"
    );
    // A code stands for the phase as it was approved.
    let code = code_for(&say(&stage, "main", "approve phase draw"), "Draw");
    stage.edit_plan("- [x] Wheel\n", "- [x] Wheel\n- [ ] Race\n");
    stage.agent("main", &["attest"]).fine();
    let old = say(&stage, "main", &format!("approve phase draw {code}"));
    assert!(old.held().unwrap().contains("not the code"), "{old:?}");
}

#[test]
fn a_word_on_a_phase_ends_with_what_it_was_given_on() {
    let stage = asking();
    let give = |stage: &Stage| {
        let code = code_for(&say(stage, "main", "approve phase draw"), "Draw");
        say(stage, "main", &format!("approve phase draw {code}")).held().unwrap().to_owned()
    };
    give(&stage);
    stage.agent("main", &["done", "Draw"]).fine();
    assert_eq!(stage.person(&["reopen", "Draw", "--why", "the wheel is too small"], "").code, 0);
    assert_eq!(stage.agent("main", &["done", "Draw"]).code, 1, "it was given on another drawing");
    assert!(give(&stage).contains("is approved."));
    stage.agent("main", &["fail", "Draw", "--why", "the wood is wet"]).fine();
    stage.agent("main", &["start", "Draw"]).fine();
    assert_eq!(stage.agent("main", &["done", "Draw"]).code, 1, "what is drawn after that is another drawing");
    assert!(give(&stage).contains("is approved."));
    let code = stage.person(&["attest", "--revoke"], "\n").code_asked();
    assert_eq!(stage.person(&["attest", "--revoke"], &format!("{code}\n")).code, 0);
    stage.approves(&["attest"]);
    assert_eq!(stage.agent("main", &["done", "Draw"]).code, 1, "it was taken back with the plan");
}
