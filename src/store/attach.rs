//! Attaching: binding one session to a plan. A plan has at most one attached session; only it is held.

use std::io;
use std::path::Path;

use crate::core::contract::digest_start;
use crate::core::run::Course;
use crate::store::desk::Desk;
use crate::store::locate::Place;
use crate::store::session::{self, Session};
use crate::store::snapshot::Snapshot;
use crate::world;

/// For how long the next session may attach by itself after `init` or `attach` outside any host, in seconds.
pub const CLAIM: u64 = 24 * 60 * 60;

/// Who attaches.
#[derive(Clone, Debug)]
pub struct Who {
    /// Host id.
    pub host: String,
    /// The host's session id.
    pub session: String,
    /// Host process.
    pub pid: Option<u32>,
}

impl Who {
    /// Key of the session.
    pub fn key(&self) -> String {
        Session::key(&self.host, &self.session)
    }
}

/// Whether a session still lives: not ended, and its host process is there, as far as this system tells.
pub fn is_live(session: &Session) -> bool {
    if session.ended {
        return false;
    }
    let same_boot = session.boot.is_empty() || session.boot == world::hostname_token();
    same_boot && (!world::SEES_PROCESSES || session.pid.is_some_and(|pid| world::alive(pid, session.pid_start)))
}

/// Whether a hook of this session ends its wait: one that sleeps, or that will from its next stop on.
pub fn is_woken_by_hook(session: &Session) -> bool {
    let sleeps = || session.sleeper.is_some_and(|(pid, started)| world::alive(pid, started));
    // Whatever happens after a stop clears its payload.
    let at_work = session.last_stop.payload.is_empty();
    is_live(session) && (sleeps() || (session.sleeps && at_work))
}

/// The session that is attached to a plan, with its key.
pub fn owner(state: &Path, desk: &Desk) -> Option<Session> {
    if desk.run.owner.is_empty() {
        return None;
    }
    session::read(state, &desk.run.owner).filter(|s| s.place() == desk.place)
}

/// The gated plan whose open work holds a session: to leave it for another plan would be a way out of its gate.
pub fn held_by(state: &Path, key: &str, to: Option<&Place>) -> Option<Place> {
    let from = session::read(state, key)?.place();
    if Some(&from) == to || from.id.is_empty() {
        return None;
    }
    let desk = Desk::look(&from).ok()?;
    if desk.run.owner != key || desk.run.paused {
        return None;
    }
    let snapshot = Snapshot::take(Some(state), &desk);
    let gated = snapshot.gated();
    let open = snapshot.contract.is_none() || snapshot.view.phases.iter().any(|p| !p.settled());
    (gated && open).then_some(from)
}

/// Whether this is the one-use token that `run` gave to its host.
pub fn is_token(desk: &Desk, token: &str) -> bool {
    !desk.run.token.is_empty() && desk.run.token == token_mark(token)
}

/// What of a token is kept in the run state.
pub fn token_mark(token: &str) -> String {
    digest_start(token.as_bytes(), 16)
}

/// Binds a session to the plan of a desk, which is locked and will be saved by the caller. Gives the session file as it is
/// now, and whether the binding is new.
///
/// # Errors
/// The system's; then nothing is bound.
pub fn bind(state: &Path, desk: &mut Desk, who: &Who) -> io::Result<(session::SessionFile, Session, bool)> {
    let owned = desk.run.owner == who.key();
    // What lies behind it is no news to a session that comes later.
    let course = Some(desk.run.course()).filter(|c| *c == Course::Released).unwrap_or_default();
    let (file, session, known) = bind_session(state, &desk.place, who, owned, course, desk.run.fenced)?;
    desk.run.owner = who.key();
    desk.run.claim_until = 0;
    desk.run.token.clear();
    Ok((file, session, !(known && owned)))
}

/// Binds a session to a legacy plan in the project root. Such a plan has no run: it is shown to this session, and nobody is held.
///
/// # Errors
/// The system's; then nothing is bound.
pub fn bind_legacy(state: &Path, place: &Place, who: &Who) -> io::Result<(session::SessionFile, Session)> {
    bind_session(state, place, who, true, Course::Running, false).map(|(file, session, _)| (file, session))
}

/// Writes the session file. One that is bound to this plan already, or was before, keeps what it knows; one that comes from
/// another plan keeps what belongs to the session itself, so that no change of plans gives a turn new holds.
fn bind_session(
    state: &Path,
    place: &Place,
    who: &Who,
    owned: bool,
    course: Course,
    fenced: bool,
) -> io::Result<(session::SessionFile, Session, bool)> {
    let file = session::create(state, &who.key())?;
    let old = file.reread()?.unwrap_or_default();
    let known = old.place() == *place;
    let mut session = if known {
        old
    } else {
        Session {
            turn_holds: old.turn_holds,
            seen: old.seen,
            last_stop: old.last_stop,
            sleeps: old.sleeps,
            told_course: course,
            // What another plan missed is no news of this one.
            missed: file.missed(),
            ..Session::default()
        }
    };
    session.v = 1;
    session.host.clone_from(&who.host);
    session.session.clone_from(&who.session);
    session.root.clone_from(&place.root);
    session.id.clone_from(&place.id);
    session.ended = false;
    session.fenced = fenced;
    // The counter spaces out reminders, and a session that binds itself has just shown that it knows.
    session.calls = 0;
    if !owned {
        // It hears again, should it be taken over again.
        session.told_user.clear();
    }
    if who.pid.is_some() && session.pid != who.pid {
        session.pid = who.pid;
        session.pid_start = who.pid.and_then(world::start_time);
        session.boot = world::hostname_token();
    }
    file.save(&session)?;
    Ok((file, session, known))
}
