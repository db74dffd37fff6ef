use serde_json::json;

use super::*;
use crate::core::ledger::Record;

/// The lines of a ledger with these ticks, chained after `prev`.
fn chained(prev: &str, ticks: &[u64]) -> Vec<String> {
    let mut prev = prev.to_owned();
    let line = |tick: &u64| {
        let record = Record {
            tick: *tick,
            ts: "2026-03-01T12:00:00Z".into(),
            agent: "mill".into(),
            event: "note".into(),
            summary: format!("turn {tick}"),
            data: json!(null),
            prev: prev.clone(),
            ..Record::default()
        };
        let line = record.to_line();
        prev = chain(line.as_bytes());
        line
    };
    ticks.iter().map(line).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

fn findings(bytes: &str) -> Vec<(usize, Cause)> {
    let ledger = Ledger { agent: "mill", bytes: bytes.as_bytes(), left_out: 0 };
    let found = verify(&[ledger], &BTreeMap::new());
    found[0].findings.iter().map(|f| (f.line, f.cause)).collect()
}

#[test]
fn what_was_written_is_whole() {
    for ticks in [&[][..], &[1], &[1, 2, 7, 8]] {
        let whole = text(&chained("", ticks));
        assert_eq!(findings(&whole), [], "{ticks:?}");
        assert_eq!(findings(&whole.replace('\n', "\n\n")), [], "blank lines");
        assert_eq!(findings(&whole.replace('\n', "\r\n")), [], "line ends that git wrote");
        assert_eq!(findings(whole.trim_end()), [], "a last line without its end is a record");
    }
    // Another tool's lines have no chain; ours go on from there.
    let free = "{\"tick\":1,\"event\":\"note\"}\n{\"tick\":2,\"event\":\"note\"}\n";
    let ours = text(&chained(&chain(free.lines().last().unwrap().as_bytes()), &[3, 4]));
    assert_eq!(findings(&format!("{free}{ours}")), []);
}

#[test]
fn a_write_that_was_cut_short_is_told_from_damage() {
    use Cause::{Damage, Torn};
    let lines = chained("", &[1, 2, 3]);
    let torn = format!("{}{}", text(&lines[..2]), &lines[2][..20]);
    assert_eq!(findings(&torn), [(3, Torn)]);
    // The next append closes it and is chained to it.
    let next = text(&chained(&chain(&lines[2].as_bytes()[..20]), &[3]));
    assert_eq!(findings(&format!("{torn}\n{next}")), [(3, Torn)]);
    // The same bytes with nothing chained to them came later.
    let junk = format!("{}{}\n{}\n", text(&lines[..2]), &lines[2][..20], lines[2]);
    assert_eq!(findings(&junk), [(3, Damage)]);
}

#[test]
fn each_kind_of_damage_is_found_at_its_line() {
    use Cause::{Damage, Merge};
    let lines = chained("", &[1, 2, 3, 4]);
    let without = |at: usize| text(&[&lines[..at], &lines[at + 1..]].concat());
    assert_eq!(findings(&text(&lines).replace("turn 2", "turn 9")), [(3, Damage)], "changed");
    assert_eq!(findings(&without(1)), [(2, Damage)], "taken out");
    assert_eq!(findings(&without(0)), [(1, Damage)], "the first taken out");
    let swapped = text(&[lines[0].clone(), lines[2].clone(), lines[1].clone(), lines[3].clone()]);
    assert_eq!(findings(&swapped)[0], (2, Damage), "swapped");
    let put = text(&[&lines[..2], &chained(&chain(lines[1].as_bytes()), &[9]), &lines[2..]].concat());
    assert_eq!(findings(&put), [(4, Merge)], "put between, which a merge does as well");
    let free = format!("{}{}\n", text(&lines), "{\"tick\":5,\"event\":\"note\"}");
    assert_eq!(findings(&free), [(5, Damage)], "without a chain, after lines that have one");
    assert_eq!(findings(&text(&chained("", &[1, 3, 2]))), [(3, Damage)], "ticks fall");
    assert_eq!(findings(&text(&chained("", &[1, 1]))), [(2, Damage)], "a tick twice");
}

#[test]
fn a_merge_is_told_from_damage() {
    let base = chained("", &[1, 2]);
    let tip = chain(base[1].as_bytes());
    let (mine, theirs) = (chained(&tip, &[3, 4]), chained(&tip, &[3, 6]));
    let union = text(&[&base[..], &mine[..], &theirs[..]].concat());
    let found = findings(&union);
    assert!(found.iter().all(|(line, cause)| *line == 5 && *cause == Cause::Merge) && !found.is_empty(), "{found:?}");
    let marked = format!("{}<<<<<<< HEAD\n{}=======\n{}>>>>>>> theirs\n", text(&base), text(&mine), text(&theirs));
    let found = findings(&marked);
    assert!(found.iter().all(|(_, cause)| *cause == Cause::Merge), "{found:?}");
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>()[0], 3);
    // What is appended afterwards goes on from the last line.
    let more = text(&chained(&chain(theirs[1].as_bytes()), &[7]));
    assert_eq!(findings(&format!("{union}{more}")).last().unwrap().0, 5);
    // Two machines gave the same tick to different agents.
    let ledgers = [("a", text(&chained("", &[1, 2]))), ("b", text(&chained("", &[2, 3])))];
    let read: Vec<Ledger<'_>> =
        ledgers.iter().map(|(agent, text)| Ledger { agent, bytes: text.as_bytes(), left_out: 0 }).collect();
    let found = verify(&read, &BTreeMap::new());
    assert_eq!((found[0].findings.len(), found[1].findings[0].cause), (0, Cause::Merge));
}

#[test]
fn what_the_run_state_knows_of_the_end_is_compared() {
    let lines = chained("", &[1, 2, 3]);
    let whole = text(&lines);
    let end = |n: usize| LedgerEnd {
        bytes: text(&lines[..n]).len() as u64,
        digest: chain(lines[n - 1].as_bytes()),
        ..LedgerEnd::default()
    };
    let look = |bytes: &str, n: usize| {
        let ledger = Ledger { agent: "mill", bytes: bytes.as_bytes(), left_out: 0 };
        let found = verify(&[ledger], &BTreeMap::from([("mill".to_owned(), end(n))]));
        found[0].findings.iter().map(|f| f.what.clone()).collect::<Vec<_>>()
    };
    assert!(look(&whole, 3).is_empty());
    assert!(look(&whole, 2).is_empty(), "what was not acknowledged may be there");
    assert!(look(&text(&lines[..2]), 3)[0].contains("bytes when it was last written here, and has"));
    let other = chained("", &[1, 2, 4]);
    assert!(look(&text(&other), 3)[0].contains("its end is another"));
    let gone = verify(&[], &BTreeMap::from([("mill".to_owned(), end(3))]));
    assert!(gone[0].findings[0].what.contains("is gone"));
    // Of a large ledger only the end is read.
    let cut = lines[0].len() + 1;
    let ledger = Ledger { agent: "mill", bytes: &whole.as_bytes()[cut..], left_out: cut as u64 };
    assert_eq!(verify(&[ledger], &BTreeMap::from([("mill".to_owned(), end(3))]))[0].findings, []);
}
