//! Before a tool is used: what would weaken the plan, change what is approved or take our hooks away is refused. Everything is
//! judged without a lock; only a refusal takes one, for its record. What cannot be judged passes.

use std::path::{Path, PathBuf};

use crate::core::contract::Mode;
use crate::core::event::{Event, Reply, ToolCall, Write};
use crate::core::guard::{self, Approved, Around, Harm, Target};
use crate::core::tools;
use crate::hook::scene::{Scene, record};
use crate::hook::{Call, main_thread};
use crate::store::desk::Found;
use crate::store::disk;
use crate::store::layout;
use crate::store::session::SessionFile;
use crate::store::state_dir::{self, Depth};
use crate::store::{Desk, Session, Snapshot};
use crate::world::World;

/// The most of a settings file that is read, in bytes.
const MAX_SETTINGS: u64 = 1024 * 1024;

/// What a call changes, from the event alone.
pub(super) fn targets(event: &Event, tool: &ToolCall, world: World) -> Vec<Target> {
    guard::targets(tool, Around { cwd: event.cwd.as_deref(), var: &|name| world.var(name) })
}

/// Judges a call that changes something, made by a bound session or by a subagent of it.
pub(super) fn answer(
    call: &Call<'_>,
    tool: &ToolCall,
    targets: &[Target],
    file: &SessionFile,
    session: &Session,
) -> Reply {
    let place = session.place();
    let home = call.world.home();
    if place.id.is_empty() || state_dir::outside(&call.state, &place.root, home.as_deref(), Depth::Root).is_err() {
        return Reply::default();
    }
    let concern = Concern::of(call, tool, targets, &place.dir().join(layout::PLAN));
    if concern.is_none() && !session.fenced {
        return Reply::default();
    }
    let Ok(desk) = Desk::look(&place) else { return Reply::default() };
    let key = Session::key(call.host.id, &call.event.session);
    if desk.found != Found::Whole || desk.run.owner != key || desk.run.paused {
        return Reply::default();
    }
    let snapshot = Snapshot::take(Some(&call.state), &desk);
    if snapshot.head.as_ref().is_none_or(|head| head.mode == Mode::Plain) {
        return Reply::default();
    }
    let harm = concern.harm(call, &desk, &snapshot).or_else(|| fenced(call, tool, &snapshot, &place.dir()));
    let Some(harm) = harm else { return Reply::default() };
    record_refusal(call, file, session, &guard::summary(&harm, &tool.name));
    Reply { deny: Some(guard::denial(&harm)), notice: Some(guard::notice(&harm)), ..Reply::default() }
}

/// A tool that the phase in progress does not name.
fn fenced(call: &Call<'_>, tool: &ToolCall, snapshot: &Snapshot, dir: &Path) -> Option<Harm> {
    let env = |name: &str| call.world.var(name);
    let around = Around { cwd: call.event.cwd.as_deref(), var: &env };
    let own = |path: &Path| path.to_str().and_then(|text| around.path(text)).is_some_and(|p| real(&p).starts_with(dir));
    tools::fence(&snapshot.view, tool, &own).map(Harm::Tool)
}

/// What of a call has to be looked at.
struct Concern<'t> {
    /// It changes the state directory.
    state: bool,
    /// Writes to the plan file.
    plan: Vec<&'t Write>,
    /// Writes to the host's settings, with the file that is written.
    settings: Vec<(PathBuf, &'t Write)>,
}

