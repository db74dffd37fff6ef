//! Proofs: what a phase has to show before it is complete.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::stage::{Answer, Ran, Stage};

/// A gated plan of one phase with these lines, its session attached.
fn stage(lines: &str) -> Stage {
    let stage = Stage::new();
    let plan = format!(
        "# Task Plan: Mend the mill\n\n## Goal\nThe mill runs.\n\n## Phases\n\n### Phase 1: Mend {{#mend}}\n- **Status:** pending\n{lines}\n\n### Phase 2: Tell {{#tell}}\n- **Status:** pending\n- **DependsOn:** mend\n"
    );
    stage.write("plan.md", &plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    fs::remove_file(stage.project.join("plan.md")).unwrap();
    stage
}

/// A check that counts its runs where no tree sees it, and ends as the file `exit` says.
fn counted(stage: &Stage) -> String {
    let count = stage.home.join("count");
    format!("- **Check:** `echo x >> {}; exit $(cat exit)`", count.display())
}

fn counting(exit: &str) -> Stage {
    // The path is known only once the stage is there.
    let stage = Stage::new();
    let line = counted(&stage);
    let plan = format!(
        "# Task Plan: Mend the mill\n\n## Goal\nThe mill runs.\n\n## Phases\n\n### Phase 1: Mend {{#mend}}\n- **Status:** pending\n{line}\n\n### Phase 2: Tell {{#tell}}\n- **Status:** pending\n- **DependsOn:** mend\n"
    );
    stage.write("plan.md", &plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    stage.write("exit", exit);
    stage
}

fn runs(stage: &Stage) -> usize {
    fs::read_to_string(stage.home.join("count")).map_or(0, |text| text.lines().count())
}

fn phase(stage: &Stage) -> Value {
    stage.status()["phases"][0].clone()
}

fn no(ran: &Ran, text: &str) {
    assert!(ran.code == 1 && ran.err.contains(text), "{text}: {ran:?}");
}

/// The agent's shell tool ran a command.
fn ran(stage: &Stage, command: &str, exit: i32, more: &Value) -> Answer {
    let mut fields = json!({ "tool_name": "Bash", "tool_use_id": format!("t{command}{exit}"), "tool_input": { "command": command } });
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    if exit == 0 {
        stage.hook("main", "PostToolUse", fields)
    } else {
        fields["error"] = json!(format!("Exit code {exit}"));
        stage.hook("main", "PostToolUseFailure", fields)
    }
}

#[test]
fn a_proof_that_still_stands_is_not_made_again() {
    let stage = counting("0");
    stage.agent("main", &["check", "mend"]).fine();
    assert_eq!((runs(&stage), &phase(&stage)["proof"]), (1, &json!("passed")));
    let record = stage.ledger().into_iter().find(|r| r["event"] == "proof").unwrap();
    let data = &record["data"];
    assert_eq!((&data["result"], &data["exit"]), (&json!("passed"), &json!(0)));
    assert_eq!(data["tree"].as_str().unwrap().len(), 8, "{data}");
    for key in ["command", "ms", "output", "exit"] {
        assert!(!data["runs"][0][key].is_null(), "{key}: {data}");
    }
    stage.agent("main", &["done", "mend"]).fine();
    assert_eq!(runs(&stage), 1, "nothing changed since");
    assert_eq!(phase(&stage)["status"], "complete");
}

#[test]
fn a_proof_of_another_tree_is_shown_as_stale_and_made_again_by_done() {
    let stage = counting("0");
    stage.agent("main", &["check", "mend"]).fine();
    stage.write("src/wheel.rs", "oak");
    assert_eq!(phase(&stage)["proof"], "stale", "although no hook saw the edit");
    assert_eq!(stage.status()["next"]["phase"], "mend");
    stage.agent("main", &["done", "mend"]).fine();
    assert_eq!((runs(&stage), &phase(&stage)["proof"]), (2, &json!("passed")));
    // What lies in the plan's own directory is no part of the tree.
    stage.write(".planning/notes", "x");
    assert_eq!(phase(&stage)["proof"], "passed");
    // A complete phase stays complete; the gate asks, not the status.
    stage.write("src/wheel.rs", "ash");
    let now = phase(&stage);
    assert_eq!((&now["proof"], &now["status"]), (&json!("stale"), &json!("complete")));
}

#[test]
fn a_failure_is_data_and_the_same_again_is_refused() {
    let stage = counting("3");
    no(&stage.agent("main", &["done", "mend"]), "exit code 3");
    let unchanged = stage.agent("main", &["done", "mend"]);
    no(&unchanged, "nothing changed since");
    assert!(unchanged.err.contains("steadfast check mend --again"), "{unchanged:?}");
    assert_eq!(runs(&stage), 1);
    let now = phase(&stage);
    assert_eq!((&now["exit"], &now["tries"], &now["proof"]), (&json!(3), &json!(1), &json!("failed")));
    let block = stage.prompt("main", "go on");
    assert!(block.context().contains("exit 3, try 1"), "{block:?}");
    for n in 2..=4 {
        no(&stage.agent("main", &["check", "mend", "--again"]), "exit code 3");
        assert_eq!(runs(&stage), n);
    }
    no(&stage.agent("main", &["check", "mend", "--again"]), "run again 3 times");
    assert_eq!(runs(&stage), 4);
    let next = stage.verb(&["next"]).fine();
    assert!(next.out.contains("failed 4 times with exit 3") && next.out.contains("change the approach"), "{next:?}");
    stage.write("exit", "0");
    stage.agent("main", &["done", "mend"]).fine();
    assert_eq!(runs(&stage), 5);
    assert_eq!(phase(&stage)["remark"], Value::Null);
}

#[test]
fn a_pass_on_the_very_tree_that_failed_is_flaky_and_no_progress() {
    let stage = Stage::new();
    let count = stage.home.join("count");
    let line = format!("- **Check:** `echo x >> {0}; test $(wc -l < {0}) -ge 3`", count.display());
    let plan = format!(
        "# Task Plan: M\n\n## Goal\nG.\n\n## Phases\n\n### Phase 1: Mend {{#mend}}\n- **Status:** pending\n{line}\n"
    );
    stage.write("plan.md", &plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let mark = |stage: &Stage| {
        let run = stage.read(stage.plan_dir().join(".run"));
        let value: Value = serde_json::from_str(run[17..].trim_end()).unwrap();
        value["mark"]["proofs"].clone()
    };
    no(&stage.agent("main", &["check", "mend"]), "exit code 1");
    no(&stage.agent("main", &["check", "mend", "--again"]), "exit code 1");
    stage.agent("main", &["check", "mend", "--again"]).fine();
    assert_eq!(phase(&stage)["remark"], "flaky 2/3");
    assert!(stage.verb(&["status"]).out.contains("flaky 2/3"));
    assert_eq!(mark(&stage), 0);
}

#[test]
fn a_check_that_never_failed_is_named_and_a_baseline_tells_it_early() {
    let stage = counting("0");
    stage.agent("main", &["check", "mend"]).fine();
    assert_eq!(phase(&stage)["remark"], "green, never red");
    let stage = counting("1");
    stage.agent("main", &["fail", "mend", "--why", "begun anew"]).fine();
    let begun = stage.agent("main", &["start", "mend", "--baseline"]).fine();
    assert!(begun.out.contains("fails, as it should"), "{begun:?}");
    stage.write("exit", "0");
    stage.agent("main", &["done", "mend"]).fine();
    assert_eq!(phase(&stage)["remark"], Value::Null);
    let stage = counting("0");
    stage.agent("main", &["fail", "mend", "--why", "begun anew"]).fine();
    let begun = stage.agent("main", &["start", "mend", "--baseline"]).fine();
    assert!(begun.out.contains("cannot tell"), "{begun:?}");
}

#[test]
fn what_the_sessions_own_shell_ran_is_a_proof() {
    let stage = stage("- **Check:** `make test`");
    let none = json!({});
    for (command, more, why) in [
        ("make test && true", json!({}), "another command"),
        ("make test", json!({ "agent_id": "a1", "agent_type": "x" }), "of a subagent"),
        ("make test", json!({ "cwd": stage.home }), "elsewhere"),
        ("make test", json!({ "tool_input": { "command": "make test", "run_in_background": true } }), "only begun"),
        ("make test", json!({ "tool_response": { "backgroundTaskId": "b1" } }), "put into the background"),
        ("make test", json!({ "tool_response": { "interrupted": true } }), "interrupted"),
    ] {
        ran(&stage, command, 0, &more);
        assert_eq!(phase(&stage)["proof"], "missing", "{why}");
    }
    stage.hook("other", "PostToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": "make test" } }));
    assert_eq!(phase(&stage)["proof"], "missing", "another session");
    ran(&stage, "make test", 2, &none);
    let now = phase(&stage);
    assert_eq!((&now["proof"], &now["exit"], &now["tries"]), (&json!("failed"), &json!(2), &json!(1)));
    ran(&stage, "  make test\n", 0, &none);
    let now = phase(&stage);
    assert_eq!((&now["proof"], &now["remark"]), (&json!("passed"), &Value::Null));
    let record = stage.ledger().into_iter().rfind(|r| r["event"] == "proof").unwrap();
    assert_eq!(record["data"]["by"], "observed");
    // There is no Makefile: `done` cannot have run it.
    stage.agent("main", &["done", "mend"]).fine();
    assert_eq!(phase(&stage)["status"], "complete");
    ran(&stage, "make test", 1, &json!({ "tool_use_id": "later" }));
    assert_eq!(phase(&stage)["status"], "in_progress", "a check that fails opens its phase again");
}

