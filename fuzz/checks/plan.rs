//! The plan reader: total, and what it reads does not depend on line ends, a byte order mark or a comment.

use std::ops::Range;

use steadfast::core::plan::{Plan, Shape};
use steadfast::core::plan_read::read;

/// Bytes looked at for each byte of a plan, at most: the passes of the reader over one line, with room for the ways it tries.
#[cfg(fuzzing)]
const PASSES: u64 = 150;

/// Holds the reader to its promises for one file.
pub fn check(bytes: &[u8]) {
    let plan = read_within_bounds(bytes);
    assert_eq!(plan, read(bytes), "a reading is a function of the bytes");
    assert_eq!(plan.shape == Shape::None, plan.phases.is_empty());
    places(bytes, &plan);
    texts(&plan);
    problems(&plan);
    let right = gist(&plan);
    let plain = with_line_feeds(bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes));
    assert_eq!(gist(&read(&plain)), right, "line feeds alone");
    assert_eq!(gist(&read(&with_ends(&plain, b"\r\n"))), right, "CRLF");
    assert_eq!(gist(&read(&with_ends(&plain, b"\r"))), right, "CR");
    // A byte order mark before another is text.
    if !plain.starts_with("\u{FEFF}".as_bytes()) {
        assert_eq!(gist(&read(&[b"\xEF\xBB\xBF", plain.as_slice()].concat())), right, "a byte order mark");
    }
    assert_eq!(gist(&read(&[bytes, b"\n\n<!-- ## Phase 77: x -->\n"].concat())), right, "a comment at the end");
}

#[cfg(fuzzing)]
fn read_within_bounds(bytes: &[u8]) -> Plan {
    let (plan, scanned) = steadfast::core::scan::counted(|| read(bytes));
    let most = PASSES * (bytes.len() as u64 + 1);
    assert!(scanned <= most, "{scanned} bytes looked at, for {}", bytes.len());
    plan
}

#[cfg(not(fuzzing))]
fn read_within_bounds(bytes: &[u8]) -> Plan {
    read(bytes)
}

/// Every place lies in the file, where the plan says it does.
fn places(bytes: &[u8], plan: &Plan) {
    let mut last = 0;
    for phase in &plan.phases {
        let spans = &phase.spans;
        assert_eq!(bytes.get(spans.heading.clone()), line(bytes, phase.line).as_deref(), "the line that opens a phase");
        assert!(phase.line > last, "phases stand in the order of their lines");
        last = phase.line;
        let inside = |span: &Range<usize>| span.start >= spans.heading.start && bytes.get(span.clone()).is_some();
        assert!(spans.status.iter().chain(&spans.mark).all(inside));
        assert!((spans.heading.start..=bytes.len()).contains(&spans.status_insert));
        assert!(spans.id_insert.is_none_or(|at| (spans.heading.start..=spans.heading.end).contains(&at)));
        for step in &phase.steps {
            assert!(step.line > phase.line && line(bytes, step.line).is_some());
            assert!(step.mark.as_ref().is_none_or(inside));
        }
    }
}

/// The bytes of a line, counted from 1.
fn line(bytes: &[u8], number: usize) -> Option<Vec<u8>> {
    let bytes = with_line_feeds(bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes));
    bytes.split(|byte| *byte == b'\n').nth(number.checked_sub(1)?).map(<[u8]>::to_vec)
}

/// What is read is one line, without spaces around it.
fn texts(plan: &Plan) {
    let phases = plan.phases.iter().flat_map(|phase| {
        let steps = phase.steps.iter().map(|step| &step.text);
        [&phase.title, &phase.note].into_iter().chain(steps)
    });
    for text in phases.chain([&plan.title, &plan.goal]) {
        assert!(!text.contains(['\n', '\r']), "{text:?}");
        assert_eq!(text.trim(), text);
    }
}

/// Problems stand in the order of their lines, each with what to do; those that keep a plan from being approved are among them.
fn problems(plan: &Plan) {
    assert!(plan.problems.is_sorted_by_key(|problem| problem.line));
    assert!(plan.problems.iter().all(|problem| !problem.what.is_empty() && !problem.fix.is_empty()));
    assert!(plan.blockers.iter().all(|problem| plan.problems.contains(problem)));
}

/// What a plan says, whatever its line ends.
pub(super) fn gist(plan: &Plan) -> String {
    let phases: Vec<_> = plan
        .phases
        .iter()
        .map(|p| {
            let steps: Vec<_> = p.steps.iter().map(|step| (&step.text, step.state, step.line)).collect();
            (&p.id, &p.number, &p.title, p.status, p.explicit, &p.note, steps, &p.fields, p.line)
        })
        .collect();
    format!("{:?} {:?} {:?} {:?} {phases:?} {:?}", plan.title, plan.goal, plan.shape, plan.ambiguous, plan.problems)
}

/// The bytes with every line end made a line feed.
pub(super) fn with_line_feeds(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().peekable();
    while let Some(&byte) = rest.next() {
        if byte == b'\r' {
            rest.next_if(|next| **next == b'\n');
            out.push(b'\n');
        } else {
            out.push(byte);
        }
    }
    out
}

/// The bytes with every line feed made another line end.
fn with_ends(bytes: &[u8], end: &[u8]) -> Vec<u8> {
    bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(end)
}
