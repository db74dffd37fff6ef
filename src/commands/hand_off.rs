//! Handing a phase off to the person: it lacks nothing but their word.

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::commands::edit;
use crate::commands::prove::PhaseProof;
use crate::core::plan::Status;
use crate::core::run::phase_key;
use crate::core::wait::{TO_APPROVE, Wait};
use crate::error::Result;
use crate::store::Place;

/// Hands off the phases that lack nothing but a person's word, so that the run may go on, or end, without it.
pub(super) fn word_missing(ctx: &Ctx, place: &Place, results: &[PhaseProof]) -> Result<()> {
    for id in results.iter().filter(|r| r.word).map(|r| &r.id) {
        let mut desk = ctx.desk(place)?;
        let snapshot = ctx.snapshot(&desk);
        let Some(asked) = snapshot.contract.as_ref().and_then(|c| c.phase(id)) else { continue };
        // The word may have come meanwhile.
        if snapshot.head.as_ref().is_some_and(|h| h.is_given(asked)) {
            continue;
        }
        edit::status(&desk, id, Status::Waiting)?;
        let run = desk.run.phases.entry(phase_key(id)).or_default();
        run.status = Some(Status::Waiting);
        TO_APPROVE.clone_into(&mut run.why);
        run.wait = Some(Wait { human: true, ..Wait::default() });
        let mut record = ctx.record("phase_waiting", id, "for the user");
        record.data = json!({ "why": TO_APPROVE, "until": 0, "file": "", "human": true });
        edit::settle(ctx, &mut desk, record)?;
    }
    Ok(())
}
