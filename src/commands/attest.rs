//! `attest`: approve what the plan asks for.

use std::path::Path;

use crate::commands::args::Attest;
use crate::commands::ctx::Ctx;
use crate::commands::edit;
use crate::core::change::{self, Change};
use crate::core::contract::{Contract, GateOptions, Mode, digest};
use crate::core::ledger::rfc3339;
use crate::core::plan::{Problem, Shape, Status};
use crate::core::run::phase_key;
use crate::core::{attest as strictly, notes, plan_edit, plan_read};
use crate::error::{Failure, Result};
use crate::hosts;
use crate::output::Style;
use crate::store::head::{self, Approval};
use crate::store::{By, Desk, Head, Place, Snapshot, disk, layout};

pub(super) fn run(ctx: &Ctx, args: &Attest) -> Result<()> {
    let place = ctx.place()?;
    if args.show {
        return show(ctx, &place);
    }
    if args.diff {
        return diff(ctx, &place);
    }
    let (version, text) = approve(ctx, &place)?;
    let desk = Ctx::look(&place)?;
    ctx.say(&desk, &format!("{text} as version {version} of {}", place.name()));
    Ok(())
}

fn show(ctx: &Ctx, place: &Place) -> Result<()> {
    let desk = Ctx::look(place)?;
    let snapshot = ctx.snapshot(&desk);
    let (Some(head), Some(contract)) = (&snapshot.head, &snapshot.contract) else {
        Ctx::approved(&snapshot)?;
        return Ok(());
    };
    if ctx.out.json {
        let by = head.log.last().map_or(By::Agent, |a| a.by);
        ctx.out.value(&serde_json::json!({
            "plan": place.id, "version": head.version, "digest": head.digest, "mode": head.mode.word(), "by": by.word(),
            "at": head.log.last().map(|a| a.at.as_str()), "contract": contract,
        }));
        return Ok(());
    }
    let by = head.log.last().map(|a| format!(", by {} at {}", a.by.word(), a.at)).unwrap_or_default();
    ctx.out.line(&format!("version {} of {}, {}{by}", head.version, place.id, head.mode.word()));
    ctx.out.line(&format!("sha256 {}", head.digest));
    ctx.out.line(&format!("goal: {}", ctx.out.paint(Style::Plain, &contract.goal)));
    list(ctx, contract);
    Ok(())
}

fn list(ctx: &Ctx, contract: &Contract) {
    for (index, phase) in contract.phases.iter().enumerate() {
        ctx.out.line(&format!(
            "{}. {} {}",
            index + 1,
            ctx.out.paint(Style::Bold, &phase.title),
            ctx.out.paint(Style::Dim, &phase.id)
        ));
        for step in &phase.steps {
            ctx.out.line(&format!("   - {}", ctx.out.paint(Style::Plain, step)));
        }
        for command in &phase.checks {
            ctx.out.line(&format!("   check: {}", ctx.out.paint(Style::Cyan, command)));
        }
    }
}

fn diff(ctx: &Ctx, place: &Place) -> Result<()> {
    let desk = Ctx::look(place)?;
    let snapshot = ctx.snapshot(&desk);
    let asked = asked(&snapshot, place)?;
    let old = snapshot.contract.clone().unwrap_or_else(|| Contract {
        v: asked.v,
        mode: asked.mode,
        gate: asked.gate,
        ..Contract::default()
    });
    let lines: Vec<String> = change::differences(&old, &asked).iter().map(ToString::to_string).collect();
    let kind = kind(&old, &asked, &snapshot);
    if ctx.out.json {
        ctx.out.value(&serde_json::json!({ "plan": place.id, "change": word(kind), "differences": lines }));
        return Ok(());
    }
    if lines.is_empty() {
        ctx.out.line("the plan asks for what is approved");
        return Ok(());
    }
    print(ctx, &lines);
    ctx.out.line(match kind {
        Change::Weakens if snapshot.contract.is_some() => {
            "this takes something away or rewords it: only a person can approve it"
        }
        _ => "this only adds: steadfast attest",
    });
    Ok(())
}