#[test]
fn an_edit_after_what_was_seen_asks_for_another_run() {
    let stage = stage("- **Check:** `make test`");
    ran(&stage, "make test", 0, &json!({}));
    stage.edit("main", "src/wheel.rs", "oak");
    let refused = stage.agent("main", &["done", "mend"]);
    assert_eq!(refused.code, 1, "it was run, and there is no Makefile: {refused:?}");
}

#[test]
fn what_a_shell_did_after_what_was_seen_asks_for_another_run() {
    for (command, agent, right) in [
        ("git checkout .", None, 1),
        ("sed -i s/a/b/ x", Some("a1"), 1),
        ("steadfast status", None, 0),
        ("make test", None, 0),
    ] {
        let stage = stage("- **Check:** `make test`");
        ran(&stage, "make test", 0, &json!({}));
        let mut more = json!({ "tool_use_id": "later" });
        if let Some(agent) = agent {
            more["agent_id"] = json!(agent);
        }
        ran(&stage, command, 0, &more);
        assert_eq!(phase(&stage)["proof"], if right == 0 { "passed" } else { "stale" }, "{command}");
        // There is no Makefile: what is run anew fails.
        assert_eq!(stage.agent("main", &["done", "mend"]).code, right, "{command}");
        // By the file's word alone it is not complete either.
        let stage = self::stage("- **Check:** `make test`");
        ran(&stage, "make test", 0, &json!({}));
        ran(&stage, command, 0, &more);
        stage.edit_plan("- **Status:** in_progress", "- **Status:** complete");
        assert_eq!(phase(&stage)["claimed"], right == 1, "{command}");
    }
}

