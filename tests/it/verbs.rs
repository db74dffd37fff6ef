//! The verbs, as people and agents type them.

use std::fmt::Write;

use serde_json::json;

use crate::stage::{PLAN, Stage};

#[test]
fn init_makes_what_it_says_and_never_overwrites() {
    let stage = Stage::new();
    let first = stage.verb(&["init", "--gated", "Replace the parser!"]).fine();
    assert!(first.out.contains("steadfast attest"), "{first:?}");
    let dir = stage.project.join(".planning/2026-03-01-replace-the-parser");
    for name in ["task_plan.md", "findings.md", "progress.md", ".mode", ".run", ".stop_blocks", "ledger-user.jsonl"] {
        assert!(dir.join(name).is_file(), "{name}");
    }
    assert_eq!(stage.read(stage.project.join(".planning/.active_plan")), "2026-03-01-replace-the-parser\n");
    assert!(stage.read(stage.project.join(".planning/.gitignore")).contains(".run"));
    std::fs::write(dir.join("task_plan.md"), "mine").unwrap();
    std::fs::write(stage.project.join(".planning/.gitignore"), "mine").unwrap();
    stage.verb(&["init", "--gated", "Replace the parser!"]).fine();
    assert_eq!(stage.read(dir.join("task_plan.md")), "mine");
    assert_eq!(stage.read(stage.project.join(".planning/.gitignore")), "mine");
    assert!(stage.project.join(".planning/2026-03-01-replace-the-parser-2/task_plan.md").is_file());
}

