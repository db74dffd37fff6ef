//! The byte-preserving edit: what was asked for comes true, in the lines it must, and nothing else is touched or read differently.

use std::ops::Range;

use steadfast::core::plan::{Phase, Plan, Shape, Status, StepState};
use steadfast::core::plan_edit::{set_id, set_ids, set_status, set_step};
use steadfast::core::plan_read::read;

use super::choice;

const STATUSES: [Status; 6] =
    [Status::Pending, Status::InProgress, Status::Complete, Status::Failed, Status::Skipped, Status::Waiting];
const STATES: [StepState; 3] = [StepState::Open, StepState::Done, StepState::Dropped];

/// Edits one phase of a file, chosen by its bytes.
pub fn check(bytes: &[u8]) {
    let plan = read(bytes);
    if plan.phases.is_empty() {
        assert!(set_status(bytes, &plan, 0, Status::Complete).is_err());
        return;
    }
    let choice = choice(bytes);
    let index = choice % plan.phases.len();
    status(bytes, &plan, index, STATUSES[choice / 7 % STATUSES.len()]);
    if let steps @ 1.. = plan.phases[index].steps.len() {
        step(bytes, &plan, index, choice / 11 % steps, STATES[choice / 13 % STATES.len()]);
    }
    id(bytes, &plan, index);
    ids(bytes, &plan);
}

fn status(bytes: &[u8], plan: &Plan, index: usize, status: Status) {
    let Ok(edited) = set_status(bytes, plan, index, status) else { return };
    let after = read(&edited);
    let (old, new) = (&plan.phases[index], &after.phases[index]);
    let boxes = plan.shape == Shape::Boxes;
    assert!(new.status == status || boxes && (new.status == Status::Complete) == (status == Status::Complete));
    assert_eq!(states(old), states(new));
    others(plan, &after, index);
    let mut places: Vec<_> = old.spans.status.iter().chain(&old.spans.mark).cloned().collect();
    if places.is_empty() {
        places = [old.spans.status_insert, old.spans.heading.end].map(|at| at..at).to_vec();
    }
    only_within(bytes, &edited, places);
    assert_eq!(set_status(&edited, &after, index, status).as_ref(), Ok(&edited), "twice is once");
}

fn step(bytes: &[u8], plan: &Plan, index: usize, at: usize, state: StepState) {
    let Ok(edited) = set_step(bytes, plan, index, at, state) else { return };
    let after = read(&edited);
    let mut right = states(&plan.phases[index]);
    right[at].1 = state;
    assert_eq!(states(&after.phases[index]), right);
    others(plan, &after, index);
    let (old, new) = (&plan.phases[index], &after.phases[index]);
    // Where no status is written, the boxes say it.
    let follows = !old.explicit && old.spans.status.is_none();
    assert!(follows || (old.status, &old.note) == (new.status, &new.note));
    only_within(bytes, &edited, old.steps[at].mark.clone().into_iter().collect());
    assert_eq!(set_step(&edited, &after, index, at, state).as_ref(), Ok(&edited), "twice is once");
}

fn id(bytes: &[u8], plan: &Plan, index: usize) {
    assert!(set_id(bytes, plan, index, "no id").is_err());
    let Ok(edited) = set_id(bytes, plan, index, "an.id_1") else { return };
    let after = read(&edited);
    let (old, new) = (&plan.phases[index], &after.phases[index]);
    assert_eq!(new.id.as_deref(), Some("an.id_1"));
    assert_eq!((&old.title, old.status, &old.note, states(old)), (&new.title, new.status, &new.note, states(new)));
    others(plan, &after, index);
    only_within(bytes, &edited, vec![old.spans.heading.clone()]);
}

/// Ids for all that have none: all of them or an error.
fn ids(bytes: &[u8], plan: &Plan) {
    let missing: Vec<_> = (0..plan.phases.len()).filter(|at| plan.phases[*at].id.is_none()).collect();
    let ids: Vec<_> = missing.iter().map(|at| (*at, format!("n-{at}"))).collect();
    let Ok(edited) = set_ids(bytes, &ids) else { return };
    let after = read(&edited);
    assert_eq!(after.phases.len(), plan.phases.len());
    for (at, (old, new)) in plan.phases.iter().zip(&after.phases).enumerate() {
        let right = old.id.clone().unwrap_or_else(|| format!("n-{at}"));
        assert_eq!(new.id.as_ref(), Some(&right));
        assert_eq!((&old.title, old.status, &old.note, states(old)), (&new.title, new.status, &new.note, states(new)));
    }
    only_within(bytes, &edited, missing.iter().map(|at| plan.phases[*at].spans.heading.clone()).collect());
}

fn states(phase: &Phase) -> Vec<(&str, StepState)> {
    phase.steps.iter().map(|step| (step.text.as_str(), step.state)).collect()
}

/// No other phase reads differently, nor does what stands around the phases.
fn others(old: &Plan, new: &Plan, index: usize) {
    let said = |plan: &Plan| -> Vec<String> {
        let phases = plan.phases.iter().enumerate().map(|(at, p)| {
            let own = at == index;
            let status = (!own).then_some((p.status, &p.note, &p.id, states(p)));
            format!("{:?} {:?} {:?} {status:?}", p.number, p.title, p.fields)
        });
        // A plan without a title of its own is called by its first heading, be it that of a phase.
        let title = (plan.phases.get(index)).is_none_or(|p| !plan.title.contains(&p.title)).then_some(&plan.title);
        phases.chain([format!("{title:?} {:?} {:?}", plan.goal, plan.ambiguous)]).collect()
    };
    assert_eq!(said(new), said(old));
}

/// `new` is `old` with nothing changed but inside these places: line ends, byte order mark and all else are kept.
fn only_within(old: &[u8], new: &[u8], mut places: Vec<Range<usize>>) {
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup();
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    if head == old.len() && old.len() == new.len() {
        return;
    }
    let (Some(first), Some(last)) = (places.first(), places.last()) else { panic!("there was nothing to change") };
    let tail = old.len() - last.end;
    assert!(head >= first.start, "changed before {first:?}");
    assert!(new.len() >= first.start + tail && new.ends_with(&old[last.end..]), "changed after {last:?}");
    // What stands between two places is still there, in order.
    let mut rest = &new[first.start..new.len() - tail];
    for pair in places.windows(2) {
        let between = old.get(pair[0].end..pair[1].start).unwrap_or_default();
        let at = (0..=rest.len()).find(|at| rest[*at..].starts_with(between)).expect("kept between places");
        rest = &rest[at + between.len()..];
    }
}
