//! Phases as rows of a table with a status column.

use crate::core::plan::{Phase, Problem, Shape, Spans, Status};
use crate::core::plan_read::Found;
use crate::core::plan_read::fold::{any_prefix, is_any};
use crate::core::plan_read::hide::starts_block;
use crate::core::plan_read::lines::Line;
use crate::core::plan_read::name::{self, Kind};
use crate::core::plan_read::outline::{Outline, Section};
use crate::core::plan_read::status;
use crate::core::plan_read::words::{NUMBER_LABELS, PHASE, STATUS_LABELS, TITLE_LABELS};

/// Columns of a table that could list phases.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    status: usize,
    title: Option<usize>,
    number: Option<usize>,
    /// The header speaks of phases.
    phases: bool,
    /// The header speaks of something like a phase.
    like: bool,
}

/// The best table, ambiguous where another is as good.
pub(super) fn find(outline: &Outline<'_>) -> Option<Found> {
    let mut tables: Vec<(u8, Found)> = Vec::new();
    let mut at = 0;
    while let Some(header) = outline.lines.get(at) {
        let rows_from = at + 2;
        let rule = outline.lines.get(at + 1).is_some_and(|line| !line.hidden && is_rule(line.text()));
        if header.blank() || !rule || !header.text().contains('|') || is_rule(header.text()) {
            at += 1;
            continue;
        }
        let rows = outline.lines.get(rows_from..).unwrap_or_default();
        let ends = |line: &Line<'_>| line.blank() || !line.text().contains('|') || starts_block(line.text());
        let length = rows.iter().position(ends).unwrap_or(rows.len());
        let rows = rows.get(..length).unwrap_or_default();
        tables.extend(columns(header.text()).and_then(|columns| read(outline, at, columns, rows)));
        at = rows_from + length;
    }
    let best = tables.iter().map(|(score, _)| *score).max()?;
    let mut good = tables.into_iter().filter(|(score, _)| *score == best).map(|(_, found)| found);
    let mut first = good.next()?;
    if let Some(rival) = good.find(|found| found.phases.len() > 1) {
        first.ambiguous = true;
        first.notes.problems.push(Problem {
            line: rival.phases.first().map_or(0, |phase| phase.line),
            what: "a second table that could be the phases".to_owned(),
            fix: "keep one list of phases, or move the old one below a heading `## Archived`".to_owned(),
        });
    }
    Some(first)
}