#[test]
fn init_from_a_plan_that_cannot_be_approved_makes_nothing_and_names_every_problem() {
    let stage = Stage::new();
    stage.write("bad.md", "# Task Plan: x\n\n## Phases\n\n### Phase 1: A {#a}\n- **Status:** pending\n- **DependsOn:** b\n\n### Phase 2: B {#a}\n- **Status:** pending\n");
    let refused = stage.verb(&["init", "--gated", "--from", "bad.md"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.starts_with("error: "), "{refused:?}");
    for part in ["why:", "fix:", "goal"] {
        assert!(refused.err.contains(part), "{part}: {refused:?}");
    }
    assert!(!stage.project.join(".planning").exists());
    assert_eq!(stage.verb(&["init", "--from", "missing.md"]).code, 1);
}

#[test]
fn what_may_be_meant_otherwise_is_named_when_it_is_approved() {
    let stage = Stage::new();
    let plan = "## Goal\nG.\n\n## Phases\n\n### Phase 1: A {#a}\n- [ ] x\n- **Status:** don\n";
    stage.write("plan.md", plan);
    let made = stage.verb(&["init", "--from", "plan.md"]).fine();
    assert!(made.err.contains("note: line 8: `don` is no status"), "{made:?}");
    stage.write("plan.md", &plan.replace("- **Status:** don\n", "- **Chekc:** `true`\n"));
    let refused = stage.verb(&["init", "--from", "plan.md"]);
    assert!(refused.code == 1 && refused.err.contains("line 8: `Chekc` is not a key; `Check` is"), "{refused:?}");
}

#[test]
fn a_subdirectory_uses_the_plan_of_its_repository() {
    let stage = Stage::new();
    std::fs::create_dir_all(stage.project.join("src/deep")).unwrap();
    let ran = stage.command(&["init", "x"]).current_dir(stage.project.join("src/deep")).output().unwrap();
    assert!(ran.status.success());
    assert!(stage.project.join(".planning").is_dir());
    let ran = stage.command(&["status"]).current_dir(stage.project.join("src/deep")).output().unwrap();
    assert!(ran.status.success());
}

#[test]
fn a_whole_run_by_verbs() {
    let stage = Stage::gated();
    let next = stage.agent("main", &["next", "--json"]).fine().json();
    assert_eq!(
        (next["kind"].as_str(), next["phase"].as_str(), next["step"].as_str()),
        (Some("work"), Some("survey"), Some("List the callers"))
    );
    assert_eq!(stage.agent("main", &["done"]).code, 1, "open steps");
    stage.agent("main", &["step"]).fine();
    stage.agent("main", &["step", "measure"]).fine();
    let done = stage.agent("main", &["done"]).fine();
    assert!(done.out.contains("next:"), "{done:?}");
    let failed = stage.agent("main", &["done", "build"]);
    assert_eq!(failed.code, 1);
    assert!(failed.err.contains("test -f built") && failed.err.contains("exit code 1"), "{failed:?}");
    let status = stage.status();
    assert_eq!(status["phases"][1]["proof"], "failed");
    assert_eq!(status["phases"][1]["exit"], 1);
    stage.write("built", "x");
    stage.agent("main", &["done", "2"]).fine();
    stage.agent("main", &["done", "release"]).fine();
    let status = stage.status();
    assert_eq!(status["counts"]["complete"], 3);
    assert_eq!(status["next"]["kind"], "done");
    assert_eq!(status["gate"]["verdict"], "done");
    let events: Vec<String> = stage.ledger().iter().map(|r| r["event"].as_str().unwrap().to_owned()).collect();
    for event in ["init", "attest", "attach", "phase_start", "step", "proof", "phase_complete"] {
        assert!(events.iter().any(|e| e == event), "{event}: {events:?}");
    }
    let ticks: Vec<u64> = stage.ledger().iter().map(|r| r["tick"].as_u64().unwrap()).collect();
    assert!(ticks.windows(2).all(|w| w[0] < w[1]), "{ticks:?}");
}

#[test]
fn a_verb_changes_only_the_bytes_it_must() {
    let stage = Stage::gated();
    let file = stage.plan_file();
    let before = stage.read(&file).replace('\n', "\r\n");
    std::fs::write(&file, &before).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    stage.agent("main", &["step", "1"]).fine();
    assert_eq!(stage.read(&file), before.replacen("- [ ] List", "- [x] List", 1));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn order_is_kept_and_errors_say_what_why_and_fix() {
    let stage = Stage::gated();
    for (args, part) in [
        (&["start", "build"][..], "depends on `survey`"),
        (&["start", "nothing"], "survey, build, release"),
        (&["step", "9"], "2 approved steps"),
        (&["fail", "survey", "--why", " "], "a reason is needed"),
        (&["log", "gate_allow", "x"], "progress, note, error, decision"),
        (&["use", "nothing"], "no such directory"),
        (&["run", "vim"], "claude"),
    ] {
        let refused = stage.agent("main", args);
        assert!(matches!(refused.code, 1 | 2), "{args:?}: {refused:?}");
        assert!(refused.err.contains(part), "{args:?}: {refused:?}");
        assert!(refused.err.contains("fix: "), "{args:?}: {refused:?}");
    }
    let json = stage.agent("main", &["start", "build", "--json"]);
    let value = json.json();
    assert!(
        value["error"].is_string() && value["why"].is_string() && value["fix"].is_string() && value["code"] == 1,
        "{json:?}"
    );
}

#[test]
fn every_fix_that_is_a_command_works_when_pasted() {
    let stage = Stage::gated();
    for args in [
        &["start", "build"][..],
        &["start", "nothing"],
        &["step", "9"],
        &["use", "nothing"],
        &["run", "vim"],
        &["log", "bad", "x"],
    ] {
        let refused = stage.agent("main", args);
        let fix = refused.err.lines().find_map(|l| l.trim().strip_prefix("fix: ")).unwrap().to_owned();
        let words = fix.strip_prefix("steadfast ").unwrap_or_else(|| panic!("{fix}"));
        let mut shell = std::process::Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("{} {words}", env!("CARGO_BIN_EXE_steadfast")))
            .current_dir(&stage.project)
            .env_clear();
        shell.envs(stage.env.iter().map(|(k, v)| (k, v))).env("CLAUDE_CODE_SESSION_ID", "main");
        let ran = shell.output().unwrap();
        assert!(ran.status.success(), "{args:?}: {fix}: {ran:?}");
    }
}

#[test]
fn fail_and_start_again() {
    let stage = Stage::gated();
    stage.agent("main", &["fail", "survey", "--why", "no access"]).fine();
    let status = stage.status();
    assert_eq!(status["phases"][0]["status"], "failed");
    assert_eq!(status["phases"][0]["why"], "no access");
    stage.agent("main", &["start", "survey"]).fine();
    assert_eq!(stage.count("phase_retry"), 1);
    assert_eq!(stage.status()["phases"][0]["status"], "in_progress");
}

#[test]
fn dropping_a_step_needs_a_reason_and_finishes_the_phase() {
    let stage = Stage::gated();
    assert_eq!(stage.agent("main", &["step", "2", "--drop"]).code, 2);
    stage.agent("main", &["step", "2", "--drop", "--why", "there is none"]).fine();
    stage.agent("main", &["step", "1"]).fine();
    assert!(stage.read(stage.plan_file()).contains("- [-] Measure the old one"));
    stage.agent("main", &["done"]).fine();
}

#[test]
fn the_output_of_a_check_is_kept_for_the_person_alone() {
    let stage = Stage::new();
    stage.write("plan.md", &PLAN.replace("test -f built", "seq 1 400; printf '\\033[31mred\\n'; exit 3"));
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let failed = stage.agent("main", &["check", "build"]);
    assert_eq!(failed.code, 1);
    assert!(failed.err.contains("exit code 3"));
    assert!(failed.err.lines().count() < 22, "{}", failed.err);
    let log = stage.plan_dir().join("proofs/build.log");
    let text = stage.read(&log);
    assert!(text.lines().count() <= 201 && text.contains("red") && !text.contains('\u{1b}'));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&log).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let record = stage.ledger().into_iter().find(|r| r["event"] == "proof").unwrap();
    assert_eq!(record["data"]["exit"], 3);
    assert!(!record.to_string().contains("red"));
}

