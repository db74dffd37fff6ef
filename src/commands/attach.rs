//! `attach`: this session works on the plan, or the next one will.

use crate::commands::ctx::Ctx;
use crate::error::{Failure, Result};

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let place = ctx.place()?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    if let Some(why) = &snapshot.head_trouble {
        return Err(Failure::fault("the approval of this plan cannot be used", why.clone(), "steadfast doctor"));
    }
    let records = Vec::from_iter(ctx.attach(&mut desk, true)?);
    ctx.commit(&mut desk, records)?;
    let text = match &ctx.who {
        Some((host, _)) => format!("this {} session is attached to {}", host.name, place.id),
        None => format!("the next session that starts here within 24 hours will be attached to {}", place.id),
    };
    ctx.say(&desk, &text);
    Ok(())
}
