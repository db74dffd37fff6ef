//! Phases as headings: `### Phase 1: Survey`, and the headings under `## Phases` that carry a status.

use std::collections::HashSet;

use crate::core::plan::{Phase, Problem, Shape, Spans};
use crate::core::plan_read::body::{self, Body};
use crate::core::plan_read::lines::Line;
use crate::core::plan_read::name::{self, Kind, Name};
use crate::core::plan_read::outline::{Heading, Outline, Section};
use crate::core::plan_read::{Found, Notes, short};

/// A heading that names a phase.
struct Opening<'o, 't> {
    heading: &'o Heading<'t>,
    name: Name<'t>,
}

/// Phases by their phase word.
pub(super) fn worded(outline: &Outline<'_>) -> Option<Found> {
    let named: Vec<_> = outline
        .headings
        .iter()
        .filter(|h| (2..=4).contains(&h.level))
        .map(|heading| Opening { heading, name: name::read(heading.text) })
        .filter(|opening| opening.name.kind != Kind::Plain)
        .collect();
    let phases = named.iter().filter(|o| o.name.kind == Kind::Phase).count();
    let least = if phases >= 2 || phases == named.len() { Kind::Phase } else { Kind::Other };
    let named = named.into_iter().filter(|opening| opening.name.kind >= least).collect();
    found(outline, unnested(named))
}

/// Phases as the headings right under `## Phases`, where at least one has a status line or tag.
pub(super) fn under_phases(outline: &Outline<'_>) -> Option<Found> {
    let at = outline.headings.iter().position(|h| h.section == Section::Phases)?;
    let parent = outline.headings.get(at)?;
    let inside: Vec<_> = outline.headings.iter().skip(at + 1).take_while(|h| h.line < parent.end).collect();
    let level = inside.iter().map(|h| h.level).min()?;
    let openings = inside
        .into_iter()
        .filter(|h| h.level == level)
        .map(|heading| Opening { heading, name: name::read(heading.text) })
        .collect();
    found(outline, openings).filter(|found| found.phases.iter().any(|phase| phase.explicit))
}

/// Leaves out phases inside phases, except the next in number on a deeper level, which is a slip of the level.
fn unnested<'o, 't>(named: Vec<Opening<'o, 't>>) -> Vec<Opening<'o, 't>> {
    let mut out: Vec<Opening<'o, 't>> = Vec::new();
    for opening in named {
        let inside = out.last().is_some_and(|last| {
            let value = |o: &Opening<'_, '_>| o.name.number.as_ref().and_then(|n| n.value);
            let next = value(last).is_some_and(|n| value(&opening) == Some(n + 1));
            opening.heading.line < last.heading.end && !(next && last.name.kind == opening.name.kind)
        });
        if !inside {
            out.push(opening);
        }
    }
    out
}

/// Picks one list out of those the openings form, and reads its bodies.
fn found(outline: &Outline<'_>, openings: Vec<Opening<'_, '_>>) -> Option<Found> {
    let mut found = Found::default();
    let starts: Vec<usize> = openings.iter().map(|o| o.heading.line).collect();
    let mut seen = HashSet::new();
    let mut first: Option<Option<String>> = None;
    let mut speaks = false;
    let mut restarted = false;
    for (index, opening) in openings.into_iter().enumerate() {
        let number = opening.name.number.as_ref().map(|n| n.text.clone());
        let line = outline.lines.get(opening.heading.line)?;
        let again = !seen.insert((number.clone(), opening.name.title.clone())) && opening.name.id.is_none();
        let restarts = number.is_some() && first.as_ref() == Some(&number) && opening.name.id.is_none();
        first.get_or_insert_with(|| number.clone());
        restarted |= restarts;
        if again || restarted {
            found.ambiguous = true;
            found.notes.problems.push(Problem {
                line: line.number,
                what: format!("`{}` is here a second time; the first list counts", short(opening.heading.text)),
                fix: "keep one list of phases, or move the old one below a heading `## Archived`".to_owned(),
            });
            continue;
        }
        let next = starts.get(index + 1).copied().unwrap_or(usize::MAX);
        let end = opening.heading.end.min(next);
        let lines = outline.lines.get(opening.heading.line + 1..end).unwrap_or_default();
        let body = body::read(lines, &mut found.notes);
        speaks |= body.speaks() || opening.name.tag.is_some() || opening.name.id.is_some();
        found.phases.push(phase(line, opening, body, &mut found.notes));
    }
    if found.phases.is_empty() || (found.phases.len() == 1 && !speaks) {
        return None;
    }
    found.shape = if found.phases.iter().any(|phase| phase.explicit) { Shape::Headings } else { Shape::Bare };
    Some(found)
}

fn phase(line: &Line<'_>, opening: Opening<'_, '_>, body: Body, notes: &mut Notes) -> Phase {
    let Opening { heading, name } = opening;
    let odd = name.odd_tag.filter(|_| name.tag.is_none() && body.derived().is_none());
    let tag = name.tag.or(odd.map(crate::core::plan_read::status::read));
    let mut phase = Phase {
        id: name.id.map(str::to_owned),
        number: name.number.map(|number| number.text),
        title: name.title,
        line: line.number,
        spans: Spans {
            heading: line.start..line.end,
            id_insert: line.span(heading.text).map(|span| span.end),
            ..Spans::default()
        },
        ..Phase::default()
    };
    let had_line = body.has_status_line();
    body.fill(&mut phase, line, tag, notes);
    if let Some(odd) = odd.filter(|_| !had_line) {
        // A tag that is no status may be anything: it is not written over.
        phase.explicit = false;
        phase.spans.status = None;
        notes.unknown(line.number, odd);
    }
    phase
}
