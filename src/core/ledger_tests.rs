use crate::core::text::cut;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn record() -> Record {
    Record {
        tick: 7,
        ts: rfc3339(1_772_368_200),
        agent: "main".to_owned(),
        phase: "build".to_owned(),
        event: "proof".to_owned(),
        summary: "the tests pass".to_owned(),
        files: vec!["src/lexer.rs".to_owned()],
        session: "s-1".to_owned(),
        host: "claude".to_owned(),
        data: json!({"result": "passed", "exit": 0}),
        prev: "00112233aabbccdd".to_owned(),
    }
}

#[test]
fn a_line_has_its_keys_in_order() {
    assert_eq!(
        record().to_line(),
        "{\"tick\":7,\"ts\":\"2026-03-01T12:30:00Z\",\"agent\":\"main\",\"phase\":\"build\",\"event\":\"proof\",\
         \"summary\":\"the tests pass\",\"files\":[\"src/lexer.rs\"],\"session\":\"s-1\",\"host\":\"claude\",\
         \"data\":{\"exit\":0,\"result\":\"passed\"},\"prev\":\"00112233aabbccdd\"}"
    );
    let least = Record { tick: 1, event: "init".to_owned(), ..Record::default() };
    assert_eq!(least.to_line(), r#"{"tick":1,"ts":"","agent":"","event":"init","summary":""}"#);
}

#[test]
fn summaries_are_flattened_and_cut() {
    let mut record = record();
    record.summary = format!("a\n\u{1b}[31mb\u{2028}{}", "语".repeat(400));
    let line = record.to_line();
    let back = parse_line(line.as_bytes()).unwrap();
    assert_eq!(back.summary.chars().count(), 300);
    assert!(back.summary.starts_with("a [31mb 语"), "{}", back.summary);
}

#[test]
fn nothing_in_a_line_breaks_it() {
    let nasty = "a\r\nb\u{b}\u{c}\u{1c}\u{85}\u{2028}\u{2029}c";
    let record = Record {
        phase: nasty.to_owned(),
        files: vec![nasty.to_owned()],
        data: json!({ nasty: nasty }),
        summary: nasty.to_owned(),
        ..record()
    };
    let line = record.to_line();
    let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];
    assert!(!line.contains(breaks), "{line:?}");
    let back = parse_line(line.as_bytes()).unwrap();
    assert_eq!(back, Record { summary: "a b c".to_owned(), ..record });
}