fn print(ctx: &Ctx, lines: &[String]) {
    for line in lines {
        let style = match line.chars().next() {
            Some('+') => Style::Green,
            Some('-') => Style::Red,
            _ => Style::Yellow,
        };
        ctx.out.line(&ctx.out.paint(style, line));
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Same => "same",
        Change::Extends => "extends",
        Change::Weakens => "weakens",
    }
}

fn kind(old: &Contract, new: &Contract, snapshot: &Snapshot) -> Change {
    let finished = |id: &str| snapshot.view.find(id).is_some_and(|p| p.id == id && p.status == Status::Complete);
    change::change(old, new, &finished)
}

/// What the file asks for, or a failure that names every problem.
fn asked(snapshot: &Snapshot, place: &Place) -> Result<Contract> {
    match &snapshot.asked {
        Ok(contract) => Ok(contract.clone()),
        Err(problems) => Err(refused(&place.file(), problems, snapshot)),
    }
}

fn refused(file: &str, problems: &[Problem], snapshot: &Snapshot) -> Failure {
    if snapshot.plan.is_none() {
        let why = snapshot.plan_trouble.clone().unwrap_or_else(|| "the file is missing or empty".to_owned());
        return Failure::no(format!("{file} cannot be approved"), why, "write the goal and the phases first");
    }
    problems_of(file, problems)
}

fn problems_of(file: &str, problems: &[Problem]) -> Failure {
    let mut lines: Vec<String> = problems
        .iter()
        .take(12)
        .map(|p| {
            if p.line == 0 {
                format!("{}: {}", p.what, p.fix)
            } else {
                format!("line {}: {}: {}", p.line, p.what, p.fix)
            }
        })
        .collect();
    if problems.len() > lines.len() {
        lines.push(format!("and {} more", problems.len() - lines.len()));
    }
    Failure::no(
        format!("{file} cannot be approved yet"),
        lines.join("\n       "),
        "mend these places, then: steadfast attest",
    )
}

/// A plan file with its ids written, and its contract; or every problem it has.
pub(super) fn strict(bytes: &[u8], mode: Mode, gate: GateOptions, file: &str) -> Result<(Vec<u8>, Contract)> {
    let bytes = with_ids(bytes).map_err(|why| {
        Failure::no(format!("{file} cannot be approved yet"), why, "write each phase as a heading: ### Phase 1: Title")
    })?;
    let plan = plan_read::read(&bytes);
    if plan.shape == Shape::None {
        let problem = Problem {
            line: 0,
            what: "no phase list was found".to_owned(),
            fix: "write each phase as a heading: ### Phase 1: Title".to_owned(),
        };
        return Err(problems_of(file, &[problem]));
    }
    let contract = strictly::build(&plan, mode, gate).map_err(|problems| problems_of(file, &problems))?;
    let missing = unsupported(&contract);
    if missing.is_empty() { Ok((bytes, contract)) } else { Err(problems_of(file, &missing)) }
}

/// Writes missing ids into the headings, so that they survive a new plan.
fn with_ids(bytes: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut bytes = bytes.to_vec();
    for (index, id) in strictly::missing_ids(&plan_read::read(&bytes)) {
        bytes = plan_edit::set_id(&bytes, &plan_read::read(&bytes), index, &id).map_err(|e| e.to_string())?;
    }
    Ok(bytes)
}

/// What the format has and this version cannot keep yet: approving it would promise what nobody does.
fn unsupported(contract: &Contract) -> Vec<Problem> {
    let mut problems = Vec::new();
    for phase in &contract.phases {
        let fields = [
            ("Receipt", !phase.receipts.is_empty()),
            ("Approval", !phase.approvals.is_empty()),
            ("WaitsFor", !phase.waits_for.is_empty()),
            ("Every", phase.every.is_some()),
            ("Tool", !phase.tools.is_empty()),
        ];
        for (key, _) in fields.into_iter().filter(|(_, used)| *used) {
            problems.push(Problem {
                line: 0,
                what: format!("phase `{}` has `{key}`, which this version does not act on", phase.id),
                fix: "take the line out, or write it as a note under another name".to_owned(),
            });
        }
    }
    problems
}

