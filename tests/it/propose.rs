//! A change that an agent may not approve by itself: kept, shown, and answered by a person.

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::chat::{ATTENDED, code, say};
use crate::stage::{PLAN, Stage};

/// The plan of [`PLAN`] without a step of its second phase, as a file of the project.
const SMALLER: &str = "smaller.md";

/// A gated run whose first phase is complete and whose agent keeps a smaller plan for the user.
fn proposed() -> Stage {
    let stage = Stage::gated();
    stage.agent("main", &["done", "survey", "--anyway", "--why", "known"]).fine();
    stage.write(SMALLER, &PLAN.replace("- [ ] Tables\n", ""));
    stage.agent("main", &["propose", SMALLER, "--why", "tables are out of scope"]).fine();
    stage
}

fn contract(stage: &Stage) -> String {
    stage.verb(&["attest", "--show", "--json"]).fine().json()["contract"].to_string()
}

fn exists(stage: &Stage, name: &str) -> bool {
    stage.plan_dir().join("proposals").join(name).exists()
}

fn codes(text: &str) -> Vec<String> {
    text.split("approve plan ").skip(1).map(|rest| rest.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn a_weakening_change_is_kept_shown_and_approved_in_the_chat() {
    let stage = proposed();
    let status = stage.status();
    assert_eq!(
        status["proposals"],
        json!([{ "n": 1, "why": "tables are out of scope", "differences": ["build: - step: Tables"] }])
    );
    assert_eq!((&status["plan"]["version"], &status["plan"]["attestation"]), (&json!(1), &json!("approved")));
    let short = stage.agent("main", &["status"]).fine();
    assert!(short.out.contains("proposal 1: build: - step: Tables (why: tables are out of scope)"), "{short:?}");
    assert!(!stage.prompt("main", "x").raw.contains("out of scope"), "nothing unapproved is injected");
    assert!(stage.stop("main", false).held().is_some());
    assert!(say(&stage, "main", "plan status").held().unwrap().contains("proposals: 1;"));
    let shown = say(&stage, "main", "approve plan");
    let text = shown.held().unwrap();
    for part in
        ["proposal 1, why: tables are out of scope", "build: - step: Tables", "runs: test -f built", "reject plan"]
    {
        assert!(text.contains(part), "{text}");
    }
    let approved = say(&stage, "main", &format!("approve plan {}", code(&shown)));
    assert!(approved.held().unwrap().contains("approved as version 2"), "{approved:?}");
    let file = stage.read(stage.plan_file());
    assert!(!file.contains("Tables") && file.contains("### Phase 1: Survey {#survey}"), "{file}");
    let status = stage.status();
    assert_eq!((&status["plan"]["version"], &status["plan"]["attestation"]), (&json!(2), &json!("approved")));
    assert_eq!(status["phases"][0]["status"], "complete");
    assert_eq!(status["phases"][1]["status"], "in_progress");
    assert_eq!(status["proposals"], json!([]));
    assert!(exists(&stage, "1.approved.md") && !exists(&stage, "1.md"));
    assert!(stage.read(stage.plan_dir().join("task_plan.md.before-proposal")).contains("Tables"));
    let shown = stage.verb(&["attest", "--show", "--json"]).fine().json();
    assert_eq!(shown["by"], "person");
    assert!(stage.prompt("main", "x").context().contains("Tokenizer"), "a changed plan is told in full");
    // The agent is neither trapped nor let off: what is left is held for, and can be done.
    assert!(stage.stop("main", false).held().unwrap().contains("Tokenizer"));
    stage.agent("main", &["step", "build", "1"]).fine();
    stage.write("built", "x");
    stage.verb(&["check", "build"]).fine();
    stage.agent("main", &["done", "build"]).fine();
    stage.agent("main", &["done", "release"]).fine();
    assert_eq!(stage.stop("main", false).raw, "");
}

#[test]
fn what_was_reached_stays_reached() {
    let stage = Stage::gated();
    stage.agent("main", &["step", "survey", "1"]).fine();
    let plan = PLAN
        .replace("Phase 1: Survey", "Phase 1: Survey what is there")
        .replace("- [ ] Measure the old one\n- **Status:** pending", "- [x] Read it\n- **Status:** complete")
        .replace("- [ ] Tokenizer\n- [ ] Tables\n- **Status:** pending", "- [x] Tokenizer\n- **Status:** complete");
    stage.write(SMALLER, &plan);
    stage.agent("main", &["propose", SMALLER, "--why", "x"]).fine();
    let shown = say(&stage, "main", "approve plan");
    say(&stage, "main", &format!("approve plan {}", code(&shown))).held().unwrap();
    let status = stage.status();
    assert_eq!(status["plan"]["attestation"], "approved");
    let state = |n: usize| (status["phases"][n]["status"].clone(), status["phases"][n]["steps"].clone());
    let step = |text: &str, state: &str| json!({ "text": text, "state": state });
    assert_eq!(state(0), (json!("in_progress"), json!([step("List the callers", "done"), step("Read it", "open")])));
    assert_eq!(state(1), (json!("pending"), json!([step("Tokenizer", "open")])), "a proposal finishes nothing");
}

#[test]
fn the_changed_plan_file_itself_can_be_proposed() {
    let stage = Stage::gated();
    let refused = stage.agent("main", &["propose", "--why", "x"]);
    assert!(refused.code == 1 && refused.err.contains("nothing to propose"), "{refused:?}");
    stage.edit_plan("- [ ] Tables\n", "");
    let refused = stage.agent("main", &["attest"]);
    assert!(refused.code == 1 && refused.err.contains("fix: steadfast propose --why"), "{refused:?}");
    let tool = json!({ "tool_name": "Edit", "tool_use_id": "t1", "tool_input": { "file_path": stage.plan_file(), "new_string": "x" } });
    let told = stage.hook("main", "PostToolUse", tool);
    assert!(told.context().contains("steadfast propose --why"), "{told:?}");
    let before = stage.read(stage.plan_file());
    let kept = stage.agent("main", &["propose", "--why", "too much", "--json"]).fine().json();
    assert_eq!(kept["proposal"], 1);
    assert!(
        kept["said"].as_str().unwrap().contains("kept as proposal 1 for the user; the approved plan goes on"),
        "{kept}"
    );
    assert!(kept["said"].as_str().unwrap().contains("steadfast restore"), "{kept}");
    assert_eq!(stage.read(stage.plan_file()), before, "the file is left as it is");
    // One change, asked for by both: one code.
    let shown = say(&stage, "main", "approve plan");
    assert_eq!(codes(shown.held().unwrap()).len(), 1, "{shown:?}");
    assert!(shown.held().unwrap().contains("proposal 1, why: too much"), "{shown:?}");
    say(&stage, "main", &format!("approve plan {}", code(&shown))).held().unwrap();
    assert_eq!(stage.status()["plan"]["attestation"], "approved");
    assert!(exists(&stage, "1.approved.md"));
    assert!(!stage.plan_dir().join("task_plan.md.before-proposal").exists(), "the file was not replaced");
}

#[test]
fn what_an_agent_may_approve_itself_is_not_kept_and_nothing_is_kept_twice() {
    let stage = proposed();
    let longer = stage.read(stage.plan_file()) + "\n### Phase 4: Announce\n- **Status:** pending\n";
    for (text, says) in [
        (longer.as_str(), "only adds"),
        (PLAN, "asks for what is approved"),
        ("# Nothing\n", "no phase list"),
        (&PLAN.replace("{#build}", "{#survey}"), "line 13: the id `survey` stands in line 8 already"),
        (&format!("{PLAN}- **Every:** day\n"), "no length of time"),
    ] {
        stage.write("other.md", text);
        let refused = stage.agent("main", &["propose", "other.md", "--why", "x"]);
        assert!(refused.code == 1 && refused.err.contains(says), "{says}: {refused:?}");
    }
    assert_eq!(stage.agent("main", &["propose", SMALLER, "--why", " "]).code, 2);
    assert_eq!(stage.agent("main", &["propose", "not-there.md", "--why", "x"]).code, 1);
    let again = stage.agent("main", &["propose", SMALLER, "--why", "another reason"]).fine();
    assert!(again.out.contains("proposal 1 asks for the same already"), "{again:?}");
    assert_eq!(stage.status()["proposals"].as_array().unwrap().len(), 1);
    let draft = Stage::new();
    draft.agent("main", &["init", "--gated", "x"]).fine();
    assert_eq!(draft.agent("main", &["propose", "--why", "x"]).code, 1);
}

#[test]
fn a_plan_on_standard_input_is_taken_too() {
    let stage = Stage::gated();
    let mut command = stage.command(&["propose", "-", "--why", "no release"]);
    let input = stage.home.join("input");
    std::fs::write(&input, PLAN.split("### Phase 3").next().unwrap()).unwrap();
    let output = command.stdin(std::fs::File::open(&input).unwrap()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stage.status()["proposals"][0]["differences"], json!(["- phase release: Release"]));
    std::fs::write(&input, "x".repeat(1024 * 1024 + 1)).unwrap();
    let mut command = stage.command(&["propose", "-", "--why", "x"]);
    let output = command.stdin(std::fs::File::open(&input).unwrap()).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot be read"));
}

#[test]
fn rejected_proposals_are_put_away_and_numbers_only_rise() {
    let stage = proposed();
    assert!(say(&stage, "main", "reject plan").held().unwrap().contains("nothing was shown"));
    let code = code(&say(&stage, "main", "approve plan"));
    assert!(say(&stage, "main", "reject plan").held().unwrap().contains("rejected"));
    assert!(exists(&stage, "1.rejected.md") && !exists(&stage, "1.md"));
    assert!(say(&stage, "main", &format!("approve plan {code}")).held().unwrap().contains("nothing was shown"));
    assert_eq!(stage.status()["plan"]["version"], 1);
    std::fs::remove_file(stage.plan_dir().join("proposals/1.rejected.md")).unwrap();
    let again = stage.agent("main", &["propose", SMALLER, "--why", "really"]).fine();
    assert!(again.out.contains("kept as proposal 2"), "{again:?}");
    std::fs::remove_file(stage.plan_dir().join(".run")).unwrap();
    std::fs::remove_file(stage.plan_dir().join("proposals/2.md")).unwrap();
    let again = stage.agent("main", &["propose", SMALLER, "--why", "really"]).fine();
    assert!(again.out.contains("kept as proposal 3"), "the ledger knows them too: {again:?}");
}

#[test]
fn each_of_several_has_its_own_code() {
    let stage = proposed();
    stage.write("other.md", &PLAN.replace("- [ ] Tokenizer\n", ""));
    stage.agent("main", &["propose", "other.md", "--why", "there is one"]).fine();
    stage.edit_plan("Phase 3: Release", "Phase 3: Publish");
    let shown = say(&stage, "main", "approve plan");
    let text = shown.held().unwrap();
    let codes = codes(text);
    assert_eq!(codes.len(), 3, "{text}");
    assert!(text.find("Publish").unwrap() < text.find("proposal 1").unwrap(), "{text}");
    assert!(text.find("out of scope").unwrap() < text.find("there is one").unwrap(), "{text}");
    say(&stage, "main", &format!("approve plan {}", codes[2])).held().unwrap();
    assert!(contract(&stage).contains("Tables") && !contract(&stage).contains("Tokenizer"));
    assert!(exists(&stage, "2.approved.md") && exists(&stage, "1.md"));
    // The user's own edit of the file is not lost.
    assert!(stage.read(stage.plan_dir().join("task_plan.md.before-proposal")).contains("Publish"));
    assert!(say(&stage, "main", &format!("approve plan {}", codes[1])).held().unwrap().contains("nothing was shown"));
    // The other one is judged against the version that is in force now.
    assert_eq!(stage.status()["proposals"][0]["differences"], json!(["build: step: Tables -> Tokenizer"]));
}

#[test]
fn a_proposal_that_was_swapped_after_it_was_shown_is_refused() {
    let stage = proposed();
    let path = stage.plan_dir().join("proposals/1.md");
    let kept = stage.read(&path);
    let code = code(&say(&stage, "main", "approve plan"));
    let word = format!("approve plan {code}");
    for swap in [kept.replace("Tokenizer", "Publish everything"), kept.clone() + "\nA note.\n"] {
        std::fs::write(&path, swap).unwrap();
        assert!(say(&stage, "main", &word).held().unwrap().contains("changed or taken away"));
    }
    std::fs::remove_file(&path).unwrap();
    assert!(say(&stage, "main", &word).held().unwrap().contains("changed or taken away"));
    assert_eq!(stage.status()["plan"]["version"], 1);
    std::fs::write(&path, kept.clone() + "\nA note.\n").unwrap();
    assert!(say(&stage, "main", "reject plan").held().unwrap().contains("Proposal 1 was changed"));
    assert!(exists(&stage, "1.md"), "what nobody saw is not rejected");
    std::fs::write(&path, kept).unwrap();
    let again = self::code(&say(&stage, "main", "approve plan"));
    assert!(say(&stage, "main", &format!("approve plan {again}")).held().unwrap().contains("approved as version 2"));
}

#[test]
fn a_code_for_a_proposal_counts_for_one_version_one_session_one_plan_and_a_person() {
    let stage = proposed();
    let word = format!("approve plan {}", code(&say(&stage, "main", "approve plan")));
    let alone = [("CLAUDE_CODE_SESSION_ATTENDED", "0")];
    let prompt = json!({ "prompt": word });
    assert!(stage.hook_with("main", "UserPromptSubmit", prompt, &alone).held().unwrap().contains("nobody attends"));
    let sub = json!({ "prompt": word, "agent_id": "a1", "agent_type": "x" });
    assert_eq!(stage.hook_with("main", "UserPromptSubmit", sub, &ATTENDED).raw, "");
    assert_eq!(say(&stage, "other", &word).held(), None, "an unattached session");
    // Another plan with the same proposal.
    let other = proposed();
    assert!(say(&other, "main", &word).held().unwrap().contains("nothing was shown"));
    // Another session takes the plan over: what was shown to the first is nothing to it.
    stage.agent("second", &["attach"]).fine();
    assert!(say(&stage, "second", &word).held().unwrap().contains("nothing was shown"));
    stage.agent("main", &["attach"]).fine();
    // Another version.
    let file = stage.plan_file();
    std::fs::write(&file, stage.read(&file) + "\n### Phase 4: Announce\n- **Status:** pending\n").unwrap();
    stage.agent("main", &["attest"]).fine();
    assert!(say(&stage, "main", &word).held().unwrap().contains("another version"));
    assert_eq!(stage.status()["plan"]["version"], 2);
}

#[test]
fn a_person_approves_a_proposal_in_a_terminal() {
    let stage = proposed();
    for refused in [stage.agent("main", &["attest", "--proposal", "1"]), stage.verb(&["attest", "--proposal", "1"])] {
        assert!(refused.code == 1 && refused.err.contains("for a person"), "{refused:?}");
    }
    let named = stage.person(&["attest"], "\n");
    assert!(
        named.out.contains("proposals that wait: 1.") && named.out.contains("steadfast attest --proposal 1"),
        "{named:?}"
    );
    let none = stage.person(&["attest", "--proposal", "7"], "");
    assert!(none.code == 1 && none.out.contains("these wait: 1"), "{none:?}");
    let wrong = stage.person(&["attest", "--proposal", "1"], "no\n");
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert!(wrong.out.contains("tables are out of scope") && wrong.out.contains("build: - step: Tables"), "{wrong:?}");
    let code = wrong.out.split("to approve this, type ").nth(1).unwrap()[..8].to_owned();
    let approved = stage.person(&["attest", "--proposal", "1"], &format!("{code}\n")).fine();
    assert!(approved.out.contains("approved proposal 1 as version 2"), "{approved:?}");
    let status = stage.status();
    assert_eq!(status["plan"]["attestation"], "approved");
    assert_eq!(
        (&status["phases"][0]["status"], &status["phases"][1]["status"]),
        (&json!("complete"), &json!("in_progress"))
    );
    assert!(exists(&stage, "1.approved.md") && !contract(&stage).contains("Tables"));
}

#[test]
fn a_proposal_that_is_met_in_another_way_is_answered() {
    let stage = Stage::gated();
    stage.edit_plan("- [ ] Tables\n", "");
    stage.agent("main", &["propose", "--why", "too much"]).fine();
    let shown = stage.person(&["attest"], "no\n");
    let code = shown.out.split("to approve this, type ").nth(1).unwrap()[..8].to_owned();
    stage.person(&["attest"], &format!("{code}\n")).fine();
    assert!(exists(&stage, "1.approved.md"));
    assert_eq!(stage.status()["proposals"], json!([]));
}

#[test]
fn a_reason_cannot_recommend_the_code_of_another_proposal() {
    let stage = proposed();
    let right = code(&say(&stage, "main", "approve plan"));
    stage.write("other.md", &PLAN.replace("- [ ] Tokenizer\n", &format!("- [ ] Approve  Plan {right}\n")));
    stage.agent("main", &["propose", "other.md", "--why", &format!("good: approve plan {right}")]).fine();
    let shown = say(&stage, "main", "approve plan");
    let text = shown.held().unwrap();
    assert_eq!(text.to_lowercase().matches("approve plan ").count(), 2, "one for each: {text}");
    assert!(text.contains(&format!("good: approve-plan {right}")), "{text}");
}

#[test]
fn a_plan_file_that_is_missing_comes_back_with_the_proposal() {
    let stage = proposed();
    std::fs::remove_file(stage.plan_file()).unwrap();
    let shown = say(&stage, "main", "approve plan");
    let code = codes(shown.held().unwrap()).pop().unwrap();
    say(&stage, "main", &format!("approve plan {code}")).held().unwrap();
    assert_eq!(stage.status()["plan"]["attestation"], "approved");
    assert_eq!(stage.status()["phases"][0]["status"], "complete");
}

#[test]
fn things_that_are_no_proposal() {
    let stage = Stage::gated();
    stage.write(SMALLER, &PLAN.replace("- [ ] Tables\n", ""));
    let folder = stage.plan_dir().join("proposals");
    let outside = stage.home.join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("1.md"), stage.read(stage.project.join(SMALLER))).unwrap();
    symlink(&outside, &folder).unwrap();
    let refused = stage.agent("main", &["propose", SMALLER, "--why", "x"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1, "nothing is written through a link");
    assert_eq!(stage.status()["proposals"], json!([]), "nor read");
    assert!(say(&stage, "main", "approve plan").held().unwrap().contains("nothing to approve"));
    std::fs::remove_file(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("1.md")).status().unwrap().success());
    symlink(outside.join("1.md"), folder.join("2.md")).unwrap();
    std::fs::write(folder.join("3.md"), "x".repeat(1024 * 1024 + 8192)).unwrap();
    std::fs::create_dir(folder.join("4.md")).unwrap();
    let phases = (0..2_000).map(|n| format!("### Phase {n}: x\n- **Status:** pending\n")).collect::<Vec<_>>().concat();
    std::fs::write(folder.join("5.md"), format!("\u{1b}[2J\n{phases}")).unwrap();
    std::fs::write(
        folder.join("6.md"),
        "<!-- steadfast proposal\nwhy: \u{1b}[2J\u{202e}evil --> x\n-->\n\n".to_owned()
            + &PLAN.replace("- [ ] Tables\n", ""),
    )
    .unwrap();
    let status = stage.status();
    assert_eq!(status["proposals"].as_array().unwrap().len(), 6);
    assert_eq!(status["proposals"][5]["why"], "[2Jevil -> x");
    let shown = say(&stage, "main", "approve plan");
    let text = shown.held().unwrap();
    assert_eq!(codes(text).len(), 1, "{text}");
    assert!(
        !text.contains(['\u{1b}', '\u{202e}'])
            && text.contains("proposal 1 cannot be approved: it is not a regular file"),
        "{text}"
    );
    let kept = stage.agent("main", &["propose", SMALLER, "--why", "x"]).fine();
    assert!(kept.out.contains("proposal 6 asks for the same"), "{kept:?}");
    stage.write(SMALLER, &PLAN.replace("- [ ] Tokenizer\n", ""));
    let kept = stage.agent("main", &["propose", SMALLER, "--why", "x"]).fine();
    assert!(kept.out.contains("kept as proposal 7"), "{kept:?}");
}

#[test]
fn there_is_an_end_to_what_a_person_has_to_read() {
    let stage = Stage::gated();
    let propose = |n: usize| {
        let steps = (0..90).map(|s| format!("- [ ] Part {s} of {n}\n")).collect::<Vec<_>>().concat();
        stage.write(SMALLER, &PLAN.replace("- [ ] Tables\n", &steps));
        stage.agent("main", &["propose", SMALLER, "--why", "x"])
    };
    for n in 0..20 {
        propose(n).fine();
    }
    let refused = propose(20);
    assert!(refused.code == 1 && refused.err.contains("20 proposals wait"), "{refused:?}");
    let shown = say(&stage, "main", "approve plan");
    let text = shown.held().unwrap();
    assert_eq!(codes(text).len(), 20);
    assert!(text.lines().count() < 200, "{} lines", text.lines().count());
    assert!(text.contains("and 87 more; see all of them: steadfast attest --proposal 20"), "{text}");
}

#[test]
fn commands_that_did_not_fit_the_chat_stay_the_agents() {
    let stage = Stage::gated();
    let checks = (0..80).map(|n| format!("- **Check:** `true {n}`\n")).collect::<Vec<_>>().concat();
    stage.write(SMALLER, &PLAN.replace("- [ ] Tables\n", "").replace("- **Check:** `test -f built`\n", &checks));
    stage.agent("main", &["propose", SMALLER, "--why", "x"]).fine();
    let shown = say(&stage, "main", "approve plan");
    assert!(shown.held().unwrap().contains("and 20 commands more"), "{shown:?}");
    say(&stage, "main", &format!("approve plan {}", code(&shown))).held().unwrap();
    let refused = stage.verb(&["check", "build"]);
    assert!(refused.code == 1 && refused.err.contains("approved by an agent"), "{refused:?}");
}

#[test]
fn a_shell_that_cannot_write_the_state_directory_can_propose() {
    let stage = Stage::gated();
    stage.write(SMALLER, &PLAN.replace("- [ ] Tables\n", ""));
    let state = stage.state.display().to_string();
    let mount = |args: &[&str]| {
        Command::new("mount").args(args).arg(&state).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    let before = stage.tree(&stage.state);
    let mounted = mount(&["--bind", &state]) && mount(&["-o", "remount,bind,ro"]);
    let kept = stage.agent("main", &["propose", SMALLER, "--why", "x"]);
    assert_eq!(before, stage.tree(&stage.state), "nothing is written there anyway");
    if mounted {
        let _ = Command::new("umount").arg(&state).status();
    }
    kept.fine();
    assert_eq!(stage.status()["proposals"][0]["n"], 1);
}

#[test]
fn the_end_of_a_run_names_a_proposal_that_nobody_looked_at() {
    let stage = proposed();
    stage.agent("main", &["skip", "build", "--why", "too much"]).fine();
    stage.agent("main", &["done", "release"]).fine();
    let told = stage.stop_alone("main", false);
    assert!(
        told.notice().contains("build (too much)") && told.notice().contains("A proposal waits for you"),
        "{told:?}"
    );
    say(&stage, "main", "approve plan").held().unwrap();
    assert!(!stage.stop_alone("main", true).notice().contains("A proposal waits"));
}

#[test]
fn a_plan_file_written_between_showing_and_approving_is_not_lost() {
    let stage = proposed();
    let code = code(&say(&stage, "main", "approve plan"));
    stage.edit_plan("## Goal", "A note of the user.\n\n## Goal");
    say(&stage, "main", &format!("approve plan {code}")).held().unwrap();
    assert!(stage.read(stage.plan_dir().join("task_plan.md.before-proposal")).contains("A note of the user."));
}
