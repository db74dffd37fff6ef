use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::core::change::tests::any_contract;
use crate::core::contract::GateOptions;

fn phase(id: &str, steps: &[&str], checks: &[&str]) -> ContractPhase {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    ContractPhase {
        id: id.to_owned(),
        title: format!("The {id}"),
        steps: texts(steps),
        checks: texts(checks),
        ..ContractPhase::default()
    }
}

#[test]
fn what_a_person_reads() {
    let old = Contract {
        v: 1,
        goal: "Go".to_owned(),
        mode: Mode::Gate,
        gate: GateOptions { hold: None },
        phases: vec![
            phase("dock", &["one", "two"], &["true"]),
            phase("ramp", &[], &[]),
            phase("bell", &["a", "b"], &[]),
        ],
    };
    let mut new = old.clone();
    new.goal = "Stay".to_owned();
    new.mode = Mode::Plain;
    new.gate.hold = Some(true);
    new.phases = vec![
        phase("bell", &["b", "a"], &[]),
        phase("dock", &["two", "three"], &["make"]),
        phase("quay", &["x"], &["id"]),
    ];
    new.phases[1].title = "A dock".to_owned();
    new.phases[1].every = Some("1d".to_owned());
    new.phases[1].depends_on = vec!["bell".to_owned()];
    let text: Vec<String> = differences(&old, &new).iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "goal: Go -> Stay",
            "mode: gate -> plain",
            "hold again: where nobody attends -> always",
            "order of phases: bell, dock",
            "bell: order of steps changed",
            "dock: title: The dock -> A dock",
            "dock: + depends on: bell",
            "dock: - step: one",
            "dock: + step: three",
            "dock: check: true -> make",
            "dock: every: none -> 1d",
            "+ phase quay: The quay",
            "quay: + step: x",
            "quay: + check: id",
            "- phase ramp: The ramp",
        ]
    );
}

#[test]
fn what_stands_in_the_place_of_another_is_reworded() {
    let lines = |old: &[&str], new: &[&str]| -> Vec<String> {
        let contract = |steps: &[&str]| Contract { phases: vec![phase("a", steps, &[])], ..Contract::default() };
        differences(&contract(old), &contract(new)).iter().map(Difference::bare).collect()
    };
    for (old, new, right) in [
        (&["a", "b", "c"][..], &["a", "x", "c"][..], &["step: b -> x"][..]),
        (&["a", "b"], &["x", "y"], &["step: a -> x", "step: b -> y"]),
        (&["a", "b"], &["a", "x", "y", "b"], &["+ step: x", "+ step: y"]),
        (&["a", "b", "c"], &["b", "x"], &["- step: a", "step: c -> x"]),
        (&["a", "b", "c"], &["a", "b", "c", "c"], &["+ step: c"]),
        (&["a", "b", "c"], &["b", "a", "x"], &["order of steps changed", "- step: c", "+ step: x"]),
        (&["a"], &[], &["- step: a"]),
    ] {
        assert_eq!(lines(old, new), right, "{old:?} {new:?}");
    }
}

type Edit = fn(&mut Contract);

