//! `release`: take the gate off a plan.

use crate::commands::ctx::Ctx;
use crate::commands::{attest, pause};
use crate::core::contract::{Mode, digest};
use crate::error::{Failure, Result};
use crate::store::By;

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
    if let Some(mut contract) = snapshot.contract.clone() {
        contract.mode = Mode::Plain;
        let bytes = contract.to_bytes();
        head.digest = digest(&bytes);
        head.contract = String::from_utf8(bytes).ok();
        attest::stamp(ctx, &mut head, By::Person);
    }
    attest::publish(&state, &desk, &head)?;
    let record = ctx.record("note", "", "gate released by a person");
    ctx.commit(&mut desk, vec![record])?;
    ctx.say(&desk, "released: this plan holds nobody any more");
    Ok(())
}
