//! What happened in a run, out of its records: for the person who reads in the morning how the night was.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::core::ledger::Record;

/// How a run went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story<'a> {
    /// Time of the first record; empty where there is none.
    pub begun: &'a str,
    /// Time of the last record.
    pub last: &'a str,
    /// How the last stop that was judged ended, and when: a verdict's word.
    pub ended: Option<(&'a str, &'a str)>,
    /// Sessions that left a record.
    pub sessions: usize,
    /// Prompts of the user.
    pub prompts: usize,
    /// Stops that were held.
    pub holds: usize,
    /// Edits with a tool.
    pub edits: usize,
    /// Different files of those.
    pub files: usize,
    /// Proofs that passed.
    pub passed: usize,
    /// Proofs that did not.
    pub failed: usize,
    /// Calls that the guard refused.
    pub refused: usize,
    /// Decisions, errors and handoffs that were logged, in order.
    pub said: Vec<&'a Record>,
}

/// Tells it. `records` in the order of their ticks.
pub fn story(records: &[Record]) -> Story<'_> {
    let count = |wanted: &dyn Fn(&Record) -> bool| records.iter().filter(|r| wanted(r)).count();
    let of = |event: &'static str| count(&move |r: &Record| r.event == event);
    let result = |r: &Record| r.data.get("result").and_then(Value::as_str).map(str::to_owned);
    let proofs = |wanted: &str| count(&|r| r.event == "proof" && result(r).as_deref() == Some(wanted));
    let passed = proofs("passed");
    let edits = || records.iter().filter(|r| r.event == "edit");
    let stop = records.iter().rev().find(|r| matches!(r.event.as_str(), "gate_block" | "gate_allow"));
    Story {
        begun: records.first().map_or("", |r| r.ts.as_str()),
        last: records.last().map_or("", |r| r.ts.as_str()),
        ended: stop.and_then(|r| {
            let word = if r.event == "gate_block" { "hold" } else { r.data.get("verdict").and_then(Value::as_str)? };
            Some((word, r.ts.as_str()))
        }),
        sessions: records.iter().filter(|r| !r.session.is_empty()).map(|r| &r.session).collect::<BTreeSet<_>>().len(),
        prompts: count(&|r| r.event == "prompt" && r.data.get("user") != Some(&Value::Bool(false))),
        holds: of("gate_block"),
        edits: edits().count(),
        files: edits().flat_map(|r| &r.files).collect::<BTreeSet<_>>().len(),
        passed,
        failed: of("proof") - passed - proofs("word"),
        refused: of("guard"),
        said: records.iter().filter(|r| matches!(r.event.as_str(), "decision" | "error" | "handoff")).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_night_is_told_by_its_records() {
        let record = |tick: u64, session: &str, event: &str, data: Value, files: &[&str]| Record {
            tick,
            ts: format!("t{tick}"),
            session: session.into(),
            event: event.into(),
            data,
            files: files.iter().map(|f| (*f).to_owned()).collect(),
            ..Record::default()
        };
        let records = [
            record(1, "", "init", Value::Null, &[]),
            record(2, "a", "prompt", Value::Null, &[]),
            record(3, "a", "prompt", json!({ "user": false }), &[]),
            record(4, "a", "edit", Value::Null, &["x", "y"]),
            record(5, "b", "edit", Value::Null, &["x"]),
            record(6, "b", "proof", json!({ "result": "failed" }), &[]),
            record(7, "b", "proof", json!({ "result": "interrupted" }), &[]),
            record(8, "b", "proof", json!({ "result": "passed" }), &[]),
            record(9, "b", "guard", Value::Null, &[]),
            record(10, "b", "gate_block", Value::Null, &[]),
            record(11, "b", "decision", Value::Null, &[]),
            record(12, "b", "gate_allow", json!({ "verdict": "needs-you" }), &[]),
            record(13, "b", "session_end", Value::Null, &[]),
        ];
        let told = story(&records);
        assert_eq!(
            told,
            Story {
                begun: "t1",
                last: "t13",
                ended: Some(("needs-you", "t12")),
                sessions: 2,
                prompts: 1,
                holds: 1,
                edits: 2,
                files: 2,
                passed: 1,
                failed: 2,
                refused: 1,
                said: vec![&records[10]],
            }
        );
        assert_eq!(story(&records[..10]).ended, Some(("hold", "t10")));
        assert_eq!(story(&[]), Story::default());
    }
}
