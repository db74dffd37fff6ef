//! `report`: how a run went and what it needs, for the person who did not watch it. Markdown, so that it can be kept or sent.

use serde_json::{Value, json};

use crate::commands::ctx::Ctx;
use crate::commands::{render, status};
use crate::core::export::times;
use crate::core::ledger::{Record, handed_over};
use crate::core::next::parked_by_agent;
use crate::core::plan::Status;
use crate::core::story::{Story, story};
use crate::core::text::flatten;
use crate::core::view::PhaseView;
use crate::error::Result;

/// How many of what was logged are named.
const SAID: usize = 20;

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let place = ctx.place()?;
    let desk = Ctx::look(&place)?;
    let snapshot = ctx.snapshot(&desk);
    let records = desk.history().records;
    let story = story(&records);
    if ctx.out.json {
        let mut value = status::value(ctx, &place, &desk, &snapshot);
        if let Some(map) = value.as_object_mut() {
            map.insert("story".to_owned(), told(&story));
        }
        for phase in value.get_mut("phases").and_then(Value::as_array_mut).into_iter().flatten() {
            let id = phase.get("id").and_then(Value::as_str).unwrap_or_default();
            let times = times(&records, id);
            if let Some(map) = phase.as_object_mut() {
                map.insert("started".to_owned(), times.started.into());
                map.insert("completed".to_owned(), times.completed.into());
            }
        }
        ctx.out.value(&value);
        return Ok(());
    }
    let text = status::with(ctx, &place, &desk, &snapshot, |seen| compose(ctx, seen, &records, &story));
    ctx.out.raw(crate::output::clean(&text).as_bytes());
    Ok(())
}

fn told(story: &Story<'_>) -> Value {
    let said = |r: &&Record| json!({ "tick": r.tick, "at": r.ts, "agent": r.agent, "phase": r.phase, "event": r.event, "status": handed_over(r), "summary": r.summary });
    json!({
        "begun": story.begun, "last": story.last,
        "ended": story.ended.map(|(verdict, at)| json!({ "verdict": verdict, "at": at })),
        "sessions": story.sessions, "prompts": story.prompts, "holds": story.holds, "edits": story.edits, "files": story.files,
        "proofs": { "passed": story.passed, "failed": story.failed }, "refused": story.refused,
        "said": story.said.iter().map(said).collect::<Vec<_>>(),
    })
}

fn compose(ctx: &Ctx, seen: &status::Seen<'_>, records: &[Record], story: &Story<'_>) -> String {
    let view = &seen.snapshot.view;
    let mut lines = vec![format!("# {}", flatten(seen.goal())), String::new()];
    lines.push(format!("{}: {}, {}, {}.", seen.place.name(), view.progress(), seen.mode().word(), seen.approval()));
    lines.push(match story.ended {
        Some(("hold", at)) => format!("The last stop was held at {at}; the run goes on."),
        Some((verdict, at)) => format!("The last stop was let go at {at}: {verdict}."),
        None => "No stop was judged so far.".to_owned(),
    });
    section(&mut lines, "Needs you", needs(seen));
    section(&mut lines, "Waits", waits(ctx, seen));
    section(&mut lines, "Problems", seen.problems().iter().map(status::sentence).collect());
    let phases = view.phases.iter().map(|p| phase(seen, p, records)).collect();
    section(&mut lines, "Phases", phases);
    let happened = [
        format!("from {} to {}", or_none(story.begun), or_none(story.last)),
        format!("{}, {}", many(story.sessions, "session"), many(story.prompts, "prompt")),
        format!("{} of {}", many(story.edits, "edit"), many(story.files, "file")),
        format!("{} passed, {} not", many(story.passed, "proof"), story.failed),
        format!("{} held, {} refused by the guard", many(story.holds, "stop"), many(story.refused, "call")),
    ];
    section(&mut lines, "What happened", happened.to_vec());
    let from = story.said.len().saturating_sub(SAID);
    let mut said: Vec<String> = story.said.iter().skip(from).map(|r| logged(r)).collect();
    if from > 0 {
        said.insert(0, format!("{from} before"));
    }
    section(&mut lines, "What was said", said);
    lines.push(String::new());
    lines.join("\n")
}