/// Whether a person types this: a terminal, and no variable of a host.
fn person(ctx: &Ctx) -> bool {
    ctx.who.is_none() && ctx.world.can_ask() && !hosts::inside(&|name| ctx.world.var(name))
}

/// Approves what the file asks for. Gives the version and what happened.
pub(super) fn approve(ctx: &Ctx, place: &Place) -> Result<(u64, &'static str)> {
    let state = ctx.state_for(place)?;
    let mut desk = ctx.desk(place)?;
    let before = ctx.snapshot(&desk);
    if let Some(why) = &before.head_trouble {
        return Err(Failure::fault("the approval of this plan cannot be used", why.clone(), "steadfast doctor"));
    }
    if before.plan.is_none() {
        return Err(refused(&place.file(), &[], &before));
    }
    let mut head = before.head.clone().unwrap_or_else(|| from_mirrors(&desk));
    let (bytes, _) = strict(&before.bytes, head.mode, head.gate, &place.file())?;
    if bytes != before.bytes {
        edit::change(&desk, |now, _| with_ids(now))?;
    }
    let snapshot = ctx.snapshot(&desk);
    let mut asked = if before.head.is_some() {
        asked(&snapshot, place)?
    } else {
        strict(&snapshot.bytes, head.mode, head.gate, &place.file())?.1
    };
    if let Some(approved) = &snapshot.contract {
        notes::forget(&mut asked, approved);
    }
    let old = snapshot.contract.clone();
    let kind = old.as_ref().map(|old| self::kind(old, &asked, &snapshot));
    if kind == Some(Change::Same) {
        return Ok((head.version, "approved already"));
    }
    let by = allow(ctx, &head, before.head.is_some(), kind, old.as_ref(), &asked)?;
    let contract_bytes = asked.to_bytes();
    head.digest = digest(&contract_bytes);
    head.goal.clone_from(&asked.goal);
    head.contract = String::from_utf8(contract_bytes).ok();
    let commands: Vec<String> = asked.phases.iter().flat_map(|p| &p.checks).map(|c| digest(c.as_bytes())).collect();
    if by == By::Person {
        head.person_commands = commands;
    } else {
        head.person_commands.retain(|d| commands.contains(d));
    }
    stamp(ctx, &mut head, by);
    publish(&state, &desk, &head)?;
    let mut record = ctx.record("attest", "", &format!("version {} by {}", head.version, by.word()));
    record.data = serde_json::json!({ "version": head.version, "sha256": head.digest, "by": by.word() });
    let mut records = vec![record];
    records.extend(ctx.attach(&mut desk, false)?);
    let approved = ctx.snapshot(&desk);
    adopt(&mut desk, &approved, kind == Some(Change::Weakens));
    if let Some(opened) = edit::open_next(&mut desk, &approved)? {
        records.push(ctx.record("phase_start", &opened, "opened by the approval"));
    }
    ctx.commit(&mut desk, records)?;
    Ok((head.version, "approved"))
}

/// Statuses written before the approval are taken as they are, where they count.
fn adopt(desk: &mut Desk, approved: &Snapshot, weakened: bool) {
    for phase in &approved.view.phases {
        let run = desk.run.phases.entry(phase_key(&phase.id)).or_default();
        if run.status.is_none() {
            run.status = Some(phase.status);
        }
    }
    let counts = approved.view.counts(desk.run.mark.files);
    // A smaller plan has smaller counts; without this it could not show progress for a while.
    desk.run.mark = if weakened { counts } else { desk.run.mark.max(counts) };
}

