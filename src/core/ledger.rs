//! The history of a run: one JSON object a line, one file per agent, only ever appended to. `store` owns the files; this is
//! what a line means.

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use crate::core::fold::{Folded, fold};
use crate::core::plan::Status;
use crate::core::scan::scanned;
use crate::core::text::{first_chars, flatten};

/// A tick no history reaches (2^53, where other programs lose count): what lies beyond is no record.
pub const MAX_TICK: u64 = 1 << 53;
/// The most characters of a summary that are kept.
pub const SUMMARY_CHARS: usize = 300;

/// One record.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Record {
    /// Position in the history of the whole plan, from 1; unique while one machine writes.
    pub tick: u64,
    /// UTC time as of [`rfc3339`].
    pub ts: String,
    /// Who wrote it, see [`is_name`].
    pub agent: String,
    /// Id of the phase it belongs to, or empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// What happened: a word such as `step`.
    pub event: String,
    /// One line for people.
    pub summary: String,
    /// Files it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The host's session id.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The host.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// What the event adds, such as the exit code of a check.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// [`chain`] of the line before it in the same file, or empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prev: String,
}

impl Record {
    /// The line, without a line end. Keys stand in the order of the fields; nothing in it breaks a line for any reader
    /// (U+0085, U+2028 and U+2029 are escaped too); the summary is flattened and cut to [`SUMMARY_CHARS`].
    pub fn to_line(&self) -> String {
        let flat = flatten(&self.summary);
        let record = Self { summary: first_chars(&flat, SUMMARY_CHARS).trim_end().to_owned(), ..self.clone() };
        // Strings, numbers and JSON values always serialise.
        serde_json::to_string(&record)
            .unwrap_or_default()
            .replace('\u{85}', "\\u0085")
            .replace('\u{2028}', "\\u2028")
            .replace('\u{2029}', "\\u2029")
    }
}

/// Reads one line, with or without its line end. `None` for what is not a record: no JSON object, no tick, no event. Fields of
/// other types and unknown fields are left out, for ledgers that other tools wrote.
pub fn parse_line(line: &[u8]) -> Option<Record> {
    scanned(line.len());
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let Value::Object(mut map) = serde_json::from_str(std::str::from_utf8(line).ok()?).ok()? else { return None };
    let tick = map.get("tick")?.as_u64().filter(|tick| *tick <= MAX_TICK)?;
    let event = text(&mut map, "event");
    if event.is_empty() {
        return None;
    }
    Some(Record {
        tick,
        ts: text(&mut map, "ts"),
        agent: text(&mut map, "agent"),
        phase: text(&mut map, "phase"),
        event,
        summary: text(&mut map, "summary"),
        files: list(&mut map, "files"),
        session: text(&mut map, "session"),
        host: text(&mut map, "host"),
        data: map.remove("data").unwrap_or_default(),
        prev: text(&mut map, "prev"),
    })
}

fn text(map: &mut Map<String, Value>, key: &str) -> String {
    match map.remove(key) {
        Some(Value::String(text)) => text,
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn list(map: &mut Map<String, Value>, key: &str) -> Vec<String> {
    match map.remove(key) {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => items
            .into_iter()
            .filter_map(|item| match item {
                Value::String(text) => Some(text),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The value that links the next line to this one: the first 16 hex of the SHA-256 of the line without its line end.
pub fn chain(line: &[u8]) -> String {
    scanned(line.len());
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut value = hex::encode(Sha256::digest(line));
    value.truncate(16);
    value
}

/// What stands for a file that does not lie in the project.
pub const OUTSIDE: &str = "(outside the project)";

/// The word of a record that says that the end of its ledger was taken away before it.
pub const CUT: &str = "cut";

/// Whether a record is an edit of something in the project: one elsewhere makes no proof older.
pub fn is_edit_of_work(record: &Record) -> bool {
    record.event == "edit" && record.files.iter().any(|file| file != OUTSIDE)
}

/// Whether an event is a record of work, whose tick and label stand in the block. Prompts, session events, gate records and
/// words nobody knows are not: nothing changes in front of the model without news.
pub fn is_work(event: &str) -> bool {
    matches!(
        event,
        "init"
            | "attest"
            | "phase_start"
            | "phase_complete"
            | "phase_failed"
            | "phase_skipped"
            | "phase_retry"
            | "phase_waiting"
            | "step"
            | "proof"
            | "receipt"
            | "handoff"
            | "edit"
            | "progress"
            | "note"
            | "error"
            | "decision"
    )
}

/// What a handoff may say of the work it hands over, as its `data.status`.
pub const HANDOFFS: [&str; 4] = ["done", "done_with_concerns", "blocked", "needs_input"];

/// What a handoff says of the work it hands over; `None` for any other record, and for words that are none of ours.
pub fn handed_over(record: &Record) -> Option<&str> {
    let status = record.data.get("status").and_then(Value::as_str).filter(|_| record.event == "handoff");
    status.filter(|status| HANDOFFS.contains(status))
}

/// A record of work in short, as kept in [`crate::core::run::LedgerEnd::event`]: event, of a handoff its status, phase. What is
/// no id is left out: a ledger may come from elsewhere, and this reaches the model.
pub fn label(record: &Record) -> String {
    let phase = Some(record.phase.as_str()).filter(|phase| is_name(phase));
    let words = [Some(record.event.as_str()), handed_over(record), phase];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The status a phase has after an event; `None` where the event does not change it.
pub fn status_after(event: &str) -> Option<Status> {
    Some(match event {
        "phase_start" | "phase_retry" => Status::InProgress,
        "phase_reopened" | "wake" => Status::Pending,
        "phase_complete" => Status::Complete,
        "phase_failed" => Status::Failed,
        "phase_skipped" => Status::Skipped,
        "phase_waiting" => Status::Waiting,
        _ => return None,
    })
}

/// Whether text may name an agent, a plan or a pointer: `[A-Za-z0-9._-]{1,64}`, but not `.` and not `..`.
pub fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(plain) && text != "." && text != ".."
}

/// Seconds since 1970 as `2026-03-01T12:30:00Z`.
pub fn rfc3339(secs: u64) -> String {
    let time = secs % 86_400;
    format!("{}T{:02}:{:02}:{:02}Z", date(secs), time / 3600, time / 60 % 60, time % 60)
}

/// Seconds since 1970 as `2026-03-01`, in UTC.
pub fn date(secs: u64) -> String {
    const CYCLE: u64 = 146_097;
    let days = secs / 86_400;
    // The calendar repeats every 400 years.
    let mut year = 1970 + days / CYCLE * 400;
    let mut rest = days % CYCLE;
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while rest >= 365 + u64::from(leap(year)) {
        rest -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", rest + 1)
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
