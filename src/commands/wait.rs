//! `wait`: hand a phase off to a time, a file or a person. The run may stop then.

use serde_json::json;

use crate::commands::args::Wait as Args;
use crate::commands::ctx::Ctx;
use crate::commands::{edit, finish};
use crate::core::plan::Status;
use crate::core::run::phase_key;
use crate::core::wait::{self, Wait};
use crate::error::{Failure, Result};
use crate::store::awaken::is_there;
use crate::store::digest::is_beneath;

pub(super) fn run(ctx: &Ctx, args: &Args) -> Result<()> {
    let wait = asked(ctx, args)?;
    let place = ctx.place()?;
    if !wait.file.is_empty() && is_there(&place.root, &wait.file) {
        return Err(Failure::no(
            format!("`{}` is there already", crate::output::clean(&wait.file)),
            "there is nothing to wait for",
            "steadfast next",
        ));
    }
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    Ctx::approved(&snapshot)?;
    let phase = edit::phase(&snapshot.view, args.phase.as_deref())?;
    if phase.settled() {
        return Err(Failure::no(
            format!("phase `{}` is {}", phase.id, phase.status.word()),
            "there is nothing left in it to wait for",
            "steadfast next",
        ));
    }
    let id = phase.id.clone();
    edit::status(&desk, &id, Status::Waiting)?;
    let question = args.human.as_deref().or(args.why.as_deref()).unwrap_or_default();
    let run = desk.run.phases.entry(phase_key(&id)).or_default();
    run.status = Some(Status::Waiting);
    run.why = finish::short(question);
    let mut record = ctx.record("phase_waiting", &id, &wait.words());
    record.data = json!({ "why": question, "until": wait.until, "file": wait.file, "human": wait.human });
    let (words, in_sight) = (wait.words(), wait.in_sight(ctx.world.now()));
    run.wait = Some(wait);
    edit::settle(ctx, &mut desk, record)?;
    let who = ctx.woken_by(&desk, in_sight);
    let answered = if args.human.is_some() { format!("; answered by: steadfast start {id}") } else { String::new() };
    ctx.say(&desk, &format!("{id} waits {words}; woken by: {who}{answered}"));
    Ok(())
}

/// The wait that the arguments name. One that an agent sets ends after a day.
fn asked(ctx: &Ctx, args: &Args) -> Result<Wait> {
    let now = ctx.world.now();
    let phase = args.phase.as_deref().map(|p| format!("{} ", crate::output::quote(p))).unwrap_or_default();
    let fix =
        format!("steadfast wait {phase}--for 2h  # or --until 2026-03-05T09:00Z, --file PATH, --human \"question\"");
    let wrong = |what: &str, why: String| Failure::usage(what, why, fix.clone());
    let mut until = 0;
    if let Some(text) = &args.until {
        until = wait::time(text).ok_or_else(|| {
            wrong("that is no time", format!("`{text}` is not of the form 2026-03-05T09:00Z, with Z or an offset"))
        })?;
    }
    if let Some(text) = &args.duration {
        let length = wait::duration(text)
            .ok_or_else(|| wrong("that is no length of time", format!("`{text}` is not of the form 30m, 2h, 1h30m")))?;
        until = now.saturating_add(length);
    }
    if args.until.is_none() && args.duration.is_none() && args.file.is_none() && args.human.is_none() {
        return Err(wrong(
            "it is not said what it waits for",
            "a wait without an end would be a silent stop".to_owned(),
        ));
    }
    if until > 0 && until <= now {
        return Err(wrong("that time is over", format!("it is {}", crate::core::ledger::rfc3339(now))));
    }
    let last = now.saturating_add(wait::AGENTS);
    if !ctx.person() {
        if until > last {
            return Err(Failure::no(
                "an agent may wait for a day at most",
                "who waits longer is forgotten; a person may set a longer wait, or the plan may: **WaitsFor:** until ...",
                format!("steadfast wait {phase}--for 24h"),
            ));
        }
        if until == 0 {
            until = last;
        }
    }
    let file = args.file.clone().unwrap_or_default();
    if args.human.as_ref().is_some_and(|question| question.trim().is_empty()) {
        return Err(wrong("the question is empty", "the user would not know what to answer".to_owned()));
    }
    if !is_beneath(&file) || file.len() > 300 || file.chars().any(char::is_control) {
        return Err(wrong(
            "that file cannot be waited for",
            format!("`{}` is no path beneath the project root", crate::output::clean(&file)),
        ));
    }
    Ok(Wait { until, file, human: args.human.is_some() })
}