/// A plan that came from elsewhere keeps the mode its mirror names, once a person approves it.
fn from_mirrors(desk: &Desk) -> Head {
    let text = desk.file(layout::MODE, 256).bytes().unwrap_or_default();
    let words = String::from_utf8_lossy(&text).into_owned();
    let has = |word: &str| words.split_ascii_whitespace().any(|w| w == word);
    let mode = if has("gate") {
        Mode::Gate
    } else if has("autonomous") {
        Mode::Autonomous
    } else {
        Mode::Plain
    };
    Head { v: 1, plan: desk.path(), mode, ..Head::default() }
}

/// Who may approve this, and as whom it counts.
fn allow(
    ctx: &Ctx,
    head: &Head,
    known: bool,
    kind: Option<Change>,
    old: Option<&Contract>,
    asked: &Contract,
) -> Result<By> {
    let agent_may = match kind {
        None => known && head.made_here,
        Some(Change::Same | Change::Extends) => true,
        Some(Change::Weakens) => false,
    };
    if person(ctx) {
        confirm(ctx, old, asked)?;
        return Ok(By::Person);
    }
    if agent_may {
        return Ok(By::Agent);
    }
    let why = if kind.is_none() {
        "this plan was not made here, so a person has to approve it first"
    } else {
        "it takes something away, rewords or reorders what is approved, so a person has to approve it"
    };
    Err(Failure::no("this cannot be approved from here", why, "ask the user to type in a terminal: steadfast attest"))
}

/// The person sees what changes and types the first eight characters of its digest.
fn confirm(ctx: &Ctx, old: Option<&Contract>, asked: &Contract) -> Result<()> {
    let empty = Contract { v: asked.v, ..Contract::default() };
    let lines: Vec<String> =
        change::differences(old.unwrap_or(&empty), asked).iter().map(ToString::to_string).collect();
    print(ctx, &lines);
    for command in asked.phases.iter().flat_map(|p| &p.checks) {
        ctx.out.line(&format!("runs: {}", ctx.out.paint(Style::Cyan, command)));
    }
    let code: String = digest(&asked.to_bytes()).chars().take(8).collect();
    let typed = ctx.world.ask(&format!("to approve this, type {code}: ")).unwrap_or_default();
    if typed.trim() == code {
        return Ok(());
    }
    Err(Failure::no("nothing was approved", "the code was not typed", "steadfast attest"))
}

/// The next version, by whom and when.
pub(super) fn stamp(ctx: &Ctx, head: &mut Head, by: By) {
    head.version += 1;
    head.log.push(Approval { version: head.version, digest: head.digest.clone(), by, at: rfc3339(ctx.world.now()) });
}

/// Replaces the head, which is the commit point, then the mirrors beside the plan, which nobody decides by.
pub(super) fn publish(state: &Path, desk: &Desk, head: &Head) -> Result<()> {
    head::write(state, head).map_err(|error| {
        Failure::fault(
            "nothing was approved",
            format!("{} cannot be written: {error}", head::dir(state, &head.plan).join(layout::HEAD).display()),
            "steadfast doctor",
        )
    })?;
    mirror(desk, head).map_err(|error| {
        Failure::fault(
            "the approval is in force, but its mirrors beside the plan are not written",
            error.to_string(),
            "steadfast doctor",
        )
    })
}

fn mirror(desk: &Desk, head: &Head) -> std::io::Result<()> {
    if let Some(contract) = head.contract.as_ref().filter(|_| head.version > 0) {
        let name = layout::contract(head.version);
        desk.create(&name, contract.as_bytes())?;
        desk.replace(layout::ATTESTATION, format!("{}  {name}\n", head.digest).as_bytes())?;
    }
    if head.mode == Mode::Plain {
        disk::remove(&desk.path().join(layout::MODE))
    } else {
        desk.replace(layout::MODE, head.mode.tokens().as_bytes())
    }
}
