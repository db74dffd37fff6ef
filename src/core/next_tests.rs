use proptest::prelude::*;

use super::*;
use crate::core::run::PhaseRun;

fn phase(id: &str, status: Status, depends_on: &[&str]) -> PhaseView {
    PhaseView {
        id: id.to_owned(),
        title: format!("Title of {id}"),
        status,
        depends_on: depends_on.iter().map(|&d| d.to_owned()).collect(),
        ..PhaseView::default()
    }
}

fn with_steps(mut phase: PhaseView, states: &[StepState]) -> PhaseView {
    phase.steps = states.iter().enumerate().map(|(i, s)| (format!("step {i}"), *s)).collect();
    phase
}

fn recorded(mut phase: PhaseView, run: PhaseRun) -> PhaseView {
    phase.run = run;
    phase
}

fn failed(id: &str, tries: u32, depends_on: &[&str]) -> PhaseView {
    let run = PhaseRun { tries, why: "the\nlinker is missing".to_owned(), ..PhaseRun::default() };
    recorded(phase(id, Status::Failed, depends_on), run)
}

fn parked(id: &str, by_agent: bool) -> PhaseView {
    recorded(phase(id, Status::Skipped, &[]), PhaseRun { by_agent, ..PhaseRun::default() })
}

fn view(phases: Vec<PhaseView>) -> View {
    let phases = phases.into_iter().enumerate().map(|(i, p)| PhaseView { number: i + 1, ..p }).collect();
    View { goal: "Replace the parser".to_owned(), phases }
}

/// Kind, phase, step, why, command, and the work for a gate without and with stale proofs.
#[track_caller]
fn check(phases: Vec<PhaseView>, want: (Kind, Option<usize>, Option<usize>, &str, &str), work_wanted: (Work, Work)) {
    let view = view(phases);
    let got = next(&view);
    assert_eq!((got.kind, got.phase, got.step, got.why.as_str(), got.command.as_str()), want);
    assert_eq!((work(&view, false), work(&view, true)), work_wanted);
}

const OPEN: (Work, Work) = (Work::Open, Work::Open);
const NEEDS_YOU: (Work, Work) = (Work::NeedsYou, Work::NeedsYou);
const WAITING: (Work, Work) = (Work::Waiting, Work::Waiting);

use Status::{Complete, Failed, InProgress, Pending, Skipped, Unknown, Waiting};
use StepState::{Done, Dropped, Open};

#[test]
fn goes_on_with_what_is_in_progress() {
    check(
        vec![
            phase("survey", Pending, &[]),
            with_steps(phase("build", InProgress, &[]), &[Done, Dropped, Open, Open]),
            failed("test", 1, &[]),
        ],
        (Kind::Work, Some(1), Some(2), "2 steps are open", "steadfast step build 3"),
        OPEN,
    );
    check(
        vec![with_steps(phase("build", InProgress, &[]), &[Open])],
        (Kind::Work, Some(0), Some(0), "1 step is open", "steadfast step build 1"),
        OPEN,
    );
    check(
        vec![with_steps(phase("build", InProgress, &[]), &[Done])],
        (Kind::Work, Some(0), None, "no step is open", "steadfast done build"),
        OPEN,
    );
    check(
        vec![phase("build", InProgress, &[])],
        (Kind::Work, Some(0), None, "it is in progress", "steadfast done build"),
        OPEN,
    );
}

#[test]
fn a_claimed_phase_is_checked() {
    let claimed = PhaseView { claimed: true, ..with_steps(phase("build", InProgress, &[]), &[Open]) };
    check(
        vec![phase("survey", Complete, &[]), claimed],
        (Kind::Work, Some(1), None, "it is marked complete, but its check has not passed", "steadfast check build"),
        OPEN,
    );
}

#[test]
fn in_progress_too_early_gives_way_to_its_dependency() {
    check(
        vec![phase("survey", Pending, &[]), phase("build", InProgress, &["survey"])],
        (Kind::Start, Some(0), None, "it comes next", "steadfast start survey"),
        OPEN,
    );
    check(
        vec![phase("survey", Waiting, &[]), phase("build", InProgress, &["survey"])],
        (Kind::Waiting, Some(0), None, "phase 1 waits", "steadfast status"),
        WAITING,
    );
}

#[test]
fn starts_the_first_that_is_ready() {
    check(
        vec![
            phase("survey", Complete, &[]),
            phase("late", Pending, &["build"]),
            with_steps(phase("build", Pending, &["survey", "parked"]), &[Done, Open]),
            phase("parked", Skipped, &[]),
        ],
        (Kind::Start, Some(2), Some(1), "what it depends on is finished or parked", "steadfast start build"),
        OPEN,
    );
    check(vec![phase("odd", Unknown, &[])], (Kind::Start, Some(0), None, "it comes next", "steadfast start odd"), OPEN);
}

