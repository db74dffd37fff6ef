//! Ledgers that were torn, damaged, or merged by git.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::stage::{PLAN, Stage};

fn ledger(stage: &Stage) -> PathBuf {
    stage.plan_dir().join("ledger-claude-code.jsonl")
}

fn notes(stage: &Stage) -> usize {
    stage.read(ledger(stage)).matches("\"event\":\"note\"").count()
}

fn verify(stage: &Stage) -> (i32, Value) {
    let ran = stage.verb(&["log", "--verify", "--json"]);
    (ran.code, ran.json())
}

fn causes(found: &Value) -> Vec<&str> {
    found["ledgers"][0]["findings"].as_array().unwrap().iter().map(|f| f["cause"].as_str().unwrap()).collect()
}

#[test]
fn the_first_bad_record_is_named() {
    let stage = Stage::gated();
    for n in 0..3 {
        stage.agent("main", &["log", "note", &format!("note {n}")]).fine();
    }
    let whole = stage.verb(&["log", "--verify"]).fine();
    assert!(whole.out.contains("claude-code: ") && whole.out.contains(" records, whole"), "{whole:?}");
    let text = stage.read(ledger(&stage));
    let line = text.lines().position(|l| l.contains("note 1")).unwrap() + 2;
    fs::write(ledger(&stage), text.replace("note 1", "note 9")).unwrap();
    let bad = stage.verb(&["log", "--verify"]);
    assert_eq!(bad.code, 1);
    let first =
        format!("first in ledger-claude-code.jsonl: line {line}: the line before it was changed or taken out (damage)");
    assert!(bad.err.contains(&first), "{bad:?}");
    assert!(bad.err.contains(&format!("less +{line}g ")), "{bad:?}");
    let (code, found) = verify(&stage);
    assert_eq!((code, &found["whole"], &found["first_bad"]["line"]), (1, &false.into(), &line.into()));
    // Nothing of it keeps anybody from working.
    stage.agent("main", &["log", "note", "goes on"]).fine();
    assert_eq!(stage.verb(&["log", "--verify", "note"]).code, 2);
}

#[test]
fn a_torn_end_is_no_damage_and_is_closed() {
    let stage = Stage::gated();
    let text = stage.read(ledger(&stage));
    fs::write(ledger(&stage), format!("{text}{{\"tick\":99,\"ev")).unwrap();
    let (code, found) = verify(&stage);
    assert_eq!((code, causes(&found)), (0, vec!["torn"]), "{found}");
    stage.agent("main", &["log", "note", "closes it"]).fine();
    let (code, found) = verify(&stage);
    assert_eq!((code, causes(&found)), (0, vec!["torn"]), "{found}");
    assert_eq!(notes(&stage), 1);
    // Shorter than what was acknowledged.
    fs::write(ledger(&stage), &text[..=text.trim_end().rfind('\n').unwrap()]).unwrap();
    let (code, found) = verify(&stage);
    assert_eq!((code, causes(&found)), (0, vec!["cut"]), "{found}");
}

#[test]
fn what_was_taken_off_the_end_is_still_said_after_the_next_append() {
    let stage = Stage::gated();
    for n in 0..3 {
        stage.agent("main", &["log", "note", &format!("note {n}")]).fine();
    }
    let text = stage.read(ledger(&stage));
    fs::write(ledger(&stage), &text[..=text.find("\"note 1\"").and_then(|at| text[..at].rfind('\n')).unwrap()])
        .unwrap();
    assert_eq!(causes(&verify(&stage).1), ["cut"]);
    for what in ["later", "and later"] {
        stage.agent("main", &["log", "note", what]).fine();
        let found = verify(&stage).1;
        assert_eq!(causes(&found), ["cut"], "{found}");
        assert!(found.to_string().contains("bytes that were written here are gone"), "{found}");
    }
    fs::remove_file(ledger(&stage)).unwrap();
    assert_eq!(causes(&verify(&stage).1), ["cut"]);
    stage.agent("main", &["log", "note", "anew"]).fine();
    assert_eq!(causes(&verify(&stage).1), ["cut"]);
}

