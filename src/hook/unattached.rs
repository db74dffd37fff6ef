//! A session that is bound to no plan: it is not held, not nagged, and writes nothing, unless this event attaches it.

use crate::core::event::{Event, Kind, Reply, Source};
use crate::core::inject;
use crate::core::plan::Status;
use crate::hook::{Call, attached, main_thread, scene};
use crate::store::attach::{self, Who};
use crate::store::desk::Found as RunFound;
use crate::store::locate::{self, Found, Place};
use crate::store::session::{Session, SessionFile};
use crate::store::snapshot::Snapshot;
use crate::store::state_dir::Depth;
use crate::store::{Attestation, Desk, HeadRead, head, layout, state_dir};

/// By what an event attaches its session. Judged before the lock to be cheap, and again under it, because another session
/// may have been faster.
#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    /// The first session after an `init` or `attach` outside any host.
    Claim,
    /// The one-use token of `run`.
    Token(String),
    /// `/clear` gave the same host process a new session.
    Clear,
    /// A pin, or a prompt that asks to go on.
    Word,
    /// A tool of this session wrote the plan file.
    Edit,
}

impl By {
    fn holds(&self, call: &Call<'_>, desk: &Desk) -> bool {
        // Asked only where it matters: a session that has no part in a plan should not pay for its owner.
        let owner = || attach::owner(&call.state, desk);
        match self {
            Self::Claim => desk.run.claim_until > call.now(),
            Self::Token(token) => attach::is_token(desk, token),
            // One process may serve several conversations: only one whose end was seen has an heir.
            Self::Clear => {
                owner().is_some_and(|o| o.ended && o.pid.is_some() && o.pid == call.who().pid && o.host == call.host.id)
            }
            Self::Word => !owner().as_ref().is_some_and(attach::is_live),
            Self::Edit => true,
        }
    }
}

pub(super) fn answer(call: &Call<'_>) -> Reply {
    if !main_thread(call.event) {
        return Reply::default();
    }
    match &call.event.kind {
        Kind::SessionStart(source) => session_start(call, *source),
        Kind::Prompt(text) => {
            let asked = matches!(text.trim().to_lowercase().as_str(), "continue" | "resume" | "go on");
            if asked || pinned(call) { attach_if_free(call) } else { Reply::default() }
        }
        Kind::Stop(_) => lost(call),
        Kind::PostTool(tool) => tool
            .edits
            .iter()
            .find_map(|path| edited_plan(call.event, path))
            .map_or_else(Reply::default, |place| attach(call, &place, &By::Edit)),
        _ => Reply::default(),
    }
}

/// The run state says that this session is attached, but the file of the session is gone. It is let go, and the user hears it.
/// Looked for where the session works, by the pointer alone: this is asked at every stop of every session.
fn lost(call: &Call<'_>) -> Reply {
    let owned = |place: &Place| Desk::look(place).is_ok_and(|desk| desk.run.owner == call.who().key());
    let mut places = call.event.places().filter_map(|root| {
        let id = locate::pointer(root)?;
        Some(Place { root: root.clone(), id })
    });
    places.find(owned).map_or_else(Reply::default, |place| {
        notice(format!(
            "steadfast let the run end: error. The file of this session is gone, so {} holds nobody. To go on: steadfast attach",
            place.id
        ))
    })
}

fn pinned(call: &Call<'_>) -> bool {
    call.world.var("PLAN_ID").is_some() || call.world.var("PWF_PLAN_ROOT").is_some()
}

fn session_start(call: &Call<'_>, source: Source) -> Reply {
    let place = match locate(call) {
        Found::Plan(place) => place,
        Found::None => return Reply::default(),
        Found::BrokenPin(why) => {
            return notice(format!("steadfast: {why}. Nothing is injected. Unset the pin or mend it."));
        }
        Found::Several(_, ids) => {
            let text = format!(
                "steadfast: several plans here ({}), none in use. Choose one: steadfast use {}",
                ids.join(", "),
                first(&ids)
            );
            return if call.event.attended == Some(false) { Reply::default() } else { notice(text) };
        }
    };
    if place.id.is_empty() {
        return Reply::default();
    }
    let Ok(desk) = Desk::look(&place) else { return Reply::default() };
    let token = call.world.var("STEADFAST_ATTACH").map(By::Token);
    let mut ways: Vec<By> = token.into_iter().collect();
    if source != Source::Compact {
        ways.push(By::Claim);
    }
    if source == Source::Clear {
        ways.push(By::Clear);
    }
    if pinned(call) {
        ways.push(By::Word);
    }
    if let Some(by) = ways.iter().find(|by| by.holds(call, &desk)) {
        return attach(call, &place, by);
    }
    // One-shot runs that nobody attends are left alone, and so is who works beside a live session.
    let alone = call.event.attended == Some(false) || source == Source::Compact;
    if alone || attach::owner(&call.state, &desk).as_ref().is_some_and(attach::is_live) {
        return Reply::default();
    }
    offer(call, &desk)
}