impl<'t> Concern<'t> {
    fn of(call: &Call<'_>, tool: &'t ToolCall, targets: &[Target], plan: &Path) -> Self {
        let home = call.world.var("HOME");
        let hits = |state: &Path| targets.iter().any(|target| target.hits(state, home.as_deref()));
        let mut concern = Self { state: hits(&call.state), plan: Vec::new(), settings: Vec::new() };
        if concern.state {
            return concern;
        }
        let state = disk::canonical(&call.state).unwrap_or_else(|_| call.state.clone());
        concern.state = state != call.state && hits(&state);
        let env = |name: &str| call.world.var(name);
        let settings = if tool.writes.is_empty() {
            Vec::new()
        } else {
            (call.host.settings)(call.event.project.as_deref().or(call.event.cwd.as_deref()), &env)
        };
        let around = Around { cwd: call.event.cwd.as_deref(), var: &env };
        for write in &tool.writes {
            let Some(path) = write.path.to_str().and_then(|text| around.path(text)) else { continue };
            let real = real(&path);
            concern.state |= real.starts_with(&state);
            if real == plan {
                concern.plan.push(write);
            } else if settings.iter().any(|file| leads_to(file, &real)) {
                concern.settings.push((real, write));
            }
        }
        concern
    }

    fn is_none(&self) -> bool {
        !self.state && self.plan.is_empty() && self.settings.is_empty()
    }

    fn harm(&self, call: &Call<'_>, desk: &Desk, snapshot: &Snapshot) -> Option<Harm> {
        if self.state {
            return Some(Harm::State);
        }
        let plan = self.plan.iter().find_map(|write| plan_harm(desk, snapshot, write));
        plan.or_else(|| self.settings.iter().find_map(|(file, write)| settings_harm(call, file, write)))
    }
}

/// The file that a path leads to, also through links; one that is not there lies in its folder.
fn real(path: &Path) -> PathBuf {
    let folder = || Some(disk::canonical(path.parent()?).ok()?.join(path.file_name()?));
    disk::canonical(path).ok().or_else(folder).unwrap_or_else(|| path.to_path_buf())
}

/// Whether this is the name of a file, or a link to it. A link alone may have another name than what it leads to.
fn leads_to(file: &Path, found: &Path) -> bool {
    let may = file.file_name() == found.file_name() || disk::kind(file).is_some_and(|kind| !kind.file);
    may && real(file) == found
}

fn plan_harm(desk: &Desk, snapshot: &Snapshot, write: &Write) -> Option<Harm> {
    let (head, contract) = (snapshot.head.as_ref()?, snapshot.contract.as_ref()?);
    let mut new = guard::after(&String::from_utf8_lossy(&snapshot.bytes), &write.what)?;
    if new.len() as u64 > layout::MAX_PLAN {
        // Nobody would read it.
        new.clear();
    }
    let approved = Approved { contract, mode: head.mode, gate: head.gate, run: &desk.run };
    let losses = guard::losses(&approved, &snapshot.bytes, new.as_bytes());
    if losses.is_empty() { None } else { Some(Harm::of_plan(contract, &losses)) }
}

fn settings_harm(call: &Call<'_>, file: &Path, write: &Write) -> Option<Harm> {
    let before = disk::read(file, MAX_SETTINGS).bytes().unwrap_or_default();
    let before = String::from_utf8_lossy(&before);
    (call.host.settings_harm)(&before, &guard::after(&before, &write.what)?).map(Harm::Settings)
}

/// Leaves a line in the ledger, where that can be done: the refusal stands without it. Plugin and installed hooks both refuse,
/// and record once.
fn record_refusal(call: &Call<'_>, file: &SessionFile, session: &Session, summary: &str) {
    let Ok(desk) = Desk::hook(&session.place()) else { return };
    let Ok(Some(session)) = file.reread() else { return };
    if desk.found != Found::Whole || desk.run.owner != Session::key(call.host.id, &call.event.session) {
        return;
    }
    let mut scene = Scene { call, desk, session, records: Vec::new() };
    if main_thread(call.event) {
        // As with every event between two stops.
        scene.session.last_stop.payload.clear();
    }
    if scene.delivered_twice() {
        // Saved so that a later delivery is told apart.
        let _ = file.save(&scene.session);
        return;
    }
    scene.records.push(record(call, "guard", summary));
    let _ = scene.commit(file);
}
