//! `release`: take the gate off a plan.

use crate::commands::ctx::Ctx;
use crate::commands::{attest, pause};
use crate::core::contract::Mode;
use crate::core::ledger::rfc3339;
use crate::error::{Failure, Result};
use crate::store::approval;

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    pause::only_a_person(ctx, "release")?;
    let place = ctx.place()?;
    let state = ctx.state_for(&place)?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    let Some(mut head) = snapshot.head.clone().filter(|h| h.mode != Mode::Plain) else {
        return Err(Failure::no("this plan has no gate", "it is not gated or autonomous", "steadfast status"));
    };
    let released = approval::release(&state, &mut desk, &mut head, snapshot.contract.clone(), rfc3339(ctx.world.now()));
    let record = ctx.record("release", "", "by a person");
    if !matches!(released, Err(approval::Trouble::NotApproved(_))) {
        ctx.commit(&mut desk, vec![record])?;
    }
    attest::published(released)?;
    ctx.say(&desk, "released: this plan holds nobody any more. To gate the work again, make a new plan of it: steadfast init --gated --from FILE");
    Ok(())
}
