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