#[test]
fn a_check_that_takes_too_long_is_ended_with_all_it_started() {
    let stage = Stage::new();
    stage.write("plan.md", &PLAN.replace("test -f built", "sleep 300 & echo $! > pid; wait"));
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let failed = stage.agent("main", &["check", "build", "--timeout", "1"]);
    assert_eq!(failed.code, 1);
    assert!(failed.err.contains("took too long"), "{failed:?}");
    assert_eq!(stage.status()["phases"][1]["exit"], 124);
    let pid = stage.read(stage.project.join("pid"));
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[test]
fn a_check_that_fails_later_opens_its_phase_again() {
    let stage = Stage::gated();
    stage.agent("main", &["done", "survey", "--anyway", "--why", "known"]).fine();
    stage.write("built", "x");
    stage.agent("main", &["done", "build"]).fine();
    std::fs::remove_file(stage.project.join("built")).unwrap();
    assert_eq!(stage.agent("main", &["check", "--all"]).code, 1);
    assert_eq!(stage.status()["phases"][1]["status"], "in_progress");
}

#[test]
fn an_artifact_has_to_be_there_and_not_empty() {
    let stage = Stage::new();
    stage.write("plan.md", &PLAN.replace("- **Check:** `test -f built`", "- **Artifact:** out/report.md"));
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    stage.agent("main", &["done", "survey", "--anyway", "--why", "known"]).fine();
    assert!(stage.agent("main", &["done", "build"]).err.contains("is not there"));
    stage.write("out/report.md", "");
    assert!(stage.agent("main", &["done", "build"]).err.contains("is empty"));
    stage.write("out/report.md", "figures");
    stage.agent("main", &["done", "build"]).fine();
}

#[test]
fn what_this_version_does_not_act_on_is_refused_and_not_forgotten() {
    let stage = Stage::new();
    stage.write("plan.md", &PLAN.replace("- **Check:** `test -f built`", "- **Approval:** the board"));
    let refused = stage.agent("main", &["init", "--gated", "--from", "plan.md"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("`build` asks for the approval of `the board`"), "{refused:?}");
}

#[test]
fn thirty_lines_in_the_ledger_are_thirty_lines() {
    let stage = Stage::gated();
    for n in 0..30 {
        stage.agent("main", &["log", "progress", &format!("line {n}"), "--files", "a.rs,b.rs"]).fine();
    }
    assert_eq!(stage.count("progress"), 30);
    let last = stage.ledger().pop().unwrap();
    assert_eq!(last["files"], json!(["a.rs", "b.rs"]));
}

#[test]
fn a_torn_ledger_line_is_closed_and_the_next_one_whole() {
    let stage = Stage::gated();
    let path = stage.plan_dir().join("ledger-claude-code.jsonl");
    let good = stage.read(&path);
    std::fs::write(&path, good.clone() + "{\"tick\":99,\"torn").unwrap();
    stage.agent("main", &["log", "note", "after"]).fine();
    let text = stage.read(&path);
    assert!(text.starts_with(&good));
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["summary"], "after");
    assert_eq!(stage.status()["ledger"]["bad_lines"], 1);
}

#[test]
fn a_lost_run_state_is_rebuilt_by_a_verb() {
    let stage = Stage::gated();
    stage.agent("main", &["done", "survey", "--anyway", "--why", "known"]).fine();
    let before = stage.status();
    for damage in [None, Some("garbage")] {
        let run = stage.plan_dir().join(".run");
        match damage {
            None => std::fs::remove_file(&run).unwrap(),
            Some(text) => std::fs::write(&run, text).unwrap(),
        }
        stage.agent("main", &["attach"]).fine();
        let after = stage.status();
        assert_eq!(before["phases"], after["phases"]);
        assert!(after["ledger"]["tick"].as_u64() >= before["ledger"]["tick"].as_u64());
        assert_eq!(after["session"]["attached"], "main");
    }
}

#[test]
fn plans_lists_and_json_is_json() {
    let stage = Stage::gated();
    stage.verb(&["init", "Second"]).fine();
    let plans = stage.verb(&["plans", "--json"]).fine().json();
    assert_eq!(plans["plans"].as_array().unwrap().len(), 2);
    for args in [&["hosts", "--json"][..], &["next", "--json"], &["doctor", "--json"], &["status", "--json"]] {
        stage.verb(args).json();
    }
}

#[test]
fn usage_errors_are_two_and_help_is_zero() {
    let stage = Stage::new();
    for args in [&["nonsense"][..], &["start", "--bad"], &["log"], &["init", "--gated", "--autonomous", "x"]] {
        let ran = stage.verb(args);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.starts_with("error: "), "{args:?}: {ran:?}");
    }
    let none = stage.verb(&[]);
    assert_eq!(none.code, 2);
    assert!(none.err.contains("steadfast --help"), "{none:?}");
}