fn git(stage: &Stage, dir: &str, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Mill", "-c", "user.email=mill@example.org", "-c", "commit.gpgsign=false"]).args(args);
    let ran = git.current_dir(stage.project.join(dir)).env("HOME", &stage.home).output().unwrap();
    assert!(ran.status.success(), "{args:?}: {ran:?}");
}

/// Two branches work on one plan and are merged.
fn merged(union: bool) -> Stage {
    let stage = Stage::new();
    fs::remove_dir_all(stage.project.join(".git")).unwrap();
    git(&stage, "", &["init", "-q", "-b", "main"]);
    stage.write("plan.md", PLAN);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let attributes = stage.project.join(".planning/.gitattributes");
    assert_eq!(stage.read(&attributes), "ledger-*.jsonl merge=union\n");
    if !union {
        fs::remove_file(attributes).unwrap();
    }
    git(&stage, "", &["add", "-A"]);
    git(&stage, "", &["commit", "-qm", "plan"]);
    git(&stage, "", &["checkout", "-qb", "theirs"]);
    stage.agent("main", &["log", "note", "theirs"]).fine();
    git(&stage, "", &["commit", "-qam", "theirs"]);
    git(&stage, "", &["checkout", "-q", "main"]);
    stage.agent("main", &["log", "note", "ours"]).fine();
    git(&stage, "", &["commit", "-qam", "ours"]);
    let mut merge = Command::new("git");
    merge.args(["-c", "user.name=Mill", "-c", "user.email=mill@example.org", "merge", "-q", "-m", "both", "theirs"]);
    let ran = merge.current_dir(&stage.project).env("HOME", &stage.home).output().unwrap();
    assert_eq!(ran.status.success(), union, "{ran:?}");
    stage
}

#[test]
fn git_merges_ledgers_and_the_merge_is_told_from_damage() {
    for union in [true, false] {
        let stage = merged(union);
        assert_eq!(stage.read(ledger(&stage)).contains("<<<<<<<"), !union);
        assert_eq!(notes(&stage), 2, "both sides are there");
        let (code, found) = verify(&stage);
        assert_eq!(code, 0, "{found}");
        assert!(
            !causes(&found).is_empty() && causes(&found).iter().all(|cause| ["merge", "cut"].contains(cause)),
            "{found}"
        );
        // The run goes on, with a tick nobody has.
        let tick = stage.agent("main", &["log", "note", "after", "--json"]).fine().json()["tick"].as_u64().unwrap();
        assert_eq!(stage.read(ledger(&stage)).matches(&format!("\"tick\":{tick},")).count(), 1);
        assert!(stage.stop("main", false).held().is_some());
        assert_eq!(verify(&stage).0, 0);
    }
}

#[test]
fn what_git_was_told_before_stays() {
    let stage = Stage::new();
    stage.write(".planning/.gitattributes", "*.md text");
    stage.verb(&["init", "one"]).fine();
    stage.verb(&["init", "two"]).fine();
    assert_eq!(stage.read(stage.project.join(".planning/.gitattributes")), "*.md text\nledger-*.jsonl merge=union\n");
}

#[test]
fn doctor_names_a_ledger_that_grew_large() {
    let stage = Stage::gated();
    let name = stage.plan_dir().join("ledger-other.jsonl");
    let grow = |size: u64| {
        fs::write(&name, "").unwrap();
        fs::File::options().write(true).open(&name).unwrap().set_len(size).unwrap();
        stage.verb(&["doctor"]).out
    };
    assert!(grow(32 * 1024 * 1024 + 1).contains("ledger-other.jsonl has 32 MiB"));
    assert!(!grow(32 * 1024 * 1024).contains("has 32 MiB"));
}
