//! What comes next: in which order phases and plans are worked on, and how work is handed over.

use serde_json::{Value, json};

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
        json!({ "agent": "three", "status": "done_with_concerns", "phase": "",
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

/// A project with these plans, each approved and without a gate.
fn with_plans(plans: &[(&str, &str)]) -> Stage {
    let stage = Stage::new();
    for (id, phases) in plans {
        stage.write(&format!(".planning/{id}/task_plan.md"), &format!("## Goal\nThe {id}\n{phases}"));
        stage.approves(&["attest", "--plan", id]);
    }
    stage
}

const ONE: &str = "### Phase 1: Measure {#measure}\n- [ ] Wheel\n- **Status:** pending\n";

fn order(stage: &Stage) -> Vec<(String, String)> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();
    let all = stage.verb(&["next", "--all", "--json"]).fine().json();
    all["plans"].as_array().unwrap().iter().map(|plan| (text(plan, "plan"), text(plan, "because"))).collect()
}

fn is(stage: &Stage, right: &[(&str, &str)]) {
    let right: Vec<_> = right.iter().map(|(id, why)| ((*id).to_owned(), (*why).to_owned())).collect();
    assert_eq!(order(stage), right);
}

#[test]
fn over_all_plans_what_waited_comes_first_then_routines_the_plan_in_use_and_the_order_of_work() {
    let waits = ONE.replace("- [ ] Wheel\n", "- **WaitsFor:** file out/measures\n");
    let routine = ONE.replace("- [ ] Wheel\n", "- **Every:** 1d\n");
    let stage = with_plans(&[
        ("a-plain", ONE),
        ("b-waits", &waits),
        ("c-routine", &routine),
        ("d-used", ONE),
        ("e-ranked", ONE),
        ("f-done", &ONE.replace("pending", "complete")),
    ]);
    stage.write(".planning/g-nobodys/task_plan.md", ONE);
    stage.verb(&["use", "d-used"]).fine();
    assert_eq!(stage.person(&["use", "--rank", "e-ranked", "b-waits"], "").code, 0);
    let [woken, routine] = [("b-waits", "woken"), ("c-routine", "routine")];
    let [used, ranked, open] = [("d-used", "in_use"), ("e-ranked", "ranked"), ("a-plain", "open")];
    is(&stage, &[routine, used, ranked, open, ("b-waits", "waiting")]);
    // Looking changes nothing, also where a wait is over.
    stage.write("out/measures", "9");
    let before = stage.tree(&stage.project);
    is(&stage, &[woken, routine, used, ranked, open]);
    let said = stage.verb(&["next", "--all"]).fine().out;
    assert!(said.starts_with("b-waits  it waited for the file out/measures\nnext: Measure"), "{said}");
    assert!(
        said.contains("(steadfast start measure --plan b-waits)\nthen c-routine: a routine of it is due\n"),
        "{said}"
    );
    assert_eq!(stage.tree(&stage.project), before);
    // What it says can be done.
    stage.verb(&["start", "measure", "--plan", "b-waits"]).fine();
    is(&stage, &[routine, used, ranked, ("b-waits", "ranked"), open]);
    stage.verb(&["done", "measure", "--plan", "c-routine"]).fine();
    stage.verb(&["skip", "measure", "--plan", "a-plain", "--why", "the wheel is lost"]).fine();
    let paused = stage.person(&["pause", "--plan", "d-used"], "");
    assert_eq!(paused.code, 0, "{paused:?}");
    is(
        &stage,
        &[
            ("e-ranked", "ranked"),
            ("b-waits", "ranked"),
            ("c-routine", "waiting"),
            ("a-plain", "needs_you"),
            ("d-used", "paused"),
        ],
    );
}

#[test]
fn nothing_left_in_any_plan_is_said() {
    let stage = with_plans(&[("a", &ONE.replace("pending", "complete"))]);
    assert_eq!(stage.verb(&["next", "--all"]).fine().out, "next: every approved plan here is done\n");
    assert_eq!(stage.verb(&["next", "--all", "--json"]).fine().json(), json!({ "next": null, "plans": [] }));
    let none = Stage::new().verb(&["next", "--all"]);
    assert!(none.code == 1 && none.err.contains("no plan lies here"), "{none:?}");
}

#[test]
fn an_agent_proposes_an_order_of_work_and_a_person_confirms_it() {
    let stage = with_plans(&[("a", ONE), ("b", ONE), ("c", ONE)]);
    let first = |stage: &Stage| order(stage).first().unwrap().0.clone();
    assert_eq!(first(&stage), "a");
    let said = stage.agent("main", &["use", "--rank", "c", "b"]).fine().out;
    assert!(said.contains("once the user confirms it in a terminal: steadfast use --rank"), "{said}");
    assert_eq!(first(&stage), "a");
    let plans = stage.verb(&["plans"]).fine().out;
    assert!(plans.contains("an agent proposes this order: c, b; to confirm: steadfast use --rank"), "{plans}");
    // Off a terminal it is only shown, whoever asks.
    assert_eq!(stage.agent("main", &["use", "--rank"]).fine().out, "order: none\nproposed: c, b\n");
    assert_eq!(stage.person(&["use", "--rank"], "no\n").code, 1);
    assert_eq!(first(&stage), "a");
    assert_eq!(stage.person(&["use", "--rank"], "yes\n").code, 0);
    assert_eq!(first(&stage), "c");
    assert_eq!(stage.verb(&["use", "--rank"]).fine().out, "order: c, b\n");
    let plans = stage.verb(&["plans", "--json"]).fine().json();
    assert_eq!((&plans["plans"][2]["rank"], &plans["plans"][0]["rank"]), (&json!(1), &json!(null)));
    assert_eq!(plans["proposed_order"], json!(null));
    // One that the person types needs no second word, and answers what was proposed.
    stage.agent("main", &["use", "--rank", "a"]).fine();
    assert_eq!(stage.person(&["use", "--rank", "b", "a"], "").code, 0);
    assert_eq!(stage.verb(&["use", "--rank"]).fine().out, "order: b, a\n");
}

#[test]
fn an_order_of_work_names_plans_of_this_project() {
    let stage = with_plans(&[("a", ONE), ("b", ONE)]);
    for (args, code, part) in
        [(&["a", "../x"][..], 1, "there is no plan `../x` here"), (&["a", "a"], 2, "`a` stands twice")]
    {
        let refused = stage.verb(&[&["use", "--rank"], args].concat());
        assert!(refused.code == code && refused.err.contains(part), "{refused:?}");
    }
    let several = stage.verb(&["use", "a", "b"]);
    assert!(several.code == 2 && several.err.contains("fix: steadfast use --rank a b"), "{several:?}");
    assert_eq!(stage.verb(&["use"]).code, 2);
    // What somebody wrote into the file by hand: what is no plan has no place.
    stage.write(".planning/priorities", "# first things first\nb\ngone\n\u{1b}[31m\na\n");
    is(&stage, &[("b", "ranked"), ("a", "ranked")]);
    std::fs::remove_file(stage.project.join(".planning/priorities")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", stage.project.join(".planning/priorities")).unwrap();
    is(&stage, &[("a", "open"), ("b", "open")]);
}

/// Whatever an agent does with its verbs, what is finished stays finished: only a person opens it again, and a check that fails.
#[test]
fn no_verb_of_an_agent_changes_a_finished_phase() {
    let stage = Stage::new();
    let plan = "## Goal\nMove the mill\n## Phases\n### Phase 1: Measure {#a}\n- [ ] Wheel\n- [ ] Race\n### Phase 2: Draw {#b}\n- **DependsOn:** a\n\
        - **Check:** `true`\n### Phase 3: Ask {#c}\n- **WaitsFor:** until 2026-03-01T11:00Z\n### Phase 4: Build {#d}\n- [ ] Frame\n- **DependsOn:** b, c\n";
    stage.write("plan.md", plan);
    stage.agent("main", &["init", "--gated", "--from", "plan.md", "Move the mill"]).fine();
    let mut seed = 7_u64;
    let mut pick = |among: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % among
    };
    let complete = |status: &Value| -> Vec<String> {
        let phases = status["phases"].as_array().unwrap().iter().filter(|p| p["status"] == "complete");
        phases.map(|p| p["id"].as_str().unwrap().to_owned()).collect()
    };
    let mut before = complete(&stage.status());
    let mut refused = 0;
    for _ in 0..160 {
        let phase = ["a", "b", "c", "d"][pick(4)];
        let verbs: [&[&str]; 12] = [
            &["start", phase],
            &["start", phase, "--also"],
            &["done", phase],
            &["done", phase, "--anyway", "--why", "x"],
            &["fail", phase, "--why", "x"],
            &["skip", phase, "--why", "x"],
            &["wait", phase, "--for", "1h"],
            &["step", phase, "1"],
            &["step", phase, "1", "--undo"],
            &["check", phase, "--again"],
            &["reopen", phase, "--why", "x"],
            &["start", phase, "--baseline", "--also"],
        ];
        let args = verbs[pick(verbs.len())];
        refused += usize::from(stage.agent("main", args).code != 0);
        let now = complete(&stage.status());
        assert!(before.iter().all(|id| now.contains(id)), "{args:?}: {before:?} became {now:?}");
        before = now;
    }
    assert!(before.len() >= 3 && refused > 20, "they were tried: {before:?}, {refused} refused");
}
