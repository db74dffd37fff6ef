//! A session that is bound to a plan: takes over what was written by hand, injects, records, and judges stops.

use crate::core::contract::digest_start;
use crate::core::event::{Kind, Reply};
use crate::core::ledger::is_edit_of_work;
use crate::hook::scene::Scene;
use crate::hook::{Call, context, legacy, main_thread, session_start, stop, tool, unattached};
use crate::store::desk::{Found, Trouble};
use crate::store::session::SessionFile;
use crate::store::state_dir::Depth;
use crate::store::{Desk, Session, state_dir};

/// The ledger's word for events that could not be recorded.
const MISSED: &str = "missed";

pub(super) fn answer(call: &Call<'_>, file: &SessionFile, session: Session) -> Reply {
    let place = session.place();
    if state_dir::outside(&call.state, &place.root, call.world.home().as_deref(), Depth::Root).is_err() {
        return Reply::default();
    }
    if place.id.is_empty() {
        return legacy::answer(call, file, session);
    }
    let mut desk = match Desk::hook(&place) {
        Ok(desk) => desk,
        Err(trouble) => return without_desk(call, file, session, &trouble),
    };
    desk.synced = call.world.syncs();
    // What was read before the lock may be old.
    let session = file.reread().ok().flatten().unwrap_or(session);
    if desk.found != Found::Whole {
        return without_run(call, file, session, &desk);
    }
    if desk.run.owner != Session::key(call.host.id, &call.event.session) {
        drop(desk);
        // What attaches a stranger attaches who was here before as well: it may be that the hook that attached this session was
        // killed half way.
        let comes = matches!(call.event.kind, Kind::SessionStart(_) | Kind::Prompt(_));
        let anew = if comes { unattached::answer(call) } else { Reply::default() };
        return if anew == Reply::default() { taken_over(call, file, session) } else { anew };
    }
    // The mark lies in the project and may be lost there; what the contract says is asked with each block.
    let fenced = session.fenced || desk.run.fenced;
    let session = Session { sleeps: call.sleeps, fenced, ..session };
    let mut scene = Scene { call, desk, session, records: Vec::new() };
    if scene.delivered_twice() {
        // Saved so that a later delivery is told apart.
        let _ = file.save(&scene.session);
        return Reply::default();
    }
    let missed = scene.missed(file.missed());
    let mut reply = scene.handle();
    if missed > 0 && matches!(call.event.kind, Kind::Stop(_) | Kind::Prompt(_)) {
        let text =
            format!("steadfast: {missed} events were not recorded, since the plan was locked by another process");
        reply.notice = Some(reply.notice.map_or(text.clone(), |notice| format!("{notice}\n{text}")));
    }
    if let Err(error) = scene.commit(file) {
        reply.hold = None;
        if matches!(call.event.kind, Kind::Stop(_) | Kind::Prompt(_)) {
            reply.notice =
                Some(format!("steadfast could not record this ({error}) and holds nobody. See: steadfast doctor"));
        }
    }
    reply
}

impl Scene<'_, '_> {
    fn handle(&mut self) -> Reply {
        if !matches!(self.call.event.kind, Kind::Stop(_)) && main_thread(self.call.event) {
            // Whatever comes between makes an equal stop a new one.
            self.session.last_stop.payload.clear();
        }
        match &self.call.event.kind {
            Kind::SessionStart(source) => session_start::answer(self, *source),
            Kind::Prompt(text) => context::prompt(self, text),
            Kind::PostTool(call) => tool::answer(self, call),
            // Judged without a lock, see `guard`.
            Kind::PreTool(_) => Reply::default(),
            Kind::PreCompact => {
                self.session.compacted = true;
                self.record("compact", "", "before compaction");
                Reply::default()
            }
            Kind::SubagentStart => context::subagent(self),
            Kind::SubagentStop => {
                self.record("subagent_stop", "", "subagent ended");
                Reply::default()
            }
            Kind::Stop(call) if main_thread(self.call.event) => stop::answer(self, call),
            Kind::Stop(_) => Reply::default(),
            Kind::SessionEnd(reason) => {
                self.session.ended = true;
                let reason = reason.clone();
                self.record("session_end", "", &reason);
                Reply::default()
            }
        }
    }

    /// Takes over how many events could not be recorded, `all` of them since the session was bound. They may have been edits, so
    /// every proof is older. How many are to be said.
    fn missed(&mut self, all: u64) -> u64 {
        let new = all.saturating_sub(self.session.missed);
        let says = matches!(self.call.event.kind, Kind::Stop(_) | Kind::Prompt(_));
        if new == 0 || !says {
            return 0;
        }
        self.session.missed = all;
        // The tick that the record is about to get: this very stop is judged by it.
        self.desk.run.edit_tick = self.desk.run.tick + 1;
        self.record(MISSED, "", &format!("{new} events were not recorded: the plan was locked"));
        new
    }

    /// A plugin and an installed hook both fire: the event counts once and prints once.
    pub(super) fn delivered_twice(&mut self) -> bool {
        let event = self.call.event;
        let route = self.call.route;
        let word = word(&event.kind);
        let agent = event.agent.as_deref().unwrap_or_default();
        // A turn may have several stops: only the same bytes are the same stop.
        let own = !event.turn.is_empty() && !matches!(event.kind, Kind::Stop(_));
        let turn = if own { &event.turn } else { &self.call.payload };
        let key: String = digest_start(format!("{word}\n{agent}\n{turn}").as_bytes(), 8);
        self.session.twice(&key, route)
    }

