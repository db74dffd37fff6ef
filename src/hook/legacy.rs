//! A session that is bound to a legacy plan in the project root: its outline is shown as data, and nobody is held.

use crate::core::event::{Kind, Reply};
use crate::hook::{Call, context, main_thread};
use crate::store::session::SessionFile;
use crate::store::{Desk, Session};

pub(super) fn answer(call: &Call<'_>, file: &SessionFile, mut session: Session) -> Reply {
    if !main_thread(call.event) {
        return Reply::default();
    }
    let fresh = match &call.event.kind {
        Kind::SessionStart(_) => true,
        Kind::Prompt(_) => session.compacted,
        Kind::PreCompact => {
            session.compacted = true;
            // What is not saved only costs a repetition.
            let _ = file.save(&session);
            return Reply::default();
        }
        _ => return Reply::default(),
    };
    let Ok(desk) = Desk::look(&session.place()) else { return Reply::default() };
    let (key, reply) = context::legacy(call, &desk);
    if !fresh && session.injected == key {
        return Reply::default();
    }
    session.compacted = false;
    session.injected = key;
    let _ = file.save(&session);
    reply
}