#[test]
fn an_edit_while_the_sessions_own_shell_ran_a_check_makes_it_say_nothing() {
    for (took, right) in [(0, "missing"), (60_000, "missing")] {
        let stage = stage("- **Check:** `make test`");
        stage.edit("main", "src/wheel.rs", "oak");
        ran(&stage, "make test", 0, &json!({ "duration_ms": took }));
        assert_eq!(phase(&stage)["proof"], right, "{took}");
    }
    let stage = stage("- **Check:** `make test`");
    ran(&stage, "make test", 0, &json!({ "duration_ms": 60_000 }));
    assert_eq!(phase(&stage)["proof"], "passed", "nothing was edited");
}

#[test]
fn what_changes_while_done_runs_its_check_has_it_run_once_more() {
    let stage = stage("- **Check:** `test $(cat good) = yes && echo no > good`");
    stage.write("good", "yes");
    no(&stage.agent("main", &["done", "mend"]), "did not pass");
    assert_eq!(phase(&stage)["status"], "in_progress");
}

#[test]
fn what_is_said_of_a_phase_while_its_check_runs_counts() {
    let stage = stage("- **Check:** `touch begun; sleep 2`");
    let mut done = stage.command(&["done", "mend"]);
    done.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "main").env("CLAUDE_PID", std::process::id().to_string());
    let child = done.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    while !stage.project.join("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(stage.person(&["fail", "mend", "--why", "wrong branch"], "").code, 0);
    let ended: Ran = child.wait_with_output().unwrap().into();
    no(&ended, "was recorded as failed meanwhile");
    assert_eq!(phase(&stage)["status"], "failed");
}

