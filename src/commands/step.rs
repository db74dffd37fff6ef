//! `step`: check off a step.

use crate::commands::args::Step;
use crate::commands::ctx::Ctx;
use crate::commands::edit;
use crate::core::plan::StepState;
use crate::error::{Failure, Result};

pub(super) fn run(ctx: &Ctx, args: &Step) -> Result<()> {
    let place = ctx.place()?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    Ctx::approved(&snapshot)?;
    let (phase, step) = match args.words.as_slice() {
        [phase, step] => (edit::phase(&snapshot.view, Some(phase))?, Some(step)),
        // One word is the id of a phase, else a step of the current one.
        [word] => match snapshot.view.phases.iter().find(|p| p.id == *word) {
            Some(phase) => (phase, None),
            None => (edit::phase(&snapshot.view, None)?, Some(word)),
        },
        _ => (edit::phase(&snapshot.view, None)?, None),
    };
    let wanted = if args.undo { StepState::Done } else { StepState::Open };
    let text = match step {
        None => phase.steps.iter().find(|(_, s)| *s == wanted).map(|(t, _)| t.clone()).ok_or_else(|| {
            Failure::no(
                format!("phase `{}` has no {} step", phase.id, if args.undo { "checked" } else { "open" }),
                if args.undo { "nothing was checked yet" } else { "every approved step is checked or dropped" },
                if args.undo { "steadfast status".to_owned() } else { format!("steadfast done {}", phase.id) },
            )
        })?,
        Some(name) => find(&phase.steps, name).ok_or_else(|| {
            Failure::no(
                format!("phase `{}` has no step `{name}`", phase.id),
                format!(
                    "it has {} approved steps; name one by number or by the beginning of its text",
                    phase.steps.len()
                ),
                "steadfast status",
            )
        })?,
    };
    let state = if args.undo {
        StepState::Open
    } else if args.drop {
        StepState::Dropped
    } else {
        StepState::Done
    };
    let id = phase.id.clone();
    edit::step(&desk, &id, &text, state)?;
    let after = ctx.snapshot(&desk);
    desk.raise(&after.view);
    let word = match state {
        StepState::Open => "opened again",
        StepState::Done => "checked",
        StepState::Dropped => "dropped",
    };
    let mut record = ctx.record("step", &id, &format!("{word}: {text}"));
    if let Some(why) = &args.why {
        record.data = serde_json::json!({ "why": why });
    }
    let mut records = Vec::from_iter(ctx.attach(&mut desk, false)?);
    records.push(record);
    ctx.commit(&mut desk, records)?;
    ctx.say(&desk, &format!("{word}: {text}"));
    Ok(())
}

fn find(steps: &[(String, StepState)], name: &str) -> Option<String> {
    if let Ok(number) = name.parse::<usize>() {
        return steps.get(number.checked_sub(1)?).map(|(t, _)| t.clone());
    }
    let mut found = steps.iter().filter(|(t, _)| t.to_lowercase().starts_with(&name.to_lowercase()));
    let first = found.next()?;
    found.next().is_none().then(|| first.0.clone())
}
