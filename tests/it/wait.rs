//! Waits, routines and `wake`.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{NOW, Ran, Stage};

/// A gated plan of these phases, its session attached. `{}` in a phase is left for what a test adds.
fn plan(phases: &[&str]) -> Stage {
    let stage = Stage::new();
    stage.write("plan.md", &text(phases));
    stage.agent("main", &["init", "--gated", "--hold", "--from", "plan.md", "Keep the mill"]).fine();
    stage
}

fn text(phases: &[&str]) -> String {
    format!("# Task Plan: Mill\n\n## Goal\nThe mill runs.\n\n## Phases\n\n{}", phases.join("\n\n"))
}

const GRIND: &str = "### Phase 1: Grind {#grind}\n- **Status:** pending";
const SELL: &str = "### Phase 2: Sell {#sell}\n- **Status:** pending\n- **DependsOn:** grind";

/// The same stage, so many seconds later.
fn later(stage: Stage, seconds: u64) -> Stage {
    let now = NOW.parse::<u64>().unwrap() + seconds;
    stage.with("STEADFAST_NOW", &now.to_string())
}

fn phase(stage: &Stage, number: usize) -> Value {
    stage.status()["phases"][number - 1].clone()
}

fn no(ran: &Ran, text: &str) {
    assert!(ran.code != 0 && ran.err.contains(text), "{text}: {ran:?}");
}

#[test]
fn a_run_that_waits_may_stop_and_goes_on_when_its_time_has_come() {
    let stage = plan(&[GRIND, SELL]);
    let said = stage.agent("main", &["wait", "grind", "--for", "2h", "--why", "the grain dries"]).fine();
    assert!(said.out.contains("waits until 2026-03-01T14:00:00Z") && said.out.contains("nothing: asleep"), "{said:?}");
    assert_eq!(phase(&stage, 1)["status"], "waiting");
    let stop = stage.stop_alone("main", false);
    assert_eq!(stop.held(), None);
    assert!(stop.notice().contains("waiting. grind waits until 2026-03-01T14:00:00Z (the grain dries)"), "{stop:?}");
    assert!(stop.notice().contains("Woken by: nothing: asleep"), "{stop:?}");
    let block = stage.prompt("main", "how is it?");
    assert!(block.context().contains("waits until"), "{block:?}");
    let stage = later(stage, 7_199);
    assert_eq!(stage.stop_alone("main", false).held(), None);
    let stage = later(stage, 7_200);
    let held = stage.stop_alone("main", false);
    assert!(held.held().is_some_and(|reason| reason.contains("Grind")), "{held:?}");
    assert_eq!(phase(&stage, 1)["status"], "in_progress");
    assert!(stage.read(stage.plan_file()).contains("### Phase 1: Grind {#grind}\n- **Status:** in_progress"));
    assert_eq!(stage.count("wake"), 1);
}

#[test]
fn a_prompt_tells_once_what_need_not_wait_any_longer() {
    let stage = plan(&[GRIND, SELL]);
    stage.agent("main", &["wait", "grind", "--file", "grain/dry"]).fine();
    assert_eq!(stage.stop_alone("main", false).held(), None);
    for outside in ["/etc/passwd", "../x", "grain/../../x"] {
        no(&stage.agent("main", &["wait", "grind", "--file", outside]), "beneath the project root");
    }
    stage.write("grain/dry", "x");
    let told = stage.prompt("main", "and now?");
    assert!(told.context().starts_with("steadfast: phase 1 (\"Grind\") need not wait any longer"), "{told:?}");
    assert!(!stage.prompt("main", "and now?").context().contains("need not wait"));
    assert!(stage.stop_alone("main", false).held().is_some());
}