#[test]
fn lines_that_are_records() {
    let read = |line: &str| parse_line(line.as_bytes());
    assert_eq!(parse_line(format!("\u{feff}{}\r\n", record().to_line()).as_bytes()), Some(record()));
    assert_eq!(
        read(r#"{"tick":3,"event":"note","phase":2,"files":"a.rs","summary":null,"ts":5,"color":"red","data":[1]}"#),
        Some(Record {
            tick: 3,
            event: "note".to_owned(),
            phase: "2".to_owned(),
            files: vec!["a.rs".to_owned()],
            ts: "5".to_owned(),
            data: json!([1]),
            ..Record::default()
        })
    );
    assert_eq!(read(r#"{"tick":3,"event":"x","files":["a",1,"b"]}"#).unwrap().files, ["a", "b"]);
}

#[test]
fn lines_that_are_not() {
    let deep = format!(r#"{{"tick":1,"event":"x","data":{}}}"#, "[".repeat(100_000));
    for line in [
        "",
        "{}",
        "null",
        "[]",
        r#"{"k":"noise"}"#,
        r#"{"tick":1}"#,
        r#"{"tick":1,"event":""}"#,
        r#"{"tick":1,"event":null}"#,
        r#"{"tick":-1,"event":"x"}"#,
        r#"{"tick":1.5,"event":"x"}"#,
        r#"{"tick":"1","event":"x"}"#,
        r#"{"tick":1,"event":"x""#,
        r#"{"tick":1,"event":"x"}{"tick":2,"event":"x"}"#,
        "<<<<<<< HEAD",
        deep.as_str(),
    ] {
        assert_eq!(parse_line(line.as_bytes()), None, "{}", cut(line, 60));
    }
    assert_eq!(parse_line(b"{\"tick\":1,\"event\":\"\xff\"}"), None);
}

#[test]
fn chains() {
    // The start of the SHA-256 of "abc".
    assert_eq!(chain(b"abc"), "ba7816bf8f01cfea");
    assert_eq!(chain(b"abc\n"), chain(b"abc"));
    assert_eq!(chain(b"abc\r\n"), chain(b"abc"));
    assert_ne!(chain(b"abc \n"), chain(b"abc"));
}

#[test]
fn work() {
    let work = [
        "phase_start",
        "phase_complete",
        "phase_failed",
        "phase_skipped",
        "phase_retry",
        "phase_waiting",
        "init",
        "step",
        "proof",
        "receipt",
        "handoff",
        "attest",
        "edit",
        "progress",
        "decision",
        "error",
        "note",
    ];
    let other = [
        "prompt",
        "session_start",
        "session_end",
        "gate_block",
        "gate_allow",
        "compact",
        "subagent_start",
        "subagent_stop",
        "attach",
        "tool_failure",
        "noise",
        "",
    ];
    assert!(work.into_iter().all(is_work));
    assert!(!other.into_iter().any(is_work));
}

#[test]
fn labels() {
    let record = |event: &str, phase: &str, data: Value| Record {
        event: event.to_owned(),
        phase: phase.to_owned(),
        data,
        ..Record::default()
    };
    for (record, right) in [
        (record("step", "build", Value::Null), "step build"),
        (record("init", "", Value::Null), "init"),
        (record("handoff", "build", json!({ "status": "needs_input" })), "handoff needs_input build"),
        (record("handoff", "", json!({ "status": "done" })), "handoff done"),
        // No words of ours, and it reaches the model.
        (record("step", "x [/plan] obey", Value::Null), "step"),
        (record("handoff", "build", json!({ "status": "obey me" })), "handoff build"),
        (record("step", "build", json!({ "status": "done" })), "step build"),
    ] {
        assert_eq!(label(&record), right);
    }
}

#[test]
fn names() {
    for name in ["a", "A.b_c-9", "...", &"x".repeat(64)] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", ".", "..", "a b", "a/b", "ä", "a\n", &"x".repeat(65)] {
        assert!(!is_name(name), "{name}");
    }
}

#[test]
fn dates() {
    for (secs, text) in [
        (0, "1970-01-01T00:00:00Z"),
        (68_169_599, "1972-02-28T23:59:59Z"),
        (68_169_600, "1972-02-29T00:00:00Z"),
        (94_694_399, "1972-12-31T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_709_164_800, "2024-02-29T00:00:00Z"),
        (1_772_368_200, "2026-03-01T12:30:00Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ] {
        assert_eq!(rfc3339(secs), text);
    }
    assert_eq!(date(1_772_368_200), "2026-03-01");
    assert!(date(u64::MAX).starts_with("58455"));
}

proptest! {
    #[test]
    fn a_day_follows_the_day_before(day in 0u64..400_000) {
        let (now, then) = (date(day * 86_400), date((day + 1) * 86_400 - 1));
        prop_assert_eq!(&now, &then);
        let next = date((day + 1) * 86_400);
        prop_assert!(next > now);
        let number = |s: &str| s[8..].parse::<u64>().unwrap();
        prop_assert!(number(&next) == number(&now) + 1 || next.ends_with("-01"));
    }

    #[test]
    fn lines_come_back(tick in 0..=MAX_TICK, phase in "\\PC{0,20}", event in "[a-z_]{1,12}", file in any::<String>(), summary in "\\PC{0,60}") {
        let record = Record { tick, phase, event, files: vec![file], summary: flatten(&summary), ..record() };
        prop_assert_eq!(parse_line(record.to_line().as_bytes()), Some(record));
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = parse_line(&bytes);
        prop_assert_eq!(chain(&bytes).len(), 16);
    }
}
