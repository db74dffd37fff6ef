//! `attest --revoke`: a person takes the approval back.

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::commands::pause;
use crate::core::ledger::rfc3339;
use crate::core::text::first_chars;
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::store::approval::{self, Trouble};
use crate::store::{Attestation, Place};

pub(super) fn run(ctx: &Ctx, place: &Place) -> Result<()> {
    pause::only_a_person(ctx, "attest --revoke")?;
    let state = ctx.state_for(place)?;
    let before = ctx.snapshot(&Ctx::look(place)?);
    let (Some(head), Some(_)) = (&before.head, &before.contract) else { return Ctx::approved(&before) };
    let code = first_chars(&head.digest, 8);
    ctx.out.aside(&format!("version {} of {}: {}", head.version, place.name(), ctx.out.paint(Style::Bold, &head.goal)));
    ctx.out.aside(
        "Nothing of it will be injected, nothing executed and nobody held until a person approves the plan again.",
    );
    // Asked before the lock is taken: hooks need it meanwhile.
    let typed = ctx.world.ask(&format!("to take this approval back, type {code}: ")).unwrap_or_default();
    if typed.trim() != code {
        return Err(Failure::no("nothing was revoked", "the code was not typed", "steadfast attest --revoke"));
    }
    let mut desk = ctx.desk(place)?;
    let Some(mut head) =
        ctx.snapshot(&desk).head.filter(|now| now.digest == head.digest && now.version == head.version)
    else {
        return Err(Failure::no(
            "nothing was revoked",
            "another version was approved meanwhile",
            "steadfast attest --revoke",
        ));
    };
    let mirror = match approval::revoke(&state, &desk, &mut head, rfc3339(ctx.world.now())) {
        Ok(()) => Ok(()),
        Err(Trouble::NotApproved(error)) => {
            return Err(Failure::fault(
                "nothing was revoked",
                format!("the state directory cannot be written: {error}"),
                "steadfast doctor",
            ));
        }
        Err(Trouble::NoMirror(error)) => Err(Failure::fault(
            "the approval is revoked, but its mirror beside the plan is not removed",
            error.to_string(),
            "steadfast doctor",
        )),
    };
    desk.run.revoked = true;
    let mut record = ctx.record("revoke", "", &format!("version {} revoked by person", head.version));
    record.data = json!({ "version": head.version, "by": "person" });
    ctx.commit(&mut desk, vec![record])?;
    ctx.say(
        &desk,
        &format!("revoked version {} of {}; to approve the plan again: steadfast attest", head.version, place.name()),
    );
    mirror
}

/// What a person took back, no agent approves again.
pub(super) fn heeded(ctx: &Ctx, place: &Place) -> Result<()> {
    let snapshot = ctx.snapshot(&Ctx::look(place)?);
    if snapshot.attestation == Attestation::Revoked && !ctx.person() {
        return Ctx::approved(&snapshot);
    }
    Ok(())
}
