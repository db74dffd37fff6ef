//! `attest`: approve what the plan asks for. This file approves; the others show and revoke.

mod diff;
mod log;
mod revoke;
mod show;

use crate::commands::args::Attest;
use crate::commands::ctx::{Ctx, LATER};
use crate::commands::{edit, proposals};
use crate::core::candidate::Candidate;
use crate::core::change::Change;
use crate::core::contract::{Contract, GateOptions, Mode, digest, digest_start};
use crate::core::ledger::rfc3339;
use crate::core::plan::Problem;
use crate::core::request::{Request, What};
use crate::core::{candidate, differences};
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::store::approval::{Grant, Shown};
use crate::store::{By, Desk, Head, HeadRead, Place, Snapshot, approval, head};

/// How many doubts about a plan that was approved are told.
const DOUBTS: usize = 5;

pub(super) fn run(ctx: &Ctx, args: &Attest) -> Result<()> {
    let place = ctx.place()?;
    if args.show {
        return show::run(ctx, &place);
    }
    if args.diff {
        return diff::run(ctx, &place);
    }
    if args.log {
        return log::run(ctx, &place);
    }
    if args.revoke {
        return revoke::run(ctx, &place);
    }
    if let Some(n) = args.proposal {
        return proposals::approve(ctx, &place, n);
    }
    revoke::heeded(ctx, &place)?;
    proposals::hint(ctx, &place)?;
    let text = approve(ctx, &place, Word::Must)?;
    let desk = Ctx::look(&place)?;
    ctx.say(&desk, &text);
    Ok(())
}

fn refused(file: &str, problems: &[Problem], snapshot: &Snapshot) -> Failure {
    if snapshot.plan.is_none() {
        let why = snapshot.plan_trouble.clone().unwrap_or_else(|| "the file is missing or empty".to_owned());
        return Failure::no(
            format!("{file} cannot be approved"),
            why,
            if snapshot.contract.is_some() {
                "steadfast restore"
            } else {
                "steadfast attest  # when the goal and the phases are written"
            },
        );
    }
    problems_of(file, problems)
}

/// A failure that names every problem, the first dozen in full.
pub(super) fn problems_of(file: &str, problems: &[Problem]) -> Failure {
    Failure::no(
        format!("{file} cannot be approved yet"),
        candidate::lines(problems, 12).join("\n       "),
        "steadfast attest  # when these places are mended",
    )
}

/// A plan file with its ids written, and its contract; or a failure that names every problem it has.
pub(super) fn strict(bytes: &[u8], mode: Mode, gate: GateOptions, file: &str) -> Result<(Vec<u8>, Contract)> {
    candidate::strict(bytes, mode, gate).map_err(|problems| problems_of(file, &problems))
}

/// Whether a person at a terminal has to give their word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Without it nothing is approved.
    Must,
    /// Without it the approval counts as the agent's: its commands run only in the agent's session.
    May,
}

/// Approves what the file asks for, or leaves that to the next hook where only it can. Says what happened.
///
/// A person is asked before the lock is taken: hooks need it meanwhile. What is approved then has to be what was shown.
pub(super) fn approve(ctx: &Ctx, place: &Place, word: Word) -> Result<String> {
    if place.id.is_empty() {
        // Says what to do instead, before anybody is asked.
        ctx.desk(place)?;
    }
    let state = ctx.state_for(place)?;
    let look = Ctx::look(place)?;
    let before = ctx.snapshot(&look);
    if let Some(why) = &before.head_trouble {
        return Err(Failure::fault("the approval of this plan cannot be used", why.clone(), "steadfast doctor"));
    }
    if before.plan.is_none() {
        return Err(refused(&place.file(), &[], &before));
    }
    let (shown, kind) = proposed(&look, &before, place)?;
    drop(look);
    // A person may take over what an agent approved, with its commands.
    let taking_over = ctx.person() && before.head.as_ref().is_some_and(|h| !owns_commands(h, &shown));
    if let (Some(Change::Same), Some(head), false) = (kind, &before.head, taking_over) {
        let mut desk = ctx.desk(place)?;
        return again(ctx, &mut desk, head);
    }
    let by = allow(ctx, &before, kind, &shown, word)?;
    let mut desk = ctx.desk(place)?;
    edit::change(&desk, |now, _| candidate::with_ids(now))?;
    let now = ctx.snapshot(&desk);
    let (asked, kind) = proposed(&desk, &now, place)?;
    if by == By::Agent
        && asked == shown
        && let (Some(Change::Same), Some(head)) = (kind, &now.head)
    {
        // Another verb was faster, with the same.
        return again(ctx, &mut desk, head);
    }
    if asked != shown || now.contract != before.contract {
        return Err(Failure::no("nothing was approved", "the plan changed while it was looked at", "steadfast attest"));
    }
    let mut head = now.head.clone().unwrap_or_else(|| approval::head_from_mirrors(&desk));
    let grant = Grant { by, shown: Shown::Commands, at: rfc3339(ctx.world.now()) };
    // A draft that only a request of this session speaks of is judged by the hook, and by nobody else.
    let granted = if now.head.is_some() && matches!(head::read(&state, &desk.path()), HeadRead::None) {
        Err(approval::Trouble::NotApproved(std::io::ErrorKind::PermissionDenied.into()))
    } else {
        approval::grant(&state, &desk, &mut head, &asked, grant)
    };
    match granted {
        Err(approval::Trouble::NotApproved(error)) if by == By::Agent && ctx.hands_over(&error) => {
            let digest = digest(&asked.to_bytes());
            ctx.hand_over(place, Request { what: What::Attest, digest, ..Request::default() })?;
            let records = Vec::from_iter(ctx.attach(&mut desk, false)?);
            ctx.commit(&mut desk, records)?;
            return Ok(format!("the approval of {} {LATER}", place.name()));
        }
        other => published(other)?,
    }
    take_over(ctx, &mut desk, kind == Some(Change::Weakens))?;
    // What does not keep a plan from being approved may still be meant otherwise.
    let doubts = now.plan.map(|plan| plan.problems).unwrap_or_default();
    for doubt in candidate::lines(&doubts, DOUBTS) {
        ctx.out.aside(&format!("note: {doubt}"));
    }
    Ok(format!("approved as version {} of {}", head.version, place.name()))
}

