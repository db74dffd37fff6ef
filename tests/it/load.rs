//! Many writers at once: by verbs and by hooks, over shared and separate ledgers. `STEADFAST_LOAD` multiplies how much each of them
//! writes: with 100 it is 32 writers with 1,000 appends each.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::stage::Stage;

const WRITERS: usize = 32;

/// How often each writer writes, of `few` in a plain run.
fn times(few: usize) -> usize {
    few * std::env::var("STEADFAST_LOAD").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1)
}

/// Ticks rise in each ledger, no tick stands twice in all of them, and the chain is whole.
#[track_caller]
fn is_whole(stage: &Stage) {
    let verified = stage.verb(&["log", "--verify", "--json"]).fine().json();
    assert_eq!(verified["whole"], true, "{verified}");
    for ledger in verified["ledgers"].as_array().unwrap() {
        assert_eq!(ledger["findings"], json!([]), "{ledger}");
    }
    let ticks: BTreeSet<u64> = stage.ledger().iter().map(|r| r["tick"].as_u64().unwrap()).collect();
    assert_eq!(ticks.len(), stage.ledger().len(), "a tick stands twice");
}

#[test]
fn many_writers_lose_nothing() {
    let stage = Stage::gated();
    let each = times(10);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let stage = &stage;
            scope.spawn(move || {
                let agent = if writer % 2 == 0 { "shared".to_owned() } else { format!("own-{writer}") };
                for n in 0..each {
                    stage.agent("main", &["log", "progress", &format!("{writer} {n}"), "--agent", &agent]).fine();
                }
            });
        }
    });
    is_whole(&stage);
    let said: BTreeSet<String> = stage
        .ledger()
        .iter()
        .filter(|r| r["event"] == "progress")
        .map(|r| r["summary"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!((said.len(), stage.count("progress")), (WRITERS * each, WRITERS * each));
}

#[test]
fn eight_writers_change_every_step() {
    const STEPS: usize = 100;
    let stage = Stage::new();
    let stones: String = (0..STEPS).fold(String::new(), |rows, n| rows + "- [ ] Stone " + &n.to_string() + "\n");
    let row = |n: usize| format!("### Phase {}: Row {n} {{#row-{n}}}\n- **Status:** pending\n{stones}", n + 1);
    let rows: Vec<String> = (0..8).map(row).collect();
    let plan = format!("## Goal\nEvery stone lies.\n\n## Phases\n\n{}", rows.join("\n"));
    stage.write("plan.md", &plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    std::thread::scope(|scope| {
        for phase in 0..8 {
            let stage = &stage;
            scope.spawn(move || {
                for n in 1..=STEPS {
                    stage.agent("main", &["step", &format!("row-{phase}"), &n.to_string()]).fine();
                }
            });
        }
    });
    let text = stage.read(stage.plan_file());
    assert_eq!((text.matches("- [x] Stone").count(), text.matches("- [ ]").count()), (8 * STEPS, 0));
    assert_eq!(stage.count("step"), 8 * STEPS);
    is_whole(&stage);
}

/// Every edit that a hook saw is in the ledger, or is among those that were reported as not recorded.
#[test]
fn hooks_under_load_lose_nothing_they_do_not_report() {
    let stage = Stage::gated();
    let (each, done) = (times(40), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (stage, done) = (&stage, &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    stage.agent("main", &["log", "note", "noise", "--agent", &format!("noise-{writer}")]).fine();
                }
            });
        }
        for n in 0..each {
            stage.edit("main", &format!("src/{n}.rs"), "x");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(stage.count("edit") + reported(&stage), each);
    is_whole(&stage);
}

/// How many events the next stop says were not recorded.
fn reported(stage: &Stage) -> usize {
    stage.stop("main", false);
    let said = stage.ledger().into_iter().filter(|r| r["event"] == "missed");
    said.map(|r| r["summary"].as_str().unwrap().split(' ').next().unwrap().parse::<usize>().unwrap()).sum()
}

#[test]
fn what_a_hook_could_not_record_is_said_and_makes_proofs_old() {
    let stage = Stage::gated();
    stage.agent("main", &["done", "survey", "--anyway", "--why", "small"]).fine();
    stage.write("built", "x");
    stage.agent("main", &["done", "build"]).fine();
    stage.agent("main", &["done", "release"]).fine();
    let lock = fs::File::open(stage.plan_dir().join(".run")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(stage.edit("main", "src/a.rs", "x").raw, "");
    stage.hook("main", "PostToolUse", json!({ "tool_name": "Read", "tool_input": { "file_path": "/x" } }));
    stage.hook("main", "SubagentStop", json!({ "agent_id": "a1", "agent_type": "x" }));
    let locked = stage.stop("main", false);
    assert!(locked.held().is_none() && locked.notice().contains("locked by another process"), "{locked:?}");
    drop(lock);
    // A tool call says nothing to the user; the stop is held for the edit that was lost.
    stage.edit("main", "src/b.rs", "x");
    let held = stage.stop("main", false);
    assert!(held.held().unwrap().contains("steadfast check --all"), "{held:?}");
    assert!(held.notice().contains("2 events were not recorded"), "{held:?}");
    assert_eq!(stage.count("missed"), 1);
    let next = stage.prompt("main", "go on");
    assert!(!next.notice().contains("not recorded"), "said once: {next:?}");
    is_whole(&stage);
}

/// An editor that knows no lock saves all the time, as editors do: by a new file and a rename, made of what it read.
#[test]
fn what_an_editor_saves_between_is_never_dropped() {
    const NOTES: usize = 150;
    let stage = Stage::gated();
    let (file, done) = (stage.plan_file(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (stage, done) = (&stage, &done);
        scope.spawn(move || {
            let mut turn = 0;
            while !done.load(Ordering::Relaxed) {
                let undo: &[&str] = if turn % 2 == 0 { &[] } else { &["--undo"] };
                let ran = stage.agent("main", &[&["step", "survey", "1"], undo].concat());
                // Somebody who never stops saving may keep a verb from writing: it says so.
                assert!(ran.code == 0 || ran.err.contains("task_plan.md"), "{ran:?}");
                turn += 1;
            }
        });
        let temp = file.with_file_name("task_plan.md.editor");
        for n in 0..NOTES {
            let text = stage.read(&file);
            fs::write(&temp, format!("{text}\nnote {n}\n")).unwrap();
            fs::rename(&temp, &file).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let text = stage.read(&file);
    let missing: Vec<usize> = (0..NOTES).filter(|n| !text.contains(&format!("\nnote {n}\n"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