/// The rule between header and rows.
fn is_rule(text: &str) -> bool {
    let body = text.trim();
    body.contains('-') && body.contains('|') && body.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// The cells of a row, each trimmed. Escaped bars do not divide.
fn cells(text: &str) -> Vec<&str> {
    let mut body = text.trim();
    body = body.strip_prefix('|').unwrap_or(body);
    body = body.strip_suffix('|').filter(|inner| !inner.ends_with('\\')).unwrap_or(body);
    let mut out = Vec::new();
    let mut from = 0;
    let mut escaped = false;
    for (at, byte) in body.bytes().enumerate() {
        if byte == b'|' && !escaped {
            out.extend(body.get(from..at));
            from = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    out.extend(body.get(from..));
    out
}

fn columns(header: &str) -> Option<Columns> {
    let names = cells(header);
    let plain = |cell: &&str| cell.trim().trim_matches(['*', '_', '`']).to_owned();
    let names: Vec<String> = names.iter().map(plain).collect();
    let status = names.iter().position(|name| is_any(name, STATUS_LABELS))?;
    let phases = names.iter().any(|name| is_any(name, PHASE) || any_prefix(name, PHASE).is_some_and(|n| n > 5));
    let mut labelled = names.iter().enumerate().filter(|(at, name)| *at != status && is_any(name, TITLE_LABELS));
    let (first, second) = (labelled.next().map(|(at, _)| at), labelled.next().map(|(at, _)| at));
    let number = names.iter().position(|name| is_any(name, NUMBER_LABELS));
    // `| Phase | Description | Status |`: the first of two title columns may hold the number; rows decide.
    let title = first.filter(|_| number.is_some() || second.is_none()).or(first);
    Some(Columns { status, title, number, phases, like: first.is_some() })
}

/// Reads the rows. `None` where nothing speaks for phases.
fn read(outline: &Outline<'_>, at: usize, columns: Columns, rows: &[Line<'_>]) -> Option<(u8, Found)> {
    let mut found = Found { shape: Shape::Table, ..Found::default() };
    let (mut worded, mut numbered, mut known) = (false, 0, true);
    for line in rows {
        let cells = cells(line.text());
        if cells.iter().enumerate().all(|(at, cell)| at == columns.status || cell.trim().is_empty())
            || is_rule(line.text())
        {
            continue;
        }
        let row = row(line, &cells, columns);
        worded |= row.1;
        numbered += usize::from(row.0.number.is_some());
        known &= row.0.status != Status::Unknown;
        found.phases.push(row.0);
    }
    let above = outline.above(at).map_or(Section::Other, |heading| heading.section);
    let score = match (columns.phases || worded, above) {
        (true, _) | (_, Section::Phases) => 3,
        (_, Section::LikePhases) => 2,
        _ if known && (columns.like || columns.number.is_some()) && numbered == found.phases.len() => 1,
        _ => return None,
    };
    for phase in found.phases.iter().filter(|phase| phase.status == Status::Unknown) {
        found.notes.unknown(phase.line, &phase.note);
    }
    let all_unknown = found.phases.iter().all(|phase| phase.status == Status::Unknown);
    (!found.phases.is_empty() && !all_unknown).then_some((score, found))
}

/// One row, and whether it says `Phase` itself.
fn row(line: &Line<'_>, cells: &[&str], columns: Columns) -> (Phase, bool) {
    let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
    let others = || (0..cells.len()).filter(|at| *at != columns.status);
    let number_at = columns.number.or_else(|| others().next().filter(|at| name::lone_number(cell(*at)).is_some()));
    let number = number_at.and_then(|at| name::lone_number(cell(at)));
    let number_at = number_at.filter(|at| number.is_some() || columns.number == Some(*at));
    let free = |at: &usize| Some(*at) != number_at && !cell(*at).trim().is_empty();
    let title_at = columns.title.filter(free).or_else(|| others().find(free)).or(number_at);
    let title = title_at.map_or("", cell).trim();
    let name = name::read(title);
    let token = status::read(cell(columns.status));
    let span = line.span(token.text).filter(|_| cells.len() > columns.status).map(|span| {
        // An empty cell is written into after its first space.
        let empty = span.is_empty();
        let start =
            line.span(cell(columns.status)).map_or(span.start, |cell| cell.start + usize::from(!cell.is_empty()));
        if empty { start..start } else { span }
    });
    let worded = name.kind == Kind::Phase || number_at.is_some_and(|at| name::read(cell(at)).kind == Kind::Phase);
    let phase = Phase {
        id: name.id.map(str::to_owned),
        number: number.or(name.number).map(|number| number.text),
        title: name.title,
        status: token.status,
        explicit: token.written,
        note: name::joined(if token.status == Status::Unknown { token.text } else { token.note }),
        line: line.number,
        spans: Spans {
            heading: line.start..line.end,
            status: span,
            status_insert: line.end,
            id_insert: line.span(title).map(|span| span.end),
            mark: None,
        },
        ..Phase::default()
    };
    (phase, worded)
}

#[cfg(test)]
mod tests {
    use crate::core::plan_read::read;

    #[test]
    fn a_table_ends_where_something_else_begins() {
        let table = "| Phase | Status |\n|---|---|\n| 1. a | done |\n| 2. b | |\n";
        for after in ["## c | d\n", "- c | d\n", "> c | d\n", "<!-- c | d -->\n", "``` c | d\n"] {
            let plan = read(format!("{table}{after}").as_bytes());
            assert_eq!(plan.phases.iter().map(|phase| phase.title.as_str()).collect::<Vec<_>>(), ["a", "b"], "{after}");
        }
    }
}