#[test]
fn an_edit_outside_the_project_makes_no_proof_old() {
    let stage = stage("- **Check:** `true`");
    stage.agent("main", &["done", "mend"]).fine();
    stage.agent("main", &["done", "tell"]).fine();
    let scratch = stage.home.join("scratch");
    fs::write(&scratch, "x").unwrap();
    let input = json!({ "tool_name": "Write", "tool_input": { "file_path": scratch, "content": "x" } });
    stage.hook("main", "PostToolUse", input);
    assert_eq!(stage.stop("main", false).held(), None);
}

#[test]
fn a_time_that_was_set_back_hides_no_change() {
    let stage = stage("- **Check:** `grep -q good word`");
    stage.write("word", "good");
    std::thread::sleep(std::time::Duration::from_millis(2100));
    stage.agent("main", &["check", "mend"]).fine();
    let before = fs::metadata(stage.project.join("word")).unwrap().modified().unwrap();
    stage.write("other", "evil");
    fs::File::options().write(true).open(stage.project.join("other")).unwrap().set_modified(before).unwrap();
    fs::rename(stage.project.join("other"), stage.project.join("word")).unwrap();
    no(&stage.agent("main", &["done", "mend"]), "did not pass");
}

#[test]
fn of_several_checks_each_is_run_or_seen_once() {
    let stage = stage("- **Check:** `make one`\n- **Check:** `test -f two`");
    ran(&stage, "make one", 0, &json!({}));
    assert_eq!(phase(&stage)["proof"], "missing");
    no(&stage.agent("main", &["done", "mend"]), "test -f two");
    stage.write("two", "x");
    ran(&stage, "make one", 0, &json!({ "tool_use_id": "again" }));
    stage.agent("main", &["done", "mend"]).fine();
}

#[test]
fn a_check_that_was_killed_with_its_verb_is_interrupted() {
    let stage = stage("- **Check:** `touch begun; sleep 20`");
    for (signal, code) in [("KILL", None), ("TERM", Some(1))] {
        let _ = fs::remove_file(stage.project.join("begun"));
        let mut command = stage.command(&["check", "mend"]);
        command
            .env("CLAUDE_CODE_SESSION_ID", "main")
            .env("CLAUDECODE", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        while !stage.project.join("begun").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let killed = std::process::Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status();
        assert!(killed.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), code, "{signal}");
        if code.is_some() {
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains("interrupted") && said.contains("in the background"), "{said}");
        }
        assert_eq!(phase(&stage)["proof"], "interrupted", "{signal}");
        assert_ne!(stage.agent("main", &["status"]).fine().out, "");
    }
    assert!(stage.stop_alone("main", false).held().is_some());
}

#[test]
fn a_receipt_is_recorded_once() {
    let stage = stage("- **Receipt:** deploy");
    no(&stage.agent("main", &["done", "mend"]), "steadfast receipt deploy --ref URL");
    no(&stage.agent("main", &["receipt", "other", "--ref", "x"]), "it asks for deploy");
    let url = "https://ci.example.org/runs/7";
    stage.agent("main", &["receipt", "deploy", "--ref", url]).fine();
    let again = stage.agent("main", &["receipt", "deploy", "--ref", "https://ci.example.org/runs/8"]).fine();
    assert!(again.out.contains("already") && again.out.contains(url), "{again:?}");
    assert_eq!(stage.count("receipt"), 1);
    stage.agent("main", &["done", "mend"]).fine();
    // Lost with the run state, it is found again in the ledger.
    fs::remove_file(stage.plan_dir().join(".run")).unwrap();
    stage.agent("main", &["attach"]).fine();
    assert!(stage.agent("main", &["receipt", "deploy", "--ref", url]).fine().out.contains("already"));
}