#[test]
fn what_a_program_reads() {
    let old = Contract {
        v: 1,
        goal: "Go".to_owned(),
        mode: Mode::Gate,
        gate: GateOptions::default(),
        phases: vec![phase("dock", &["one", "two"], &["true"]), phase("ramp", &["up"], &[])],
    };
    let row = |phase: &str, title: &str, kind: &str, old: Value, new: Value| json!({ "phase": phase, "title": title, "kind": kind, "old": old, "new": new });
    let dock = |kind: &str, old: Value, new: Value| vec![row("dock", "The dock", kind, old, new)];
    let whole = |kind: &str, old: Value, new: Value| {
        vec![json!({ "phase": null, "title": null, "kind": kind, "old": old, "new": new })]
    };
    let table: Vec<(Edit, Vec<Value>)> = vec![
        (|_| {}, vec![]),
        (|c| c.v = 2, whole("format_changed", json!(1), json!(2))),
        (|c| c.goal = "Stay".into(), whole("goal_changed", json!("Go"), json!("Stay"))),
        (|c| c.mode = Mode::Plain, whole("mode_changed", json!("gate"), json!("plain"))),
        (|c| c.gate.hold = Some(false), whole("hold_changed", Value::Null, json!(false))),
        (|c| c.phases.swap(0, 1), whole("reordered", json!(["dock", "ramp"]), json!(["ramp", "dock"]))),
        (
            |c| c.phases.push(phase("quay", &["x"], &["id"])),
            vec![
                row("quay", "The quay", "added", Value::Null, json!("The quay")),
                row("quay", "The quay", "step_added", Value::Null, json!("x")),
                row("quay", "The quay", "check_changed", Value::Null, json!("id")),
            ],
        ),
        (|c| drop(c.phases.pop()), vec![row("ramp", "The ramp", "removed", json!("The ramp"), Value::Null)]),
        (
            |c| c.phases[0].title = "A dock".into(),
            vec![row("dock", "A dock", "reworded", json!("The dock"), json!("A dock"))],
        ),
        (|c| c.phases[0].steps.push("three".into()), dock("step_added", Value::Null, json!("three"))),
        (|c| drop(c.phases[0].steps.pop()), dock("step_removed", json!("two"), Value::Null)),
        (|c| c.phases[0].steps[1] = "too".into(), dock("step_reworded", json!("two"), json!("too"))),
        (|c| c.phases[0].steps.swap(0, 1), dock("steps_reordered", json!(["one", "two"]), json!(["two", "one"]))),
        (|c| c.phases[0].checks[0] = "make".into(), dock("check_changed", json!("true"), json!("make"))),
        (|c| c.phases[0].checks.push("make".into()), dock("check_changed", Value::Null, json!("make"))),
        (|c| c.phases[0].checks.clear(), dock("check_changed", json!("true"), Value::Null)),
        (|c| c.phases[0].depends_on.push("ramp".into()), dock("depends_changed", json!([]), json!(["ramp"]))),
        (|c| c.phases[0].artifacts.push("out".into()), dock("artifact_changed", Value::Null, json!("out"))),
        (|c| c.phases[0].receipts.push("r".into()), dock("receipt_changed", Value::Null, json!("r"))),
        (|c| c.phases[0].approvals.push("you".into()), dock("approval_changed", Value::Null, json!("you"))),
        (|c| c.phases[0].waits_for.push("file x".into()), dock("wait_changed", Value::Null, json!("file x"))),
        (|c| c.phases[0].tools.push("make".into()), dock("tool_changed", Value::Null, json!("make"))),
        (|c| c.phases[0].every = Some("1d".into()), dock("every_changed", Value::Null, json!("1d"))),
    ];
    for (edit, right) in table {
        let mut new = old.clone();
        edit(&mut new);
        assert_eq!(values(&old, &new), right);
    }
}

proptest! {
    #[test]
    fn empty_exactly_where_nothing_differs(old in any_contract(), new in any_contract()) {
        prop_assert!(differences(&old, &old).is_empty());
        prop_assert_eq!(differences(&old, &new).is_empty(), old == new);
    }

    #[test]
    fn a_small_change_is_named(old in any_contract(), at in any::<prop::sample::Index>()) {
        let mut new = old.clone();
        let index = at.index(new.phases.len());
        new.phases[index].steps.reverse();
        prop_assert_eq!(differences(&old, &new).is_empty(), old == new);
    }

    #[test]
    fn what_is_only_added_is_said_to_be(old in any_contract(), text in "[d-f]{1,3}", at in any::<prop::sample::Index>()) {
        let mut new = old.clone();
        let phase = at.index(new.phases.len());
        let steps = &mut new.phases[phase].steps;
        steps.insert(at.index(steps.len() + 1), text.clone());
        prop_assert_eq!(
            differences(&old, &new),
            [Difference::Added { phase: old.phases[phase].id.clone(), part: Part::Step, text }]
        );
    }
}
