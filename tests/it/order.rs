//! What comes next: in which order phases and plans are worked on, and how work is handed over.

use crate::stage::Stage;

#[test]
fn work_is_handed_over_in_one_of_four_words() {
    let stage = Stage::gated();
    let handoff = |args: &[&str]| stage.agent("main", &[&["log", "handoff"], args].concat());
    for (args, part) in [
        (&["which tables stay?"][..], "says how far the work is"),
        (&["--status", "finished", "all of it"], "done_with_concerns"),
    ] {
        let refused = handoff(args);
        assert!(refused.code == 2 && refused.err.contains(part), "{refused:?}");
    }
    let note = stage.agent("main", &["log", "note", "--status", "done", "x"]);
    assert!(note.code == 2 && note.err.contains("only a handoff has a status"), "{note:?}");
    assert_eq!(stage.count("handoff") + stage.count("note"), 0);

    let two = ["--status", "needs_input", "--agent", "two", "--phase", "survey", "which tables stay?"];
    handoff(&two).fine();
    handoff(&["--status", "done_with_concerns", "--agent", "three", "the lexer; its tests are slow"]).fine();
    let status = stage.verb(&["status"]).fine().out;
    assert!(status.contains("handoff two: needs_input survey: which tables stay?\n"), "{status}");
    let handoffs = &stage.status()["handoffs"];
    assert_eq!(handoffs[0]["agent"], "two");
    assert_eq!(
        handoffs[1],
        serde_json::json!({ "agent": "three", "status": "done_with_concerns", "phase": "",
        "summary": "the lexer; its tests are slow", "tick": stage.ledger().pop().unwrap()["tick"] })
    );
    // The agent that goes on reads who waits for what; what was said is nobody's to inject.
    let block = stage.start("main", "startup");
    assert!(block.context().contains("two: handoff needs_input survey"), "{block:?}");
    assert!(block.context().contains("three: handoff done_with_concerns"), "{block:?}");
    assert!(!block.context().contains("which tables"), "{block:?}");

    // Whoever goes on has nothing to hand over any more.
    stage.agent("main", &["log", "progress", "--agent", "two", "the user said which"]).fine();
    assert_eq!(stage.status()["handoffs"].as_array().unwrap().len(), 1);
}

#[test]
fn what_keeps_a_phase_from_beginning_is_said() {
    let stage = Stage::gated();
    let refused = |args: &[&str]| {
        let ran = stage.agent("main", args);
        assert_eq!(ran.code, 1, "{ran:?}");
        ran.err
    };
    let err = refused(&["start", "build"]);
    assert!(
        err.contains("it depends on `survey`, which is not complete") && err.contains("fix: steadfast next"),
        "{err}"
    );
    stage.agent("main", &["fail", "survey", "--why", "the sources are gone"]).fine();
    let err = refused(&["start", "build"]);
    assert!(err.contains("which failed: the sources are gone"), "{err}");
    assert!(err.contains("fix: steadfast start survey"), "{err}");
    stage.agent("main", &["start", "survey"]).fine();
    stage.agent("main", &["wait", "survey", "--for", "1h"]).fine();
    let err = refused(&["start", "build"]);
    assert!(err.contains("which waits until 2026-03-01T13:00:00Z"), "{err}");
}

#[test]
fn a_second_phase_is_begun_only_beside_the_first() {
    let stage = Stage::new();
    stage.write("plan.md", "## Goal\nMove the mill\n### Phase 1: Measure {#measure}\n### Phase 2: Build {#build}\n");
    stage.agent("main", &["init", "--gated", "--from", "plan.md", "x"]).fine();
    let refused = stage.agent("main", &["start", "build"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("(or: steadfast start build --also)"), "{refused:?}");
    stage.agent("main", &["start", "build", "--also"]).fine();
    assert_eq!(stage.status()["counts"]["in_progress"], 2);
}