#[test]
fn an_approval_is_a_persons() {
    let stage = stage("- **Approval:** human");
    no(&stage.agent("main", &["done", "mend"]), "steadfast approve mend");
    // Nobody is held for what only a person can give, and nothing failed.
    let waits = phase(&stage);
    assert_eq!((&waits["status"], &waits["tries"]), (&json!("waiting"), &json!(0)), "{waits}");
    assert!(stage.read(stage.plan_file()).contains("- **Status:** waiting"));
    assert_eq!(stage.stop("main", false).held(), None);
    no(&stage.agent("main", &["approve", "mend"]), "for the person");
    no(&stage.verb(&["approve", "mend"]), "for the person");
    let none = stage.person(&["approve", "tell"], "yes\n");
    assert!(none.code == 1 && none.out.contains("asks for no approval"), "{none:?}");
    assert_eq!(stage.person(&["approve", "mend"], "no\n").code, 1);
    no(&stage.agent("main", &["done", "mend"]), "steadfast approve mend");
    let given = stage.person(&["approve", "mend"], "yes\n");
    assert_eq!(given.code, 0, "{given:?}");
    assert_eq!(phase(&stage)["status"], "pending");
    assert!(stage.stop("main", false).held().unwrap().contains("steadfast done mend"));
    stage.agent("main", &["done", "mend"]).fine();
    let other = Stage::new();
    other.write("plan.md", "## Goal\nG.\n\n## Phases\n\n### Phase 1: A {#a}\n- **Approval:** the cat\n");
    no(&other.agent("main", &["init", "--gated", "--from", "plan.md"]), "**Approval:** human");
}

#[test]
fn a_phase_that_lacks_a_word_alone_keeps_no_other_from_beginning() {
    let stage = stage("- **Check:** `test -f out`\n- **Approval:** human");
    stage.edit_plan("- **DependsOn:** mend\n", "");
    assert_eq!(stage.person(&["attest"], "").code, 1);
    stage.approves(&["attest"]);
    no(&stage.agent("main", &["check", "mend"]), "did not pass");
    assert_eq!(phase(&stage)["status"], "in_progress", "something else is missing, too");
    stage.write("out", "x");
    no(&stage.agent("main", &["check", "mend"]), "waits for the user's word");
    let status = stage.status();
    assert_eq!(
        (&status["phases"][0]["status"], &status["phases"][1]["status"]),
        (&json!("waiting"), &json!("in_progress"))
    );
    assert_eq!(stage.person(&["approve", "mend"], "yes\n").code, 0);
    stage.agent("main", &["done", "tell"]).fine();
    stage.agent("main", &["done", "mend"]).fine();
    assert_eq!(stage.status()["gate"]["verdict"], "done");
}

#[test]
fn files_that_change_while_a_check_runs_are_named() {
    let stage = stage("- **Check:** `echo x > made`");
    stage.agent("main", &["check", "mend"]).fine();
    let remark = |stage: &Stage| phase(stage)["remark"].clone();
    assert_eq!(remark(&stage), "files changed while it ran");
    stage.agent("main", &["check", "mend"]).fine();
    assert_eq!(remark(&stage), "green, never red");
    // Such a proof is not taken over by `done`: it is made again.
    stage.write("made", "y");
    stage.agent("main", &["check", "mend"]).fine();
    let runs = || stage.ledger().iter().filter(|r| r["event"] == "proof").count();
    let before = runs();
    stage.agent("main", &["done", "mend"]).fine();
    assert_eq!(runs(), before + 1);
}

#[test]
fn only_a_person_opens_a_finished_phase_again() {
    let stage = stage("- **Check:** `true`");
    stage.agent("main", &["done", "mend"]).fine();
    no(&stage.agent("main", &["reopen", "mend", "--why", "x"]), "for the person");
    for verb in [["start", "mend"], ["fail", "mend"], ["skip", "mend"]] {
        let mut args = verb.to_vec();
        if verb[0] != "start" {
            args.extend(["--why", "x"]);
        }
        assert_eq!(stage.agent("main", &args).code, 1, "{verb:?}");
        assert_eq!(phase(&stage)["status"], "complete", "{verb:?}");
    }
    let opened = stage.person(&["reopen", "mend", "--why", "it creaks"], "");
    assert_eq!(opened.code, 0, "{opened:?}");
    assert_ne!(phase(&stage)["status"], "complete");
    assert!(stage.read(stage.plan_file()).contains("**Status:** pending"));
    assert_eq!(phase(&stage)["proof"], "missing");
}

