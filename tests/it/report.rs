//! What the person reads in the morning.

use serde_json::json;

use crate::stage::Stage;

/// A night in which something of each kind happened.
fn night() -> Stage {
    let stage = Stage::gated();
    stage.start("main", "startup");
    stage.prompt("main", "begin");
    stage.edit("main", "src/a.rs", "x");
    assert!(stage.stop_alone("main", false).held().is_some());
    stage.agent("main", &["step", "1"]).fine();
    stage.agent("main", &["step", "2"]).fine();
    stage.agent("main", &["done"]).fine();
    stage.write("built", "x");
    stage.agent("main", &["done", "build"]).fine();
    stage.agent("main", &["log", "decision", "tables \u{1b}[31minstead of recursion"]).fine();
    stage.agent("main", &["skip", "release", "--why", "the owner does it"]).fine();
    stage.stop_alone("main", true);
    stage
}

#[test]
fn a_report_says_how_it_ended_what_it_needs_and_what_happened() {
    let stage = night();
    let before = (stage.tree(&stage.project), stage.tree(&stage.state));
    let report = stage.verb(&["report"]).fine().out;
    let order = [
        "# Replace the hand-written parser without breaking the CLI.\n",
        "2 of 3 phases done, 1 parked, gate, approved, version 1.\n",
        "The last stop was let go at 2026-03-01T12:00:00Z: needs-you.\n",
        "\n## Needs you\n\n- release was parked by the agent: the owner does it\n",
        "\n## Problems\n\n- line 13: the phase is complete, but 2 of its boxes are open. Fix: ",
        "\n## Phases\n\n- 1. Survey: complete, 2/2 steps, from 2026-03-01T12:00:00Z to 2026-03-01T12:00:00Z\n",
        "- 2. Build: complete, 0/2 steps, proof passed (green, never red), 1 try, from",
        "- 3. Release: skipped, begun 2026-03-01T12:00:00Z\n",
        "\n## What happened\n",
        "- 1 session, 1 prompt\n- 1 edit of 1 file\n- 1 proof passed, 0 not\n- 1 stop held, 0 calls refused by the guard\n",
        "\n## What was said\n\n- 2026-03-01T12:00:00Z claude-code: decision: tables [31minstead of recursion\n",
    ];
    let mut at = 0;
    for part in order {
        at += report[at..].find(part).unwrap_or_else(|| panic!("{part:?} in {report}")) + part.len();
    }
    assert!(!report.contains("## Waits") && !report.contains('\u{1b}'), "{report}");
    assert_eq!((stage.tree(&stage.project), stage.tree(&stage.state)), before, "looking changes nothing");
    let json = stage.verb(&["report", "--json"]).fine().json();
    assert_eq!(json["story"]["ended"], json!({ "verdict": "needs-you", "at": "2026-03-01T12:00:00Z" }));
    assert_eq!(json["phases"][0]["completed"], "2026-03-01T12:00:00Z");
}

#[test]
fn a_report_says_who_wakes_a_run_and_what_waits_for_a_word() {
    let stage = Stage::gated();
    stage.agent("main", &["wait", "survey", "--human", "Which callers?"]).fine();
    stage.write("less.md", &crate::stage::PLAN.replace("- [ ] Tables\n", ""));
    stage.agent("main", &["propose", "less.md", "--why", "no tables"]).fine();
    let report = stage.verb(&["report"]).fine().out;
    assert!(report.contains("No stop was judged so far.\n"), "{report}");
    assert!(report.contains("## Waits\n\n- survey waits for the user"), "{report}");
    assert!(report.contains("- woken by: nothing: asleep\n"), "{report}");
    assert!(report.contains("; to approve: steadfast attest --proposal 1\n"), "{report}");
    let none = Stage::new().verb(&["report"]);
    assert!(none.code == 1 && none.err.contains("no plan lies here"), "{none:?}");
}

#[test]
fn what_only_a_person_can_give_is_named_as_theirs() {
    let stage = Stage::new();
    let plan = "## Goal\nMove the mill\n## Phases\n### Phase 1: Draw {#draw}\n- **Status:** pending\n- **Approval:** human\n- **Receipt:** sent\n\
        ### Phase 2: Build {#build}\n- **Status:** pending\n- **Every:** 7d\n- **Tool:** shell\n- **WaitsFor:** file out/wood\n";
    stage.write("plan.md", plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md", "Move the mill"]).fine();
    stage.agent("main", &["log", "handoff", "--status", "needs_input", "which wheel?"]).fine();
    let report = stage.verb(&["report"]).fine().out;
    assert!(report.contains("- draw wants your word: steadfast approve draw\n"), "{report}");
    assert!(report.contains("- handoff claude-code: needs_input: which wheel?\n"), "{report}");
    stage.agent("main", &["wait", "draw", "--human", "Oak?"]).fine();
    assert!(stage.verb(&["report"]).fine().out.contains("- draw wants your word: steadfast approve draw\n"));
    let shown = stage.verb(&["attest", "--show"]).fine().out;
    for line in [
        "1. Draw (draw)\n",
        "   approval: human\n",
        "   receipt: sent\n",
        "   waits for: file out/wood\n",
        "   tool: shell\n",
        "   every: 7d\n",
    ] {
        assert!(shown.contains(line), "{line:?} in {shown}");
    }
}