/// What was approved already is approved again: what a verb that was killed left undone is done.
fn again(ctx: &Ctx, desk: &mut Desk, head: &Head) -> Result<String> {
    // The mirrors are for people and other tools; here is where lost ones come back.
    published(approval::mirror(desk, head).map_err(approval::Trouble::NoMirror))?;
    take_over(ctx, desk, false)?;
    Ok(format!("approved already as version {} of {}", head.version, desk.place.name()))
}

/// Has the run take over what is approved, and records that.
fn take_over(ctx: &Ctx, desk: &mut Desk, weakened: bool) -> Result<()> {
    let approved = ctx.snapshot(desk);
    let Some((summary, data)) = approval::take_over(desk, &approved, weakened) else { return Ok(()) };
    let mut record = ctx.record("attest", "", &summary);
    record.data = data;
    let mut records = vec![record];
    // The session takes with it what it has to know of the contract.
    records.extend(ctx.attach(desk, false)?);
    if let Some(opened) = edit::open_next(desk, &approved)? {
        records.push(ctx.record("phase_start", &opened, "opened by the approval"));
    }
    ctx.commit(desk, records)
}

/// What would be approved, and how it stands to what is. `None`: nothing is approved yet.
fn proposed(desk: &Desk, snapshot: &Snapshot, place: &Place) -> Result<(Contract, Option<Change>)> {
    let (mode, gate) = snapshot.head.as_ref().map_or_else(
        || {
            let head = approval::head_from_mirrors(desk);
            (head.mode, head.gate)
        },
        |head| (head.mode, head.gate),
    );
    Candidate::weigh(&snapshot.bytes, mode, gate, snapshot.contract.as_ref(), &snapshot.view)
        .map(|candidate| (candidate.contract, candidate.change))
        .map_err(|problems| problems_of(&place.file(), &problems))
}

/// Says what an approval came to.
pub(super) fn published(result: std::result::Result<(), approval::Trouble>) -> Result<()> {
    result.map_err(|trouble| match trouble {
        approval::Trouble::NotApproved(error) => Failure::fault(
            "nothing was approved",
            format!("the state directory cannot be written: {error}"),
            "steadfast doctor",
        ),
        approval::Trouble::NoMirror(error) => Failure::fault(
            "the approval is in force, but its mirrors beside the plan are not written",
            error.to_string(),
            "steadfast doctor",
        ),
    })
}

/// Who may approve this, and as whom it counts.
fn allow(ctx: &Ctx, before: &Snapshot, kind: Option<Change>, asked: &Contract, word: Word) -> Result<By> {
    let agent_may = match kind {
        None => before.head.as_ref().is_some_and(|h| h.made_here),
        Some(Change::Same | Change::Extends) => true,
        Some(Change::Weakens) => false,
    };
    if ctx.person() && confirm(ctx, before.contract.as_ref(), asked, word, "steadfast attest")? {
        return Ok(By::Person);
    }
    if agent_may {
        return Ok(By::Agent);
    }
    let (why, fix) = if kind.is_none() {
        (
            "this plan was not made here, so a person has to approve it first",
            "steadfast attest  # typed by the user, in a terminal",
        )
    } else {
        (
            "it takes something away, rewords or reorders what is approved, so a person has to approve it",
            "steadfast propose --why \"...\"  # keeps it for the user, with your reason; then steadfast restore",
        )
    };
    Err(Failure::no("this cannot be approved from here", why, fix))
}

/// Whether a person approved every command of a contract.
fn owns_commands(head: &Head, contract: &Contract) -> bool {
    contract.commands().all(|c| head.person_commands.contains(&digest(c.as_bytes())))
}

/// The person sees what changes and types the first eight characters of its digest. `false`: they left it to the agent.
pub(super) fn confirm(ctx: &Ctx, old: Option<&Contract>, asked: &Contract, word: Word, again: &str) -> Result<bool> {
    let empty = Contract { v: asked.v, ..Contract::default() };
    let lines: Vec<String> =
        differences::differences(old.unwrap_or(&empty), asked).iter().map(ToString::to_string).collect();
    if lines.is_empty() {
        ctx.out.line("approved by an agent already; with your code its commands count as your own:");
    }
    diff::print(ctx, &lines);
    for command in asked.commands() {
        ctx.out.line(&format!("runs: {}", ctx.out.paint(Style::Cyan, &command)));
    }
    let code = digest_start(&asked.to_bytes(), 8);
    let question = match word {
        Word::Must => format!("to approve this, type {code}: "),
        Word::May => {
            format!("to approve its commands as your own, type {code} (Enter leaves them to the agent's session): ")
        }
    };
    let typed = ctx.world.ask(&question).unwrap_or_default();
    if typed.trim() == code {
        return Ok(true);
    }
    if word == Word::May && typed.trim().is_empty() {
        return Ok(false);
    }
    Err(Failure::no("nothing was approved", "the code was not typed", again))
}
