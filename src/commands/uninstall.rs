//! stub
use crate::commands::args::*;
use crate::commands::ctx::Ctx;
use crate::error::*;
pub(super) fn run(_: &Ctx, _: &Uninstall) -> Result<()> {
    Ok(())
}