#[test]
fn what_else_is_ready_goes_on_while_a_phase_waits() {
    let stage = plan(&[GRIND, "### Phase 2: Sweep {#sweep}\n- **Status:** pending"]);
    stage.agent("main", &["wait", "grind", "--human", "Which flour?"]).fine();
    assert_eq!(stage.status()["next"]["phase"], "sweep");
    assert!(stage.stop_alone("main", false).held().is_some_and(|r| r.contains("Sweep")));
    stage.agent("main", &["done", "sweep"]).fine();
    let stop = stage.stop_alone("main", false);
    assert!(stop.held().is_none() && stop.notice().contains("grind waits for the user"), "{stop:?}");
    assert!(stop.notice().contains("Which flour?"), "{stop:?}");
    // The user answers, and the agent takes it up again.
    stage.agent("main", &["start", "grind"]).fine();
    stage.agent("main", &["done", "grind"]).fine();
    assert!(stage.stop_alone("main", false).raw.is_empty());
    assert_eq!(stage.status()["counts"]["complete"], 2);
}

#[test]
fn an_agent_waits_for_a_day_at_most() {
    let stage = plan(&[GRIND, SELL]);
    no(&stage.agent("main", &["wait", "grind", "--for", "25h"]), "a day at most");
    no(&stage.agent("main", &["wait", "grind", "--until", "2026-03-05T09:00Z"]), "a day at most");
    no(&stage.agent("main", &["wait", "grind"]), "not said what it waits for");
    no(&stage.agent("main", &["wait", "grind", "--until", "2026-03-01T11:00Z"]), "that time is over");
    no(&stage.agent("main", &["wait", "grind", "--until", "tomorrow"]), "no time");
    no(&stage.agent("main", &["wait", "grind", "--for", "soon"]), "no length of time");
    assert_eq!(phase(&stage, 1)["status"], "in_progress");
    stage.agent("main", &["wait", "grind", "--human", "Which flour?"]).fine();
    let stage = later(stage, 86_400);
    assert!(stage.stop_alone("main", false).held().is_some(), "after a day it is not forgotten");
    let person = stage.person(&["wait", "grind", "--for", "7d"], "");
    assert_eq!(person.code, 0, "{person:?}");
    assert_eq!(stage.stop_alone("main", false).held(), None);
    let stage = later(stage, 6 * 86_400);
    assert_eq!(stage.stop_alone("main", false).held(), None);
}

#[test]
fn a_plan_says_what_a_phase_waits_for() {
    for (wait, open) in
        [("until 2026-03-01T13:00Z", "time"), ("file grain/dry", "file"), ("human Which flour?", "human")]
    {
        let first = format!("{GRIND}\n- **WaitsFor:** {wait}");
        let stage = plan(&[&first, SELL]);
        assert_eq!(phase(&stage, 1)["status"], "waiting", "{wait}");
        for verb in [["start", "grind"], ["done", "grind"]] {
            no(&stage.agent("main", &verb), "the approved plan says so");
        }
        for word in ["complete", "in_progress"] {
            stage.edit_plan(
                "### Phase 1: Grind {#grind}\n- **Status:** pending",
                &format!("### Phase 1: Grind {{#grind}}\n- **Status:** {word}"),
            );
            let stop = stage.stop_alone("main", false);
            assert!(stop.held().is_none() && stop.notice().contains("grind waits"), "{wait} {word}: {stop:?}");
            stage.edit_plan(&format!("{{#grind}}\n- **Status:** {word}"), "{#grind}\n- **Status:** pending");
        }
        let stage = match open {
            "time" => later(stage, 3_600),
            "file" => {
                stage.write("grain/dry", "x");
                stage
            }
            _ => {
                no(&stage.agent("main", &["approve", "grind"]), "for the person");
                let given = stage.person(&["approve", "grind"], "yes\n");
                assert_eq!(given.code, 0, "{given:?}");
                stage
            }
        };
        assert!(stage.stop_alone("main", false).held().is_some(), "{wait}");
        stage.agent("main", &["done", "grind"]).fine();
    }
    let stage = Stage::new();
    stage.write("plan.md", &text(&[&format!("{GRIND}\n- **WaitsFor:** better weather")]));
    no(&stage.agent("main", &["init", "--gated", "--from", "plan.md"]), "`better` is none of until, file, human, cmd");
}

