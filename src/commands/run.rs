//! `run`: start a host that is attached to the plan.

use crate::commands::args::Run;
use crate::commands::ctx::Ctx;
use crate::core::contract::digest;
use crate::error::{Failure, Result};
use crate::hosts::{self, HOSTS};
use crate::store::attach;
use crate::world::run::foreground;

pub(super) fn run(ctx: &Ctx, args: &Run) -> Result<()> {
    let Some(host) = hosts::named(&args.host) else {
        let known: Vec<_> = HOSTS.iter().map(|h| h.program).collect();
        return Err(Failure::usage(
            format!("`{}` is not a host that is known here", args.host),
            format!("known: {}", known.join(", ")),
            "steadfast hosts",
        ));
    };
    let place = ctx.place()?;
    let token = digest(format!("{}{:?}{}", ctx.world.nanos(), ctx.world.instant(), std::process::id()).as_bytes());
    {
        let mut desk = ctx.desk(&place)?;
        desk.run.token = attach::token_mark(&token);
        ctx.commit(&mut desk, Vec::new())?;
    }
    let env = [("STEADFAST_ATTACH", token)];
    match foreground(host.program, &args.args, &place.root, &env) {
        Ok(0) => Ok(()),
        Ok(code) => Err(Failure::no(format!("{} ended with exit code {code}", host.program), "", "steadfast status")),
        Err(error) => Err(Failure::fault(
            format!("{} could not be started", host.program),
            error.to_string(),
            format!("command -v {}  # {} has to be on PATH", host.program, host.name),
        )),
    }
}