#[test]
fn retries_only_after_what_is_pending() {
    check(
        vec![failed("build", 1, &[]), phase("docs", Pending, &[])],
        (Kind::Start, Some(1), None, "it comes next", "steadfast start docs"),
        OPEN,
    );
    check(
        vec![failed("build", 2, &[]), phase("docs", Pending, &["build"]), phase("w", Waiting, &[])],
        (
            Kind::Start,
            Some(0),
            None,
            "failed: the linker is missing; try again or change the approach",
            "steadfast start build",
        ),
        OPEN,
    );
    check(
        vec![failed("build", 3, &[]), phase("other", Failed, &[])],
        (Kind::Start, Some(1), None, "failed; try again or change the approach", "steadfast start other"),
        OPEN,
    );
}

#[test]
fn waits() {
    let run = PhaseRun { why: "until Friday".to_owned(), ..PhaseRun::default() };
    check(
        vec![
            phase("a", Complete, &[]),
            recorded(phase("b", Waiting, &["a"]), run),
            phase("c", Pending, &["b"]),
            parked("d", true),
        ],
        (Kind::Waiting, Some(1), None, "phase 2 waits: until Friday", "steadfast status"),
        WAITING,
    );
    check(
        vec![failed("a", 3, &[]), phase("b", Waiting, &[])],
        (Kind::Waiting, Some(1), None, "phase 2 waits", "steadfast status"),
        WAITING,
    );
}

#[test]
fn is_blocked() {
    check(
        vec![failed("a", 3, &[]), phase("b", Pending, &["a"]), phase("c", Pending, &["a", "b"]), parked("d", false)],
        (
            Kind::Blocked,
            Some(0),
            None,
            "phase 1 failed: the linker is missing (3 tries); it blocks 2, 3",
            "steadfast start a",
        ),
        NEEDS_YOU,
    );
    check(
        vec![failed("a", 7, &[])],
        (Kind::Blocked, Some(0), None, "phase 1 failed: the linker is missing (7 tries)", "steadfast start a"),
        NEEDS_YOU,
    );
    check(
        vec![phase("a", Pending, &["b"]), phase("b", Pending, &["a"])],
        (Kind::Blocked, None, None, "phase 1 depends on phase 2, which can never become ready", "steadfast status"),
        NEEDS_YOU,
    );
    check(
        vec![phase("a", Pending, &["gone"])],
        (Kind::Blocked, None, None, "phase 1 depends on gone, which is not in the plan", "steadfast status"),
        NEEDS_YOU,
    );
}

#[test]
fn an_id_that_is_there_twice_is_met_by_both() {
    let twice = |status| vec![phase("a", Complete, &[]), phase("a", status, &[]), phase("b", InProgress, &["a"])];
    assert_eq!(next(&view(twice(Pending))).phase, Some(1));
    assert_eq!(next(&view(twice(Complete))).phase, Some(2));
}

#[test]
fn is_done() {
    check(
        vec![phase("a", Complete, &[])],
        (Kind::Done, None, None, "every phase is complete", "steadfast status"),
        (Work::Done, Work::Stale),
    );
    check(
        vec![phase("a", Complete, &[]), parked("b", false)],
        (Kind::Done, None, None, "every phase is complete or parked", "steadfast status"),
        (Work::Done, Work::Stale),
    );
}

#[test]
fn where_only_parked_phases_are_left_the_work_is_to_plan() {
    check(
        vec![phase("a", Complete, &[]), parked("b", true)],
        (
            Kind::Plan,
            None,
            None,
            "nothing is left but 1 parked phase: add phases to the plan, or ask the user",
            "steadfast attest",
        ),
        NEEDS_YOU,
    );
    check(
        vec![parked("a", true), parked("b", true)],
        (
            Kind::Plan,
            None,
            None,
            "nothing is left but 2 parked phases: add phases to the plan, or ask the user",
            "steadfast attest",
        ),
        NEEDS_YOU,
    );
}

#[test]
fn an_empty_plan_is_to_be_written() {
    check(vec![], (Kind::Plan, None, None, "the plan has no approved phases", "steadfast attest"), NEEDS_YOU);
}

#[test]
fn proofs_grow_stale_and_are_asked_for_once() {
    let proven = |proof, proof_tick| {
        let run = PhaseRun { proof, proof_tick, ..PhaseRun::default() };
        PhaseView { needs_proof: true, ..recorded(phase("a", Complete, &[]), run) }
    };
    let is_stale = |phase: PhaseView, edit_tick, asked_tick| {
        stale(&view(vec![phase]), &Run { edit_tick, asked_tick, ..Run::default() })
    };
    assert!(is_stale(proven(Proof::Passed, 4), 5, 0));
    assert!(is_stale(proven(Proof::Passed, 4), 5, 3));
    assert!(!is_stale(proven(Proof::Passed, 4), 5, 5));
    assert!(!is_stale(proven(Proof::Passed, 4), 9, 5), "a further edit asks no second time");
    assert!(is_stale(proven(Proof::Passed, 7), 9, 5), "it was proven since");
    assert!(!is_stale(proven(Proof::Passed, 5), 5, 0));
    assert!(!is_stale(proven(Proof::Passed, 6), 5, 0));
    assert!(is_stale(proven(Proof::None, 0), 0, 0));
    assert!(!is_stale(proven(Proof::None, 0), 0, 1));
    assert!(is_stale(proven(Proof::Failed, 9), 5, 0));
    assert!(!is_stale(PhaseView { needs_proof: false, ..proven(Proof::None, 0) }, 5, 0));
    assert!(!is_stale(PhaseView { status: Skipped, ..proven(Proof::None, 0) }, 5, 0));
}

