//! `restore`: write the approved plan, with the recorded statuses, back to the file.

use crate::commands::ctx::Ctx;
use crate::core::canonical;
use crate::error::{Failure, Result};
use crate::store::{Attestation, layout};

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let place = ctx.place()?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    Ctx::approved(&snapshot)?;
    let Some(contract) = &snapshot.contract else { return Ctx::approved(&snapshot) };
    if snapshot.attestation == Attestation::Approved {
        ctx.say(&desk, "the plan file asks for what is approved: nothing to restore");
        return Ok(());
    }
    if let Some(why) = &snapshot.plan_trouble {
        // What cannot be read cannot be kept.
        return Err(Failure::no(
            format!("{} is not written over: what stands there cannot be read", place.file()),
            why.clone(),
            format!("mv {0} {0}.old  # then: steadfast restore", crate::output::quote(&place.file())),
        ));
    }
    let failed = |error: std::io::Error| {
        Failure::fault(format!("{} could not be written", place.file()), error.to_string(), "steadfast doctor")
    };
    if !snapshot.bytes.is_empty() {
        desk.replace(layout::BEFORE_RESTORE, &snapshot.bytes).map_err(failed)?;
    }
    desk.replace(layout::PLAN, canonical::plan(contract, &snapshot.view.phases).as_bytes()).map_err(failed)?;
    let mut records = Vec::from_iter(ctx.attach(&mut desk, false)?);
    records.push(ctx.record("note", "", "the approved plan was written back"));
    ctx.commit(&mut desk, records)?;
    let kept = if snapshot.bytes.is_empty() {
        String::new()
    } else {
        format!("; what stood there is in {}", layout::BEFORE_RESTORE)
    };
    ctx.say(&desk, &format!("restored {}{kept}", place.file()));
    Ok(())
}
