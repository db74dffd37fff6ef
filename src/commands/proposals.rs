//! `attest --proposal N`: a person approves a proposal in a terminal.

use crate::commands::ctx::Ctx;
use crate::commands::{attest, edit};
use crate::core::candidate::Candidate;
use crate::core::change::Change;
use crate::core::ledger::rfc3339;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::store::approval::{self, Grant, Shown};
use crate::store::proposals::{self, Proposal};
use crate::store::{By, Desk, Place, Snapshot, layout};

pub(super) fn approve(ctx: &Ctx, place: &Place, n: u32) -> Result<()> {
    if !ctx.person() {
        return Err(Failure::no(
            "this cannot be approved from here",
            "a proposal is for a person, who types `approve plan` in the chat, or this verb in a terminal",
            "steadfast status  # and go on with the approved plan",
        ));
    }
    let state = ctx.state_for(place)?;
    let (before, shown, asked) = look(ctx, &Ctx::look(place)?, n)?;
    if asked.change == Some(Change::Same) {
        ctx.say(&Ctx::look(place)?, &format!("proposal {n} asks for what is approved already"));
        return Ok(());
    }
    let why = if shown.why.is_empty() { "no reason was given" } else { &shown.why };
    ctx.out.line(&format!("proposal {n}: {}", ctx.out.paint(Style::Plain, why)));
    attest::confirm(
        ctx,
        before.contract.as_ref(),
        &asked.contract,
        attest::Word::Must,
        &format!("steadfast attest --proposal {n}"),
    )?;
    let mut desk = ctx.desk(place)?;
    let (now, again, asked) = look(ctx, &desk, n)?;
    let version = |s: &Snapshot| s.head.as_ref().map(|h| h.version);
    let (Some(mut head), true) = (now.head.clone(), again.digest == shown.digest && version(&now) == version(&before))
    else {
        return Err(Failure::no(
            "nothing was approved",
            "the proposal, or the approved plan, changed while it was looked at",
            format!("steadfast attest --proposal {n}"),
        ));
    };
    let grant = Grant { by: By::Person, shown: Shown::Commands, at: rfc3339(ctx.world.now()) };
    let published = approval::grant(&state, &desk, &mut head, &asked.contract, grant);
    if let Err(approval::Trouble::NotApproved(_)) = published {
        return attest::published(published);
    }
    let placed = proposals::put_in_place(&desk, &now, &asked);
    let approved = ctx.snapshot(&desk);
    let mut records = Vec::new();
    if let Some((summary, data)) = approval::take_over(&mut desk, &approved, asked.change == Some(Change::Weakens)) {
        let mut record = ctx.record("attest", "", &format!("{summary}: proposal {n}"));
        record.data = data;
        records.push(record);
    }
    desk.run.looked = desk.run.looked.max(n);
    if let Some(opened) = edit::open_next(&mut desk, &approved)? {
        records.push(ctx.record("phase_start", &opened, "opened by the approval"));
    }
    ctx.commit(&mut desk, records)?;
    attest::published(published)?;
    let file = match placed {
        Ok(true) if now.bytes.is_empty() => String::new(),
        Ok(true) => format!("; what stood in {} is in {}", place.file(), layout::BEFORE_PROPOSAL),
        Ok(false) => format!("; {} was changed meanwhile and was left as it is", place.file()),
        Err(error) => format!("; {} could not be written ({error})", place.file()),
    };
    ctx.say(&desk, &format!("approved proposal {n} as version {} of {}{file}", head.version, place.name()));
    Ok(())
}

/// The proposal with this number, and what it asks for.
fn look(ctx: &Ctx, desk: &Desk, n: u32) -> Result<(Snapshot, Proposal, Candidate)> {
    let snapshot = ctx.snapshot(desk);
    Ctx::approved(&snapshot)?;
    let Some(mut proposal) = proposals::find(desk, &snapshot, n) else {
        let waiting: Vec<String> = proposals::open(desk, &snapshot).iter().map(|p| p.n.to_string()).collect();
        let why =
            if waiting.is_empty() { "none waits".to_owned() } else { format!("these wait: {}", waiting.join(", ")) };
        return Err(Failure::no(format!("there is no proposal {n} that waits"), why, "steadfast status"));
    };
    let asked = std::mem::replace(&mut proposal.asked, Err(String::new()));
    let asked =
        asked.map_err(|why| Failure::no(format!("proposal {n} cannot be approved"), why, "steadfast status"))?;
    Ok((snapshot, proposal, asked))
}

/// Says to a person who is about to approve something else that proposals wait.
pub(super) fn hint(ctx: &Ctx, place: &Place) -> Result<()> {
    if !ctx.person() || ctx.out.json {
        return Ok(());
    }
    let desk = Ctx::look(place)?;
    let waiting: Vec<String> = proposals::open(&desk, &ctx.snapshot(&desk)).iter().map(|p| p.n.to_string()).collect();
    if let Some(first) = waiting.first() {
        let all = waiting.join(", ");
        ctx.out.line(&format!(
            "proposals that wait: {all}. To see one and approve it: steadfast attest --proposal {first}"
        ));
    }
    Ok(())
}