#[test]
fn names_in_commands() {
    let long = "replace-the-parser";
    let view = view(vec![
        phase(long, Pending, &[]),
        phase("bau-übung", Pending, &[]),
        phase("a b", Pending, &[]),
        phase("-x", Pending, &[]),
        phase("replace-the-lexer-5", Pending, &[]),
        phase("5", Pending, &[]),
        phase("", Pending, &[]),
        phase("sixteen-bytes-id", Pending, &[]),
        phase("seventeen-bytes-i", Pending, &[]),
    ]);
    let names: Vec<_> = view.phases.iter().map(|p| name(&view, p)).collect();
    assert_eq!(names, ["1", "bau-übung", "3", "4", "replace-the-lexer-5", "5", "7", "sixteen-bytes-id", "9"]);
}

fn any_view() -> impl Strategy<Value = View> {
    let status = prop::sample::select(vec![Pending, InProgress, Complete, Failed, Skipped, Waiting, Unknown]);
    let steps = prop::collection::vec(prop::sample::select(vec![Open, Done, Dropped]), 0..4);
    let one = (status, steps, prop::collection::vec(0usize..9, 0..3), 0u32..5, any::<bool>(), any::<bool>());
    prop::collection::vec(one, 0..8).prop_map(|phases| {
        let ids = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "gone"];
        view(
            phases
                .into_iter()
                .enumerate()
                .map(|(i, (status, steps, deps, tries, by_agent, claimed))| {
                    let deps: Vec<_> = deps.into_iter().map(|d| ids[d]).collect();
                    let run = PhaseRun { tries, by_agent, ..PhaseRun::default() };
                    let claimed = claimed && status == InProgress;
                    let made = recorded(with_steps(phase(ids[i], status, &deps), &steps), run);
                    PhaseView { claimed, ..made }
                })
                .collect(),
        )
    })
}

proptest! {
    #[test]
    fn never_names_a_phase_with_an_open_dependency(view in any_view()) {
        let next = next(&view);
        prop_assert!(!next.why.is_empty() && next.command.starts_with("steadfast "));
        let named = next.phase.map(|index| &view.phases[index]);
        if let Some(phase) = named {
            prop_assert!(!phase.settled());
            for id in &phase.depends_on {
                prop_assert!(view.phases.iter().find(|p| &p.id == id).unwrap().settled());
            }
            if let Some(step) = next.step {
                prop_assert_eq!(phase.steps[step].1, Open);
            }
        }
        let kind_fits = match next.kind {
            Kind::Work => named.is_some_and(|p| p.status == InProgress),
            Kind::Start => named.is_some_and(|p| matches!(p.status, Pending | Unknown | Failed)),
            Kind::Waiting => named.is_some_and(|p| p.status == Waiting),
            Kind::Blocked => named.is_none_or(|p| p.status == Failed && p.run.tries >= TRIES),
            Kind::Done => view.phases.iter().all(|p| p.settled() && !parked_by_agent(p)),
            // Nothing is ready, and nothing waits.
            Kind::Plan => view.phases.iter().all(PhaseView::settled),
        };
        prop_assert!(kind_fits, "{:?}", next);
    }

    #[test]
    fn following_it_comes_to_an_end(mut view in any_view()) {
        let boxes: usize = view.phases.iter().map(|p| p.steps.len()).sum();
        let mut last = next(&view);
        for _ in 0..boxes + 2 * view.phases.len() {
            let Some(phase) = last.phase.map(|index| &mut view.phases[index]) else { break };
            match (last.kind, last.step) {
                (Kind::Work, Some(step)) => phase.steps[step].1 = Done,
                (Kind::Work, None) => (phase.status, phase.claimed) = (Complete, false),
                (Kind::Start, _) => phase.status = InProgress,
                _ => break,
            }
            last = next(&view);
        }
        prop_assert!(!matches!(last.kind, Kind::Work | Kind::Start), "{:?}", last);
    }

    #[test]
    fn the_gate_holds_only_for_work_that_is_named(view in any_view(), stale: bool) {
        let kind = next(&view).kind;
        let open = matches!(kind, Kind::Work | Kind::Start);
        prop_assert_eq!(work(&view, stale) == Work::Open, open);
        prop_assert!(work(&view, stale) != Work::Stale || (stale && kind == Kind::Done));
        prop_assert_eq!(work(&view, false) == Work::Done, kind == Kind::Done);
        prop_assert!(kind != Kind::Done || !view.phases.iter().any(|p| p.status == Skipped && p.run.by_agent));
    }
}