#[test]
fn a_command_that_is_waited_for_runs_in_wake_alone_and_only_if_a_person_approved_it() {
    let first = format!("{GRIND}\n- **WaitsFor:** cmd `touch ran; test -f ready`");
    let stage = plan(&[&first, SELL]);
    stage.stop_alone("main", false);
    let none = stage.verb(&["wake"]);
    assert!(none.code == 1 && none.err.contains("no person approved"), "{none:?}");
    assert!(!stage.project.join("ran").exists());
    let asked = stage.person(&["attest"], "\n");
    assert!(asked.out.contains("touch ran"), "it is shown: {asked:?}");
    let code = asked.code_asked();
    assert_eq!(stage.person(&["attest"], &format!("{code}\n")).code, 0);
    assert_eq!(stage.verb(&["wake"]).code, 1);
    assert!(stage.project.join("ran").exists(), "it ran, and said no");
    stage.write("ready", "x");
    let woke = stage.verb(&["wake"]).fine();
    assert!(woke.out.contains("phase grind (Grind) is ready") && woke.out.contains("steadfast run claude"), "{woke:?}");
    let start = stage.start("main", "resume");
    assert!(start.context().starts_with("steadfast: phase 1 (\"Grind\") need not wait"), "{start:?}");
    assert!(!stage.start("main", "compact").context().contains("need not wait"), "told once");
}

#[test]
fn wake_looks_at_all_plans_and_says_who_wakes() {
    let stage = plan(&[GRIND, SELL]);
    assert_eq!(stage.verb(&["wake"]).code, 1, "nothing waits");
    stage.agent("main", &["wait", "grind", "--for", "1h"]).fine();
    assert!(stage.verb(&["status"]).fine().out.contains("woken by: nothing: asleep"), "once is not regularly");
    let stage = later(stage, 20);
    assert_eq!(stage.verb(&["wake"]).code, 1);
    assert!(stage.verb(&["status"]).fine().out.contains("woken by: nothing: asleep"), "somebody's hand is no service");
    let stage = later(stage, 600);
    assert_eq!(stage.person(&["wake"], "").code, 1);
    assert!(stage.verb(&["status"]).fine().out.contains("woken by: nothing: asleep"), "nor is what a person types");
    assert_eq!(stage.verb(&["wake"]).code, 1, "nothing is due");
    assert!(stage.verb(&["status"]).fine().out.contains("woken by: steadfast wake, which runs here regularly"));
    let stage = later(stage, 3_600);
    let mut elsewhere = stage.command(&["wake", "--json"]);
    let output: Ran = elsewhere.current_dir(&stage.home).output().unwrap().into();
    let woken = output.fine().json();
    assert_eq!(woken["woken"][0]["phase"], "grind");
    assert_eq!(woken["woken"][0]["evidence"], "it is 2026-03-01T13:00:00Z");
    assert_eq!(stage.verb(&["wake"]).code, 1, "once");
    assert_eq!(phase(&stage, 1)["status"], "in_progress");
    let stage = later(stage, 40_000);
    stage.agent("main", &["wait", "grind", "--for", "1h"]).fine();
    assert!(stage.verb(&["status"]).fine().out.contains("woken by: nothing: asleep"), "it has not run for long");
    stage.person(&["pause"], "");
    let stage = later(stage, 90_000);
    assert_eq!(stage.verb(&["wake"]).code, 1, "a paused run is not woken");
}