    /// Ledger, run state, session: in this order, so that what is acknowledged is there.
    pub(super) fn commit(&mut self, file: &SessionFile) -> std::io::Result<()> {
        let agent = self.agent();
        let mut records = std::mem::take(&mut self.records);
        if !records.is_empty() {
            self.desk.append(&agent, &mut records)?;
            if records.iter().any(|r| r.event == MISSED || is_edit_of_work(r))
                && let Some(last) = records.last()
            {
                self.desk.run.edit_tick = last.tick;
                self.desk.run.edit_ms = self.call.millis();
            }
        }
        if !records.is_empty() || self.desk.changed() {
            self.desk.save()?;
        }
        file.save(&self.session)
    }
}

/// What happened, in our words.
pub(super) fn word(kind: &Kind) -> &'static str {
    match kind {
        Kind::SessionStart(_) => "session-start",
        Kind::Prompt(_) => "prompt",
        Kind::PreTool(_) => "pre-tool",
        Kind::PostTool(_) => "edit",
        Kind::PreCompact => "pre-compact",
        Kind::SubagentStart => "subagent-start",
        Kind::SubagentStop => "subagent-stop",
        Kind::Stop(_) => "stop",
        Kind::SessionEnd(_) => "session-end",
    }
}

/// The plan directory cannot be opened: nothing is recorded, nobody is held, and the user hears of it once.
fn without_desk(call: &Call<'_>, file: &SessionFile, mut session: Session, trouble: &Trouble) -> Reply {
    let event = &call.event.kind;
    if !matches!(event, Kind::Stop(_) | Kind::Prompt(_) | Kind::SessionStart(_)) || !main_thread(call.event) {
        if matches!(trouble, Trouble::Busy) && tool::leaves_a_record(event) {
            // Nobody hears of it now; the next event that gets the lock says so.
            let _ = file.miss();
        }
        return Reply::default();
    }
    if let Trouble::Busy = trouble {
        let mut reply =
            if matches!(event, Kind::Stop(_)) { Reply::default() } else { context::read_only(call, &session) };
        reply.notice = Some(
            "steadfast: the plan is locked by another process; nothing was recorded and nobody is held".to_owned(),
        );
        return reply;
    }
    let context = match (event, trouble) {
        // The approved block needs no lock and no run state.
        (Kind::Prompt(_) | Kind::SessionStart(_), Trouble::Failed(_)) => context::read_only(call, &session).context,
        _ => None,
    };
    let name = session.place().name().to_owned();
    match trouble {
        Trouble::Gone => {
            let text = format!("steadfast: the plan {name} was deleted, so this run is cancelled");
            told_once(file, &mut session, &text)
        }
        other => {
            let text = format!(
                "steadfast: the run of {name} cannot be recorded ({other}); nobody is held. See: steadfast doctor"
            );
            let told = told_once(file, &mut session, &text);
            // A stop that is let go is always said.
            let notice = if matches!(event, Kind::Stop(_)) { Some(text) } else { told.notice };
            Reply { context, notice, ..Reply::default() }
        }
    }
}

fn told_once(file: &SessionFile, session: &mut Session, text: &str) -> Reply {
    let key = digest_start(text.as_bytes(), 16);
    if session.told_user == key {
        return Reply::default();
    }
    session.told_user = key;
    if file.save(session).is_err() {
        return Reply::default();
    }
    Reply { notice: Some(text.to_owned()), ..Reply::default() }
}

/// The run state is missing or torn. The approved block is still injected; a stop is let go, visibly.
fn without_run(call: &Call<'_>, file: &SessionFile, mut session: Session, desk: &Desk) -> Reply {
    if !main_thread(call.event) {
        return Reply::default();
    }
    let what = if desk.found == Found::Torn { "damaged" } else { "gone" };
    match &call.event.kind {
        Kind::Stop(_) => {
            let text =
                format!("steadfast let the run end: error. Its run state is {what}. To rebuild it: steadfast attach");
            Reply { notice: Some(text), ..Reply::default() }
        }
        Kind::Prompt(_) | Kind::SessionStart(_) => {
            let text = format!(
                "steadfast: the run state of {} is {what}; nobody is held until it is rebuilt: steadfast attach",
                session.place().name()
            );
            let told = told_once(file, &mut session, &text);
            Reply { notice: told.notice, ..context::of_desk(call, desk) }
        }
        _ => Reply::default(),
    }
}

/// Another session took the plan over: this one is told once and is no longer held.
fn taken_over(call: &Call<'_>, file: &SessionFile, mut session: Session) -> Reply {
    if !main_thread(call.event) || !matches!(call.event.kind, Kind::Stop(_) | Kind::Prompt(_) | Kind::SessionStart(_)) {
        return Reply::default();
    }
    let text = format!(
        "steadfast: another session works on {} now; this one is not held any more. To take it back: steadfast attach",
        session.place().name()
    );
    told_once(file, &mut session, &text)
}
