//! A plan and its history in the forms of other programs: rows, lines, statements.

mod csv;
pub mod in_toto;

pub use csv::csv;

use crate::core::ledger::{Record, parse_line};

/// When a phase was first started and last completed, as its ledger says; empty where it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Time of the first `phase_start`.
    pub started: String,
    /// Time of the last `phase_complete`, unless it was opened again.
    pub completed: String,
}

/// The lines of all ledgers by tick, as they are, without their line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines<'a> {
    /// Records.
    pub lines: Vec<&'a [u8]>,
    /// Lines that are no record.
    pub bad: usize,
}

/// Merges ledgers. Each is in the order of its ticks, since it is only appended to; one that is not keeps its own order.
pub fn merge<'a>(ledgers: impl IntoIterator<Item = &'a [u8]>) -> Lines<'a> {
    let mut all = Lines::default();
    let mut rests: Vec<(u64, &[u8], &[u8])> = Vec::new();
    for bytes in ledgers {
        rests.extend(next(bytes, &mut all.bad));
    }
    loop {
        // Of one tick, the first of the ledgers.
        let first = rests.iter().enumerate().min_by_key(|(_, (tick, ..))| *tick).map(|(at, _)| at);
        let Some(at) = first else { return all };
        let (_, line, rest) = rests.remove(at);
        all.lines.push(line);
        if let Some(next) = next(rest, &mut all.bad) {
            rests.insert(at, next);
        }
    }
}

/// The next record: its tick, its line, and what follows.
fn next<'a>(mut bytes: &'a [u8], bad: &mut usize) -> Option<(u64, &'a [u8], &'a [u8])> {
    while !bytes.is_empty() {
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let (line, rest) = bytes.split_at(end);
        bytes = rest.get(1..).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match parse_line(line) {
            Some(record) => return Some((record.tick, line, bytes)),
            None => *bad += 1,
        }
    }
    None
}

/// The times of a phase, out of records in order.
pub fn times(records: &[Record], phase: &str) -> Times {
    let mut times = Times::default();
    for record in records.iter().filter(|record| record.phase == phase) {
        match record.event.as_str() {
            "phase_start" | "phase_retry" => {
                if times.started.is_empty() {
                    times.started.clone_from(&record.ts);
                }
                times.completed.clear();
            }
            "phase_complete" => times.completed.clone_from(&record.ts),
            _ => {}
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ledgers_merge_by_tick_and_keep_their_bytes() {
        let a = b"{\"tick\":1,\"event\":\"init\"}\r\n{\"tick\":4, \"event\":\"x\",\"new\":[1]}\n";
        let b = b"junk\n\n{\"tick\":2,\"event\":\"step\"}\n{\"tick\":4,\"event\":\"y\"}";
        let merged = merge([a.as_slice(), b.as_slice()]);
        let lines: Vec<_> = merged.lines.iter().map(|line| std::str::from_utf8(line).unwrap()).collect();
        assert_eq!(
            lines,
            [
                "{\"tick\":1,\"event\":\"init\"}",
                "{\"tick\":2,\"event\":\"step\"}",
                "{\"tick\":4, \"event\":\"x\",\"new\":[1]}",
                "{\"tick\":4,\"event\":\"y\"}"
            ]
        );
        assert_eq!(merged.bad, 1);
    }

    #[test]
    fn a_phase_begins_once_and_ends_when_it_last_did() {
        let record = |phase: &str, event: &str, ts: &str| Record {
            phase: phase.into(),
            event: event.into(),
            ts: ts.into(),
            ..Record::default()
        };
        let records = [
            record("a", "phase_start", "1"),
            record("a", "phase_complete", "2"),
            record("b", "phase_start", "3"),
            record("a", "phase_start", "4"),
            record("a", "phase_complete", "5"),
            record("b", "phase_complete", "6"),
            record("b", "phase_start", "7"),
            record("", "phase_complete", "8"),
        ];
        assert_eq!(times(&records, "a"), Times { started: "1".into(), completed: "5".into() });
        assert_eq!(times(&records, "b"), Times { started: "3".into(), completed: String::new() });
        assert_eq!(times(&records, "c"), Times::default());
    }
}
