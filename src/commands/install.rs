//! stub
use crate::commands::args::*;
use crate::commands::ctx::Ctx;
use crate::error::*;
pub(super) fn run(_: &Ctx, _: &Install) -> Result<()> {
    Ok(())
}
pub(super) fn examine(_: &Ctx, _: &mut dyn FnMut(bool, String, String)) {}
