//! `release`: take the gate off a plan.

use crate::commands::ctx::Ctx;
use crate::commands::{attest, pause};
use crate::core::contract::Mode;
use crate::core::ledger::rfc3339;
use crate::error::{Failure, Result};
use crate::store::approval::{Grant, Shown};
use crate::store::{By, approval};

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    pause::only_a_person(ctx, "release")?;
    let place = ctx.place()?;
    let state = ctx.state_for(&place)?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    let Some(mut head) = snapshot.head.clone().filter(|h| h.mode != Mode::Plain) else {
        return Err(Failure::no("this plan has no gate", "it is not gated or autonomous", "steadfast status"));
    };
    head.mode = Mode::Plain;
    attest::published(if let Some(mut contract) = snapshot.contract.clone() {
        contract.mode = Mode::Plain;
        let grant = Grant { by: By::Person, shown: Shown::Nothing, at: rfc3339(ctx.world.now()) };
        approval::grant(&state, &desk, &mut head, &contract, grant)
    } else {
        approval::publish(&state, &desk, &head)
    })?;
    let record = ctx.record("note", "", "gate released by a person");
    ctx.commit(&mut desk, vec![record])?;
    ctx.say(&desk, "released: this plan holds nobody any more. To gate the work again, make a new plan of it: steadfast init --gated --from FILE");
    Ok(())
}