fn first(ids: &[String]) -> &str {
    ids.first().map_or("", String::as_str)
}

fn notice(text: String) -> Reply {
    Reply { notice: Some(text), ..Reply::default() }
}

fn offer(call: &Call<'_>, desk: &Desk) -> Reply {
    if state_dir::outside(&call.state, &desk.place.root, call.world.home().as_deref(), Depth::Repository).is_err() {
        return Reply::default();
    }
    let snapshot = Snapshot::take(Some(&call.state), desk);
    if snapshot.contract.is_none() {
        return Reply::default();
    }
    let total = snapshot.view.phases.len();
    let done = snapshot.view.count(Status::Complete);
    if snapshot.view.phases.iter().all(crate::core::view::PhaseView::settled) {
        return Reply::default();
    }
    Reply { context: Some(inject::offer(&desk.place.id, done, total)), ..Reply::default() }
}

fn attach_if_free(call: &Call<'_>) -> Reply {
    let Found::Plan(place) = locate(call) else { return Reply::default() };
    if place.id.is_empty() {
        return Reply::default();
    }
    let Ok(desk) = Desk::look(&place) else { return Reply::default() };
    if attach::owner(&call.state, &desk).as_ref().is_some_and(attach::is_live) {
        return Reply::default();
    }
    // "continue" in a project whose plan is finished, or was never approved here, is about something else.
    let snapshot = Snapshot::take(Some(&call.state), &desk);
    let unfinished = snapshot.attestation == Attestation::Draft
        || (snapshot.contract.is_some() && snapshot.view.phases.iter().any(|p| !p.settled()));
    drop(desk);
    if unfinished || pinned(call) { attach(call, &place, &By::Word) } else { Reply::default() }
}

pub(super) fn locate(call: &Call<'_>) -> Found {
    locate::find(&locate::From {
        pinned_root: call.world.var("PWF_PLAN_ROOT").map(Into::into),
        pinned_id: call.world.var("PLAN_ID"),
        cwd: call.event.cwd.clone(),
        project: call.event.project.clone(),
        home: call.world.home(),
    })
}

/// The plan whose file this is, judged by its path first.
fn edited_plan(event: &Event, path: &std::path::Path) -> Option<Place> {
    if path.file_name()?.to_str()? != layout::PLAN {
        return None;
    }
    let full = if path.is_absolute() { path.to_path_buf() } else { event.cwd.as_ref()?.join(path) };
    let dir = full.parent()?;
    if event.project.as_deref() == Some(dir) {
        return Some(Place { root: crate::store::disk::canonical(dir).ok()?, id: String::new() });
    }
    let id = dir.file_name()?.to_str()?;
    let planning = dir.parent()?;
    if planning.file_name()?.to_str()? != layout::PLANNING || !locate::is_name(id) {
        return None;
    }
    let root = crate::store::disk::canonical(planning.parent()?).ok()?;
    Some(Place { root, id: id.to_owned() })
}

fn attach(call: &Call<'_>, place: &Place, by: &By) -> Reply {
    if state_dir::outside(&call.state, &place.root, call.world.home().as_deref(), Depth::Repository).is_err() {
        return Reply::default();
    }
    let who: Who = call.who();
    if place.id.is_empty() {
        let bound = attach::bind_legacy(&call.state, place, &who);
        return bound.map_or_else(|_| Reply::default(), |(file, session)| attached::answer(call, &file, session));
    }
    // What lies in a checkout attaches nobody by itself: only a plan this machine knows, or one this session writes.
    let known = matches!(head::read(&call.state, &place.dir()), HeadRead::Head(..));
    if !known && *by != By::Edit {
        return Reply::default();
    }
    let Ok(desk) = Desk::attaching(place) else { return Reply::default() };
    if desk.found != RunFound::Whole && !desk.agents().is_ok_and(|agents| agents.is_empty()) {
        // A new run state would hide that there was one: the next verb rebuilds it from the ledgers.
        return notice(format!(
            "steadfast: the run state of {} is gone or damaged. To rebuild it: steadfast attach",
            place.name()
        ));
    }
    if !by.holds(call, &desk) {
        return Reply::default();
    }
    bind(call, desk, attached::word(&call.event.kind))
        .map_or_else(Reply::default, |(file, session)| attached::answer(call, &file, session))
}

/// Binds the session of this event to a plan whose lock is held, and lets the lock go.
pub(super) fn bind(call: &Call<'_>, mut desk: Desk, by: &str) -> Option<(SessionFile, Session)> {
    let (file, session, _) = attach::bind(&call.state, &mut desk, &call.who()).ok()?;
    let record = scene::record(call, "attach", &format!("session attached by {by}"));
    // A ledger that cannot be written does not undo the attachment; the run state decides.
    let _ = desk.append(call.host.id, &mut [record]);
    desk.save().ok()?;
    Some((file, session))
}
