//! The ledger: a line that was written is read back, a damaged line is no record, and damage to a history does not go unnoticed.

use serde_json::Value;
use steadfast::core::ledger::{self, MAX_TICK, Record, SUMMARY_CHARS, parse_line};

use super::choice;

/// Takes the bytes for a line, for a whole ledger, and for what a record is made of.
pub fn check(bytes: &[u8]) {
    if let Some(record) = parse_line(bytes) {
        assert!(record.tick <= MAX_TICK && !record.event.is_empty());
        written(&record, choice(bytes));
    }
    for line in bytes.split(|byte| *byte == b'\n').take(8) {
        if let Some(record) = parse_line(line) {
            written(&record, choice(line));
        }
    }
    let record = of(bytes);
    written(&record, choice(bytes));
    folded(bytes);
    history(&record, choice(bytes));
}

/// A record of any text.
fn of(bytes: &[u8]) -> Record {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('|').map(str::to_owned);
    let mut part = || parts.next().unwrap_or_default();
    Record {
        tick: bytes.len() as u64,
        event: format!("e{}", part()),
        summary: part(),
        phase: part(),
        session: part(),
        files: vec![part(), part()],
        host: part(),
        ts: part(),
        agent: part(),
        data: Value::String(part()),
        prev: part(),
    }
}

/// A record is one line for every reader, which says what the record says.
fn written(record: &Record, choice: usize) {
    let line = record.to_line();
    assert!(!line.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']), "{line:?}");
    // A fraction may be rounded; no record of ours has one.
    if has_fraction(&record.data) {
        return;
    }
    let read = parse_line(line.as_bytes()).expect("what is written is a record");
    assert!(read.summary.chars().count() <= SUMMARY_CHARS);
    assert_eq!(Record { summary: read.summary.clone(), ..record.clone() }, read);
    assert_eq!(read.to_line(), line, "written twice alike");
    assert_eq!(parse_line(format!("{line}\n").as_bytes()), Some(read.clone()));
    assert_eq!(parse_line(format!("{line}\r\n").as_bytes()), Some(read));
    // Torn anywhere, or with another behind it.
    assert_eq!(parse_line(&line.as_bytes()[..choice % line.len()]), None);
    assert_eq!(parse_line(&line.as_bytes()[1 + choice % (line.len() - 1)..]), None);
    assert_eq!(parse_line(format!("{line}{line}").as_bytes()), None);
}

fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(values) => values.iter().any(has_fraction),
        Value::Object(map) => map.values().any(has_fraction),
        _ => false,
    }
}

/// Every line of a ledger counts once: as a record or as damage.
fn folded(bytes: &[u8]) {
    let folded = ledger::fold([("main", bytes)]);
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace)).count();
    let damage = folded.bad_lines + folded.torn_ends + folded.conflict_markers;
    assert_eq!(folded.records.len() + damage as usize, lines);
    assert!(folded.torn_ends <= 1);
    assert!(folded.records.is_sorted_by_key(|record| record.tick));
    assert_eq!(folded.run.tick, folded.records.last().map_or(0, |record| record.tick));
}

/// A history of three records; whatever byte of the first two lines is changed, somebody can tell.
fn history(record: &Record, choice: usize) {
    let mut prev = String::new();
    let mut lines = Vec::new();
    for tick in 1..=3 {
        let line = Record { tick, prev, ..record.clone() }.to_line();
        prev = ledger::chain(line.as_bytes());
        lines.push(line);
    }
    let whole = format!("{}\n", lines.join("\n")).into_bytes();
    let sound = ledger::fold([("main", whole.as_slice())]);
    assert_eq!((sound.records.len(), sound.broken_links, sound.double_ticks), (3, 0, 0));
    assert_eq!((sound.bad_lines, sound.torn_ends, sound.conflict_markers), (0, 0, 0));
    let mut damaged = whole;
    let at = choice % (lines[0].len() + lines[1].len() + 2);
    damaged[at] ^= 1 << (choice / damaged.len() % 8);
    let found = ledger::fold([("main", damaged.as_slice())]);
    let damage = found.bad_lines + found.torn_ends + found.conflict_markers + found.broken_links;
    assert!(damage > 0, "byte {at} was changed unnoticed");
}