/// A heading and a list; nothing where the list is empty.
fn section(lines: &mut Vec<String>, title: &str, items: Vec<String>) {
    if items.is_empty() {
        return;
    }
    lines.extend([String::new(), format!("## {title}"), String::new()]);
    lines.extend(items.into_iter().map(|item| format!("- {}", flatten(&item))));
}

/// What only the person can settle.
fn needs(seen: &status::Seen<'_>) -> Vec<String> {
    let because = |p: &PhaseView| if p.run.why.is_empty() { String::new() } else { format!(": {}", p.run.why) };
    let mut needs = Vec::new();
    for phase in &seen.snapshot.view.phases {
        if parked_by_agent(phase) {
            needs.push(format!("{} was parked by the agent{}", phase.id, because(phase)));
        } else if phase.status == Status::Failed {
            needs.push(format!("{} failed{}; to try again: steadfast start {0}", phase.id, because(phase)));
        } else if wants_a_word(seen, phase) {
            needs.push(format!("{} wants your word: steadfast approve {0}", phase.id));
        } else if phase.run.wait.as_ref().is_some_and(|wait| wait.human) {
            needs.push(format!("{} wants an answer{}; then: steadfast start {0}", phase.id, because(phase)));
        }
    }
    let asked = seen.handoffs().into_iter().filter(|r| matches!(handed_over(r), Some("needs_input" | "blocked")));
    needs.extend(asked.map(|record| format!("handoff {}", status::handoff(&record))));
    let proposals = seen.proposals.iter().filter(|p| p.asked.is_ok());
    needs.extend(
        proposals.map(|p| format!("proposal {}; to approve: steadfast attest --proposal {}", seen.proposal(p), p.n)),
    );
    needs
}

/// A phase at hand that cannot go on without a person's word on it.
fn wants_a_word(seen: &status::Seen<'_>, phase: &PhaseView) -> bool {
    let (Some(contract), Some(head)) = (&seen.snapshot.contract, &seen.snapshot.head) else { return false };
    let at_hand = matches!(phase.status, Status::InProgress | Status::Waiting);
    at_hand && contract.phase(&phase.id).is_some_and(|c| c.asks_a_person() && !head.is_given(c))
}

fn waits(ctx: &Ctx, seen: &status::Seen<'_>) -> Vec<String> {
    let waiting = seen.snapshot.view.phases.iter().filter(|p| p.status == Status::Waiting);
    let mut waits: Vec<String> = waiting.map(|p| format!("{} waits {}", p.id, p.waits)).collect();
    waits.extend(seen.woken_by(ctx).map(|who| format!("woken by: {who}")));
    waits
}

fn phase(seen: &status::Seen<'_>, phase: &PhaseView, records: &[Record]) -> String {
    let (settled, steps) = render::steps(phase);
    let mut parts = vec![format!("{}. {}: {}", phase.number, phase.title, phase.status.word().replace('_', " "))];
    if phase.claimed {
        parts.push("claimed, not proven".to_owned());
    }
    if steps > 0 {
        parts.push(format!("{settled}/{steps} steps"));
    }
    if phase.needs_proof {
        let exit = phase.run.exit.filter(|e| *e != 0).map(|e| format!(", exit {e}")).unwrap_or_default();
        parts.push(format!("proof {}{exit}, {}", seen.proof(phase), many(phase.run.tries as usize, "try")));
    }
    let times = times(records, &phase.id);
    match (times.started.as_str(), times.completed.as_str()) {
        ("", _) => {}
        (started, "") => parts.push(format!("begun {started}")),
        (started, completed) => parts.push(format!("from {started} to {completed}")),
    }
    parts.join(", ")
}

fn logged(record: &Record) -> String {
    let status = handed_over(record).map(|s| format!(" {s}")).unwrap_or_default();
    let phase = if record.phase.is_empty() { String::new() } else { format!(" ({})", record.phase) };
    format!("{} {}: {}{status}{phase}: {}", record.ts, record.agent, record.event, record.summary)
}

fn or_none(time: &str) -> &str {
    if time.is_empty() { "-" } else { time }
}

fn many(count: usize, thing: &str) -> String {
    match (count, thing) {
        (1, thing) => format!("1 {thing}"),
        (count, "try") => format!("{count} tries"),
        (count, thing) => format!("{count} {thing}s"),
    }
}
