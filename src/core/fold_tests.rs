use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::core::ledger::chain;

fn record(tick: u64, event: &str, phase: &str, data: Value) -> Record {
    Record { tick, event: event.to_owned(), phase: phase.to_owned(), data, ..Record::default() }
}

/// Every event that changes what is folded, and one that nobody knows.
const EVENTS: [&str; 22] = [
    "init",
    "prompt",
    "pause",
    "resume",
    "revoke",
    "attest",
    "release",
    "proposal",
    "gate_block",
    "edit",
    "step",
    "receipt",
    "proof",
    "phase_start",
    "phase_retry",
    "phase_reopened",
    "wake",
    "phase_complete",
    "phase_failed",
    "phase_skipped",
    "phase_waiting",
    "noise",
];

/// Lines with links, as the store writes them.
fn ledger(records: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut prev = String::new();
    for record in records {
        let line = Record { prev: prev.clone(), ..record.clone() }.to_line();
        prev = chain(line.as_bytes());
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

fn fold_one(bytes: &[u8]) -> Folded {
    fold([("main", bytes)])
}

#[test]
fn nothing_gives_nothing() {
    let folded = fold([]);
    assert_eq!(folded, Folded { run: Run { v: 1, ..Run::default() }, ..Folded::default() });
    let empty = fold_one(b"");
    assert_eq!((empty.run.tick, empty.bad_lines, empty.torn_ends), (0, 0, 0));
    assert_eq!(empty.run.ledgers["main"], LedgerEnd::default());
}

#[test]
fn statuses_proofs_and_tries() {
    let passed = json!({"result": "passed", "exit": 0, "checks": "0123abcd"});
    let failed = json!({"result": "failed", "exit": 101, "checks": "0123abcd"});
    let bytes = ledger(&[
        record(1, "init", "", Value::Null),
        record(2, "phase_start", "build", Value::Null),
        record(3, "proof", "build", failed),
        record(4, "edit", "build", json!({"digest": "aa"})),
        record(5, "proof", "build", passed),
        record(6, "phase_complete", "build", Value::Null),
        record(7, "phase_start", "docs", Value::Null),
        Record { summary: "no\nlinker".to_owned(), ..record(8, "phase_failed", "docs", Value::Null) },
        record(9, "phase_skipped", "site", json!({"why": "later", "by": "person"})),
        record(10, "phase_skipped", "blog", json!({"why": "later"})),
        record(11, "phase_waiting", "a-phase-with-a-long-id", json!({"why": "until Friday"})),
        record(12, "phase_retry", "docs", Value::Null),
        record(13, "note", "", Value::Null),
        record(14, "prompt", "", Value::Null),
    ]);
    let folded = fold_one(&bytes);
    assert_eq!((folded.bad_lines, folded.torn_ends, folded.broken_links, folded.double_ticks), (0, 0, 0, 0));
    let run = &folded.run;
    let build = &run.phases["build"];
    assert_eq!((build.status, build.proof, build.exit), (Some(Status::Complete), Proof::Passed, Some(0)));
    assert_eq!((build.tries, build.proof_tick, build.checks.as_str()), (2, 5, "0123abcd"));
    assert_eq!((run.phases["docs"].status, run.phases["docs"].why.as_str()), (Some(Status::InProgress), ""));
    let parked = |id: &str| (run.phases[id].status, run.phases[id].why.clone(), run.phases[id].by_agent);
    assert_eq!(parked("site"), (Some(Status::Skipped), "later".to_owned(), false));
    assert_eq!(parked("blog"), (Some(Status::Skipped), "later".to_owned(), true));
    let key = phase_key("a-phase-with-a-long-id");
    assert_eq!((run.phases[&key].status, run.phases[&key].why.as_str()), (Some(Status::Waiting), "until Friday"));
    assert_eq!((run.tick, run.edit_tick), (14, 4));
    assert_eq!(run.mark, Mark { phases: 3, boxes: 0, proofs: 1, files: 1 });
    assert!(Seen::parse(&run.seen).contains("aa"));
    let end = &run.ledgers["main"];
    assert_eq!((end.bytes, end.tick, end.work_tick, end.event.as_str()), (bytes.len() as u64, 14, 13, "note"));
    assert_eq!(end.digest, chain(bytes.split(|b| *b == b'\n').rev().nth(1).unwrap()));
}

#[test]
fn a_reason_is_kept_while_it_counts() {
    let why = format!("x\ny{}", "z".repeat(200));
    let run = fold_one(&ledger(&[record(1, "phase_failed", "a", json!({ "why": why }))])).run;
    assert_eq!(run.phases["a"].why, format!("x y{}", "z".repeat(77)));
}

#[test]
fn budgets() {
    let block = |tick| record(tick, "gate_block", "", Value::Null);
    let of = |records: &[Record]| {
        let run = fold_one(&ledger(records)).run;
        (run.blocks, run.holds)
    };
    assert_eq!(of(&[block(1), block(2)]), (2, 2));
    assert_eq!(of(&[block(1), record(2, "prompt", "", Value::Null), block(3)]), (1, 2));
    assert_eq!(of(&[block(1), record(2, "prompt", "", json!({"user": false})), block(3)]), (2, 2));
    assert_eq!(of(&[block(1), record(2, "session_start", "", Value::Null)]), (1, 1));
    let complete = |tick| record(tick, "phase_complete", "a", Value::Null);
    assert_eq!(of(&[block(1), complete(2)]), (0, 1));
    let parked = record(2, "phase_skipped", "a", Value::Null);
    assert_eq!(of(&[block(1), parked]).0, 1);
    // Done twice is done once.
    let again = record(4, "phase_retry", "a", Value::Null);
    assert_eq!(of(&[complete(1), block(2), block(3), again, complete(5)]).0, 2);
}

#[test]
fn what_was_there_is_no_progress_of_a_rebuilt_run() {
    let folded = fold_one(&ledger(&[record(1, "gate_block", "", Value::Null)]));
    let present = Mark { phases: 1, boxes: 4, proofs: 0, files: 0 };
    let run = folded.rebuilt(present);
    assert_eq!(run.mark, present);
}

#[test]
fn released_and_proposed() {
    let records = [
        record(1, "proposal", "", json!({ "n": 4 })),
        record(2, "proposal", "", json!({ "n": 2 })),
        record(3, "proposal", "", json!({ "n": -1 })),
        record(4, "release", "", Value::Null),
    ];
    let run = fold_one(&ledger(&records)).run;
    assert_eq!((run.proposed, run.released), (4, true));
}

#[test]
fn paused_resumed_and_revoked() {
    let pause = record(1, "pause", "", Value::Null);
    assert!(fold_one(&ledger(std::slice::from_ref(&pause))).run.paused);
    assert!(!fold_one(&ledger(&[pause, record(2, "resume", "", Value::Null)])).run.paused);
    let revoke = record(1, "revoke", "", Value::Null);
    assert!(fold_one(&ledger(std::slice::from_ref(&revoke))).run.revoked);
    assert!(!fold_one(&ledger(&[revoke, record(2, "attest", "", Value::Null)])).run.revoked);
}

#[test]
fn edits_of_the_plan_are_not_work_on_the_project() {
    let edit = |tick, files: &[&str]| Record {
        files: files.iter().map(|&f| f.to_owned()).collect(),
        ..record(tick, "edit", "", Value::Null)
    };
    let edited = |record| fold_one(&ledger(&[record])).run.edit_tick;
    assert_eq!(edited(edit(3, &["src/lexer.rs"])), 3);
    assert_eq!(edited(edit(3, &[])), 3);
    assert_eq!(edited(edit(3, &[".planning/a/task_plan.md"])), 0);
    assert_eq!(edited(edit(3, &["C:\\p\\.planning\\a\\notes.md", "/p/.planning/a/x"])), 0);
    assert_eq!(edited(edit(3, &[".planning/a/x", "src/a.rs"])), 3);
}

#[test]
fn agents_are_joined_by_tick() {
    let main = ledger(&[record(1, "phase_start", "a", Value::Null), record(4, "phase_complete", "a", Value::Null)]);
    let docs = ledger(&[record(2, "phase_failed", "a", Value::Null), record(4, "step", "a", json!({"step": 1}))]);
    let folded = fold([("docs", docs.as_slice()), ("main", main.as_slice())]);
    assert_eq!(folded.run.phases["a"].status, Some(Status::Complete));
    assert_eq!(folded.double_ticks, 1);
    assert_eq!(folded.run.ledgers["docs"].event, "step a");
    assert_eq!(folded.run.ledgers["main"].event, "phase_complete a");
    assert_eq!(folded.run.mark.boxes, 1);
    let ticks: Vec<_> = folded.records.iter().map(|r| r.tick).collect();
    assert_eq!(ticks, [1, 2, 4, 4]);
}

#[test]
fn damage_is_counted_and_read_over() {
    let good = ledger(&[record(1, "step", "a", Value::Null), record(2, "step", "b", Value::Null)]);
    let mut bytes = good.clone();
    bytes.extend_from_slice(
        b"{\"k\":\"noise\"}\n\n<<<<<<< HEAD\n=======\n>>>>>>> other\n||||||| base\r\n{\"tick\":9,\"ev",
    );
    let folded = fold_one(&bytes);
    assert_eq!((folded.bad_lines, folded.conflict_markers, folded.torn_ends), (1, 4, 1));
    assert_eq!((folded.records.len(), folded.run.tick, folded.broken_links), (2, 2, 0));
    // The store closes a torn end with a line end before it goes on; its next record follows the last whole one.
    bytes.push(b'\n');
    let next = Record { prev: folded.run.ledgers["main"].digest.clone(), ..record(3, "step", "c", Value::Null) };
    bytes.extend_from_slice(format!("{}\n", next.to_line()).as_bytes());
    let folded = fold_one(&bytes);
    assert_eq!((folded.bad_lines, folded.torn_ends, folded.broken_links), (2, 0, 0));
    assert_eq!(folded.run.tick, 3);
}

#[test]
fn a_changed_or_missing_line_breaks_the_link() {
    let records: Vec<_> = (1..=4).map(|tick| record(tick, "step", "a", Value::Null)).collect();
    let whole = String::from_utf8(ledger(&records)).unwrap();
    assert_eq!(fold_one(whole.as_bytes()).broken_links, 0);
    assert_eq!(fold_one(whole.replacen("step", "edit", 1).as_bytes()).broken_links, 1);
    let lines: Vec<_> = whole.lines().collect();
    assert_eq!(fold_one([lines[0], lines[2], lines[3]].join("\n").as_bytes()).broken_links, 1);
    // A link to a line that is no record is a link too.
    let noise = "{\"k\":\"noise\"}";
    let next = Record { prev: chain(noise.as_bytes()), ..record(5, "step", "a", Value::Null) };
    assert_eq!(fold_one(format!("{whole}{noise}\n{}\n", next.to_line()).as_bytes()).broken_links, 0);
    // A last record without its line end is a record.
    let folded = fold_one(lines.join("\n").as_bytes());
    assert_eq!((folded.records.len(), folded.torn_ends), (4, 0));
}

proptest! {
    #[test]
    fn any_bytes_are_folded(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folded = fold_one(&bytes);
        prop_assert_eq!(folded.run.ledgers["main"].bytes, bytes.len() as u64);
    }

    #[test]
    fn one_bad_line_costs_one_line(at in 0usize..20, junk in "[^\\n]{1,40}") {
        prop_assume!(!junk.trim().is_empty());
        let records: Vec<_> = (1..=20).map(|tick| record(tick, "step", "a", Value::Null)).collect();
        let text = String::from_utf8(ledger(&records)).unwrap();
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.insert(at, junk);
        let folded = fold_one(format!("{}\n", lines.join("\n")).as_bytes());
        prop_assert_eq!(folded.records.len(), 20);
        prop_assert_eq!(folded.bad_lines + folded.conflict_markers, 1);
        prop_assert_eq!(folded.broken_links, 0);
    }

    /// One history, written by any agents in any turns and read in any order, is one run.
    #[test]
    fn it_does_not_matter_which_agents_wrote_a_history(
        history in prop::collection::vec((0usize..EVENTS.len(), 0usize..3, 0usize..4), 0..40),
        order in Just(vec!["a", "b", "c", "d"]).prop_shuffle(),
    ) {
        let records: Vec<(usize, Record)> = history
            .iter()
            .zip(1..)
            .map(|((event, phase, agent), tick)| {
                let data = json!({ "result": (["passed", "failed", "interrupted"][*phase]), "step": event, "digest": format!("{event}{phase}"),
                    "key": "k", "until": 100 * tick, "by": (["person", "agent", ""][*phase]), "why": format!("for {tick}"), "n": tick });
                (*agent, record(tick, EVENTS[*event], ["x", "y", ""][*phase], data))
            })
            .collect();
        let whole: Vec<Record> = records.iter().map(|(_, r)| r.clone()).collect();
        let one = fold_one(&ledger(&whole));
        let of = |at: usize| ledger(&records.iter().filter(|(agent, _)| *agent == at).map(|(_, r)| r.clone()).collect::<Vec<_>>());
        let parts: Vec<(&str, Vec<u8>)> = order.iter().map(|name| (*name, of(usize::from(name.as_bytes()[0] - b'a')))).collect();
        let many = fold(parts.iter().map(|(agent, bytes)| (*agent, bytes.as_slice())));
        // Links and ends belong to the files, not to the history.
        let plain = |folded: &Folded| {
            let records: Vec<Record> = folded.records.iter().map(|r| Record { prev: String::new(), ..r.clone() }).collect();
            (Run { ledgers: BTreeMap::new(), ..folded.run.clone() }, records)
        };
        prop_assert_eq!(plain(&many), plain(&one));
        prop_assert_eq!((many.broken_links, many.double_ticks, many.bad_lines), (0, 0, 0));
    }
}
