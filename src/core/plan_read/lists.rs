//! Phases as list items: `- [complete] 1. Survey`, `- [x] Phase 1: Survey`, and boxes under a heading like `## Phases`.

use std::collections::HashSet;

use crate::core::plan::{Phase, Problem, Shape, Spans, Status};
use crate::core::plan_read::items::{Boxed, boxed, item};
use crate::core::plan_read::lines::Line;
use crate::core::plan_read::name::{self, Kind, Name};
use crate::core::plan_read::outline::{Outline, Section};
use crate::core::plan_read::{Found, body, short};

/// A top-level item that could open a phase.
pub(super) struct Entry<'t> {
    index: usize,
    boxed: Boxed<'t>,
    name: Name<'t>,
    /// Index of the heading above, which stands for the list the item belongs to.
    group: Option<usize>,
    section: Section,
}

/// Lists whose items begin with a status word in brackets.
pub(super) fn brackets(outline: &Outline<'_>, entries: &[Entry<'_>]) -> Option<Found> {
    let worded: HashSet<_> = entries.iter().filter(|entry| entry.boxed.word).map(|entry| entry.group).collect();
    let entries: Vec<_> = entries.iter().filter(|entry| worded.contains(&entry.group)).collect();
    choose(outline, &entries, Shape::Brackets)
}

/// Lists whose items begin with a box and name a phase.
pub(super) fn named_boxes(outline: &Outline<'_>, entries: &[Entry<'_>]) -> Option<Found> {
    let entries: Vec<_> = entries.iter().filter(|entry| entry.name.kind == Kind::Phase).collect();
    choose(outline, &entries, Shape::Boxes)
}

/// Lists of boxes right under a heading like `## Phases`.
pub(super) fn boxes(outline: &Outline<'_>, entries: &[Entry<'_>]) -> Option<Found> {
    let best = entries.iter().map(|entry| entry.section).max().filter(|best| *best > Section::Other)?;
    let entries: Vec<_> = entries.iter().filter(|entry| entry.section == best).collect();
    choose(outline, &entries, Shape::Boxes)
}

/// All top-level items with a box or bracket.
pub(super) fn entries<'t>(outline: &Outline<'t>) -> Vec<Entry<'t>> {
    let mut out: Vec<Entry<'t>> = Vec::new();
    let mut least: Option<(Option<usize>, usize)> = None;
    for (index, line) in outline.lines.iter().enumerate().filter(|(_, line)| !line.blank()) {
        let Some(item) = item(line.text()) else { continue };
        let above = outline.above(index);
        let group = above.map(|heading| heading.line);
        let top = match least {
            Some((of, indent)) if of == group => indent,
            _ => item.indent,
        };
        least = Some((group, top.min(item.indent)));
        if item.indent > top + 1 {
            continue;
        }
        if let Some(boxed) = boxed(item.content) {
            let section = above.map_or(Section::Other, |heading| heading.section);
            out.push(Entry { index, boxed, name: name::read(boxed.rest), group, section });
        }
    }
    out
}

/// Picks one list: all groups together where no phase is in two of them, else the best group.
fn choose(outline: &Outline<'_>, entries: &[&Entry<'_>], shape: Shape) -> Option<Found> {
    let mut seen = HashSet::new();
    let mut groups: Vec<(Option<usize>, Section, usize)> = Vec::new();
    let mut overlap = false;
    for entry in entries {
        let number = entry.name.number.as_ref().map(|n| n.text.clone());
        let key = if number.is_some() { (number, String::new()) } else { (None, entry.name.title.clone()) };
        overlap |= !seen.insert(key);
        match groups.last_mut().filter(|(group, ..)| *group == entry.group) {
            Some((.., count)) => *count += 1,
            None => groups.push((entry.group, entry.section, 1)),
        }
    }
    let unnumbered = entries.iter().any(|entry| entry.name.number.is_none());
    let mut found = Found { shape, ..Found::default() };
    let kept = if groups.len() > 1 && (overlap || unnumbered) {
        let best = groups.iter().rev().max_by_key(|(_, section, count)| (*section, *count))?;
        let rivals: Vec<_> = groups.iter().filter(|(group, _, count)| *group != best.0 && *count > 1).collect();
        found.ambiguous = rivals.iter().any(|(_, section, _)| *section == best.1);
        if found.ambiguous {
            let other = rivals.first().and_then(|(group, ..)| *group);
            found.notes.problems.push(Problem {
                line: other.and_then(|at| outline.lines.get(at)).map_or(0, |line| line.number),
                what: "a second list that could be the phases".to_owned(),
                fix: "keep one list of phases, or move the old one below a heading `## Archived`".to_owned(),
            });
        }
        best.0
    } else {
        None
    };
    let several = kept.is_some() || groups.len() > 1 && (overlap || unnumbered);
    let mut names = HashSet::new();
    let openings: Vec<_> = entries.iter().filter(|entry| !several || entry.group == kept).collect();
    for (at, entry) in openings.iter().enumerate() {
        let line = outline.lines.get(entry.index)?;
        let number = entry.name.number.as_ref().map(|n| n.text.clone());
        if !names.insert((number, entry.name.title.clone())) && entry.name.id.is_none() {
            found.ambiguous = true;
            found.notes.problems.push(Problem {
                line: line.number,
                what: format!("`{}` is in the list twice; the first counts", short(&entry.name.title)),
                fix: "keep one".to_owned(),
            });
            continue;
        }
        let next = openings.get(at + 1).map_or(usize::MAX, |next| next.index);
        let inner = nested(outline.lines.get(entry.index + 1..).unwrap_or_default(), line, next - entry.index - 1);
        let phase = phase(line, entry, inner, &mut found);
        found.phases.push(phase);
    }
    (!found.phases.is_empty()).then_some(found)
}

/// The lines that belong to an item: deeper ones, up to the next item.
fn nested<'l, 't>(lines: &'l [Line<'t>], opening: &Line<'_>, most: usize) -> &'l [Line<'t>] {
    let indent = opening.indent();
    let end = lines.iter().take(most).position(|line| !line.blank() && line.indent() <= indent + 1);
    lines.get(..end.unwrap_or(most.min(lines.len()))).unwrap_or_default()
}

fn phase(line: &Line<'_>, entry: &Entry<'_>, inner: &[Line<'_>], found: &mut Found) -> Phase {
    let body = body::read(inner, &mut found.notes);
    let name = &entry.name;
    let mut phase = Phase {
        id: name.id.map(str::to_owned),
        number: name.number.as_ref().map(|number| number.text.clone()),
        title: name.title.clone(),
        line: line.number,
        spans: Spans {
            heading: line.start..line.end,
            id_insert: line.span(entry.boxed.rest).map(|span| span.end),
            mark: line.span(entry.boxed.inner),
            ..Spans::default()
        },
        ..Phase::default()
    };
    let own = entry.boxed;
    let derived = body.derived();
    let spoken = body.has_status_line() || name.tag.is_some();
    body.fill(&mut phase, line, name.tag, &mut found.notes);
    if !spoken {
        phase.status = match own.status {
            Status::Pending if !own.word && derived.is_some_and(|inner| inner != Status::Pending) => Status::InProgress,
            status => status,
        };
        phase.explicit = own.word || !matches!(own.status, Status::Pending | Status::Complete);
        phase.spans.status = own.word.then(|| line.span(own.inner)).flatten();
    }
    phase
}