#[test]
fn a_routine_comes_again_and_never_finishes_the_plan() {
    let sweep = "### Phase 3: Sweep {#sweep}\n- [ ] The floor\n- **Status:** pending\n- **Every:** 7d";
    let stage = plan(&[GRIND, SELL, sweep]);
    // At a phase boundary it comes first.
    assert_eq!(stage.status()["next"]["phase"], "sweep");
    assert_eq!(phase(&stage, 3)["status"], "in_progress");
    stage.agent("main", &["step", "sweep", "1"]).fine();
    let done = stage.agent("main", &["done", "sweep"]).fine();
    assert!(done.out.contains("waits until 2026-03-08T12:00:00Z"), "{done:?}");
    assert_eq!(phase(&stage, 3)["status"], "waiting");
    assert_eq!(stage.status()["next"]["phase"], "grind");
    stage.agent("main", &["done", "grind"]).fine();
    stage.agent("main", &["done", "sell"]).fine();
    let stop = stage.stop_alone("main", false);
    assert!(stop.held().is_none() && stop.notice().contains("sweep waits until"), "not done: {stop:?}");
    let stage = later(stage, 7 * 86_400);
    let held = stage.stop_alone("main", false);
    assert!(held.held().is_some_and(|r| r.contains("Sweep")), "{held:?}");
    assert!(stage.read(stage.plan_file()).contains("- [ ] The floor"), "its boxes are open again");
    // Written by hand it comes again as well.
    stage.edit_plan(
        "### Phase 3: Sweep {#sweep}\n- [ ] The floor\n- **Status:** in_progress",
        "### Phase 3: Sweep {#sweep}\n- [x] The floor\n- **Status:** complete",
    );
    let stop = stage.stop_alone("main", true);
    assert!(stop.notice().contains("sweep waits until 2026-03-15"), "{stop:?}");
    // And a lost run state does not lose it.
    fs::remove_file(stage.plan_dir().join(".run")).unwrap();
    stage.agent("main", &["attach"]).fine();
    assert_eq!(phase(&stage, 3)["status"], "waiting");
}

#[test]
fn a_wait_is_rebuilt_from_the_ledger() {
    let stage = plan(&[GRIND, SELL]);
    stage.agent("main", &["wait", "grind", "--file", "grain/dry", "--for", "3h"]).fine();
    let before = phase(&stage, 1);
    fs::remove_file(stage.plan_dir().join(".run")).unwrap();
    stage.agent("main", &["attach"]).fine();
    assert_eq!(phase(&stage, 1), before);
    assert_eq!(before["waits"], json!("for the file grain/dry, until 2026-03-01T15:00:00Z at most"));
}

#[test]
fn what_the_agent_parks_does_not_wait() {
    let stage = plan(&[GRIND, SELL]);
    stage.agent("main", &["wait", "grind", "--for", "1h"]).fine();
    stage.agent("main", &["skip", "grind", "--why", "no grain"]).fine();
    assert_eq!(phase(&stage, 1)["status"], "skipped");
    let stage = later(stage, 4_000);
    stage.stop_alone("main", false);
    assert_eq!(phase(&stage, 1)["status"], "skipped");
    no(&stage.agent("main", &["wait", "grind", "--for", "1h"]), "is skipped");
}

#[test]
fn what_lies_outside_the_project_is_not_waited_for() {
    for line in ["- **WaitsFor:** file /etc/passwd", "- **WaitsFor:** file ../grain", "- **Artifact:** ../flour"] {
        let stage = Stage::new();
        stage.write("plan.md", &text(&[&format!("{GRIND}\n{line}"), SELL]));
        let made = stage.agent("main", &["init", "--gated", "--from", "plan.md"]);
        assert!(made.code == 1 && made.err.contains("beneath the project"), "{line}: {made:?}");
        assert!(made.err.contains("fix: steadfast init --gated --from plan.md"), "{made:?}");
    }
}

#[test]
fn a_routine_shows_everything_anew_each_time() {
    let sweep =
        "### Phase 1: Sweep {#sweep}\n- **Status:** pending\n- **Every:** 1h\n- **Check:** `test -f $HOME/clean`";
    let stage = plan(&[sweep]);
    let clean = stage.home.join("clean");
    fs::write(&clean, "x").unwrap();
    stage.agent("main", &["done", "sweep"]).fine();
    stage.stop_alone("main", false);
    fs::remove_file(&clean).unwrap();
    let stage = later(stage, 3_601);
    assert!(stage.stop_alone("main", false).held().is_some());
    assert_eq!(phase(&stage, 1)["proof"], "missing");
    no(&stage.agent("main", &["done", "sweep"]), "exit code 1");
    let stage = Stage::new();
    stage.write("plan.md", &text(&[&format!("{GRIND}\n- **Every:** 1d\n- **Receipt:** sent"), SELL]));
    no(&stage.agent("main", &["init", "--gated", "--from", "plan.md"]), "a receipt or an approval is given once");
}