#[test]
fn an_artifact_is_looked_at_although_its_check_was_seen() {
    let stage = stage("- **Check:** `true`\n- **Artifact:** out/report");
    no(&stage.agent("main", &["done", "mend"]), "is not there");
    stage.write("out/report", "text");
    stage.agent("main", &["check", "mend"]).fine();
    let record = stage.ledger().into_iter().rfind(|r| r["event"] == "proof").unwrap();
    assert_eq!(record["data"]["artifacts"]["out/report"].as_str().unwrap().len(), 16, "{record}");
    fs::remove_file(stage.project.join("out/report")).unwrap();
    no(&stage.agent("main", &["done", "mend"]), "is not there");
}

#[test]
fn git_says_which_files_count() {
    let git = |stage: &Stage, args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(args).current_dir(&stage.project).env("GIT_CONFIG_GLOBAL", "/dev/null").stdout(Stdio::null());
        assert!(command.stderr(Stdio::null()).status().unwrap().success(), "{args:?}");
    };
    let stage = counting("0");
    fs::remove_dir_all(stage.project.join(".git")).unwrap();
    git(&stage, &["init", "-q"]);
    stage.write(".gitignore", "target/\n");
    // A repository may name a program here that git would start.
    let pwned = stage.home.join("pwned");
    git(&stage, &["config", "core.fsmonitor", &format!("touch {}; true", pwned.display())]);
    stage.agent("main", &["check", "mend"]).fine();
    stage.write("target/out", "x");
    assert_eq!(phase(&stage)["proof"], "passed", "git ignores it");
    stage.write("new", "x");
    assert_eq!(phase(&stage)["proof"], "stale", "git does not know it yet, and does not ignore it");
    assert!(!pwned.exists());
}

#[test]
fn at_a_terminal_output_runs_through_above_a_line_that_says_how_long() {
    let check = "- **Check:** `printf 'one\\n\\033[31mtw'; sleep 1.2; printf 'o\\nthree'`";
    let stage = stage(check);
    stage.approves(&["attest"]);
    let seen = stage.person(&["check", "mend"], "").fine().out.replace('\r', "");
    assert!(seen.contains("running 0 s  printf"), "{seen:?}");
    let mut at = 0;
    for part in ["one\n", "running 1 s", "[31mtwo\n", "three\n", "checks passed: mend"] {
        at += seen[at..].find(part).unwrap_or_else(|| panic!("{part:?} in {seen:?}")) + part.len();
    }
    assert!(seen.contains("\u{1b}[Kthree\n"), "the line goes before the last words: {seen:?}");
    let dumb = stage.with("TERM", "dumb").person(&["check", "mend"], "").fine().out;
    assert!(dumb.contains("running printf") && !dumb.contains('\u{1b}') && !dumb.contains(" s  "), "{dumb:?}");
}

#[test]
fn a_check_that_asks_for_itself_comes_to_an_end() {
    let bin = env!("CARGO_BIN_EXE_steadfast");
    let stage = stage(&format!("- **Check:** `'{bin}' done mend`"));
    let ran = stage.agent("main", &["done", "mend"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("does not run its checks"), "{ran:?}");
    assert_eq!(phase(&stage)["status"], "in_progress");
}

#[test]
fn a_tool_that_is_no_shell_of_the_host_proves_nothing() {
    let stage = stage("- **Check:** `test -f built`");
    for tool in ["mcp__remote__exec", "WebFetch", "Monitor"] {
        let fields = json!({ "tool_name": tool, "tool_input": { "command": "test -f built" }, "tool_response": {} });
        stage.hook("main", "PostToolUse", fields);
        assert_eq!(phase(&stage)["proof"], "missing", "{tool}");
    }
}