#[test]
fn try_plays_the_main_job() {
    let stage = Stage::new();
    let temp = stage.home.join("tmp");
    std::fs::create_dir(&temp).unwrap();
    let stage = stage.with("TMPDIR", temp.to_str().unwrap());
    let ran = stage.verb(&["try"]).fine();
    assert!(
        ran.out.contains("held") && ran.out.contains("let go") && !ran.out.contains("NOT as expected"),
        "{}",
        ran.out
    );
}

#[test]
fn a_plan_of_many_checked_phases_runs_to_its_end() {
    let stage = Stage::new();
    let mut plan = String::from("# Task Plan: Many\n\n## Goal\nMany parts.\n\n## Phases\n");
    for n in 1..=60 {
        let _ = write!(
            plan,
            "\n### Phase {n}: Part with a long name {n} {{#part-with-a-long-name-{n}}}\n- **Status:** pending\n- **Check:** `true`\n"
        );
    }
    stage.write("plan.md", &plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    for _ in 0..60 {
        stage.agent("main", &["done"]).fine();
    }
    assert_eq!(stage.status()["counts"]["complete"], 60);
    assert_eq!(stage.stop("main", false).raw, "");
    let records = stage.ledger().len();
    stage.prompt("main", "x");
    assert_eq!(stage.ledger().len(), records + 1, "no status is taken over twice");
}

#[test]
fn a_fix_for_an_odd_path_is_safe_to_paste() {
    let mut stage = Stage::new();
    stage.project = stage.project.join("my $(touch PWN) proj");
    std::fs::create_dir_all(stage.project.join(".git")).unwrap();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    stage.write("plan.md", PLAN);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let blocks = stage.plan_dir().join(".stop_blocks");
    std::fs::remove_file(&blocks).unwrap();
    std::fs::create_dir(&blocks).unwrap();
    let doctor = stage.verb(&["doctor"]);
    let fix = doctor.out.lines().find_map(|l| l.trim().strip_prefix("fix: rm")).unwrap().to_owned();
    assert!(
        std::process::Command::new("sh")
            .args(["-c", &format!("rm{fix}")])
            .current_dir(&stage.project)
            .status()
            .unwrap()
            .success()
    );
    assert!(!blocks.exists() && !stage.project.join("PWN").exists() && stage.plan_file().is_file());
}

#[test]
fn a_check_whose_child_never_stops_writing_ends() {
    let stage = Stage::new();
    stage.write(
        "plan.md",
        &PLAN.replace("test -f built", "(setsid sh -c 'echo $$ > pid; exec yes' &); sleep 0.2; true"),
    );
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    stage.agent("main", &["check", "build"]).fine();
    let pid = stage.read(stage.project.join("pid"));
    let _ = std::process::Command::new("kill").args(["-9", pid.trim()]).status();
}

#[test]
fn left_over_temporary_files_are_in_nobodys_way() {
    let stage = Stage::gated();
    let plan = stage.plan_dir();
    let head = std::fs::read_dir(stage.state.join("plans")).unwrap().next().unwrap().unwrap().path();
    // No process has this id; the one that has the other lives as long as the system does, and is not disturbed.
    let dirs =
        [&plan, &plan.join("proofs"), &plan.join("proposals"), &head, &stage.state, &stage.project.join(".planning")];
    for dir in dirs {
        std::fs::create_dir_all(dir).unwrap();
        for left in [".x.4194305-0.tmp", ".x.1-0.tmp"] {
            std::fs::write(dir.join(left), "half").unwrap();
        }
    }
    assert!(stage.verb(&["doctor"]).out.contains("left over after a crash: "));
    stage.agent("main", &["step", "1"]).fine();
    for dir in dirs {
        assert!(!dir.join(".x.4194305-0.tmp").exists() && dir.join(".x.1-0.tmp").exists(), "{}", dir.display());
    }
    assert!(!stage.verb(&["doctor"]).out.contains("left over after a crash: "));
}

#[test]
fn restore_brings_the_approved_plan_back_and_keeps_what_stood_there() {
    for spoil in ["", "# Something else\n"] {
        let stage = Stage::gated();
        stage.agent("main", &["done", "survey", "--anyway", "--why", "known"]).fine();
        std::fs::write(stage.plan_file(), spoil).unwrap();
        let restored = stage.agent("main", &["restore"]).fine();
        assert!(restored.out.contains("restored"), "{restored:?}");
        let status = stage.status();
        assert_eq!(status["plan"]["attestation"], "approved");
        assert_eq!(status["phases"][0]["status"], "complete");
        assert_eq!(status["phases"][1]["status"], "in_progress");
        assert_eq!(stage.plan_dir().join("task_plan.md.before-restore").exists(), !spoil.is_empty());
        assert!(stage.agent("main", &["restore"]).fine().out.contains("nothing to restore"));
    }
}

#[test]
fn a_check_left_over_from_a_template_is_refused_and_a_test_in_brackets_is_not() {
    let stage = Stage::new();
    stage.write("plan.md", &PLAN.replace("test -f built", "[the whole test suite]"));
    assert_eq!(stage.agent("main", &["init", "--gated", "--from", "plan.md"]).code, 1);
    stage.write("plan.md", &PLAN.replace("test -f built", "[ -f built ]"));
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
}
