//! The hook that sleeps beside a session that waits, and wakes it. The host starts it at every stop; where nothing waits whose
//! end it can see, it ends at once.
//!
//! It is the only hook that may exit 2, by which the host goes on with the session and hands it the line on standard error. It
//! runs for hours, so it has neither the lock nor a file open while it sleeps and looks at everything anew: somebody else may
//! have gone on meanwhile, or taken the plan over. Any trouble ends it in silence: then nobody wakes the session, as without it.

use std::time::Duration;

use serde_json::json;

use crate::core::event::{Event, Kind};
use crate::core::inject;
use crate::core::next::{self, Kind as NextKind};
use crate::core::wait::AGENTS;
use crate::hook::scene::Scene;
use crate::hook::{Call, End, has_session, main_thread, progress};
use crate::hosts::Host;
use crate::output;
use crate::store::desk::{Found, Trouble};
use crate::store::session::{self, Opened};
use crate::store::state_dir::{self, Depth};
use crate::store::{Desk, Session};
use crate::world::{SEES_PROCESSES, World, alive, own_pid, parent_pid, start_time, stdin};

/// Our word for it on the command line. To the host it is a hook of a stop.
pub(super) const WORD: &str = "sleep";
/// How long it sleeps between two looks. A look takes about a millisecond, and what happens meanwhile is seen this late.
const STEP: Duration = Duration::from_secs(2);
/// After this many seconds it gives up: no wait whose end is in sight lasts longer, and hosts have a limit, too.
const LONGEST: u64 = AGENTS;

pub(super) fn main(host: &'static Host, world: World) -> End {
    sleep(host, world).map_or(End::Quiet, |line| {
        output::hook_wakes(&line);
        End::Wakes
    })
}

/// Sleeps until the session is to be woken, and gives the line for it; `None` where it is not.
fn sleep(host: &'static Host, world: World) -> Option<String> {
    let env = |name: &str| world.var(name);
    // One that cannot see its client go would sleep on without it.
    if !SEES_PROCESSES || !(host.sleeps)(&env) {
        return None;
    }
    let event = stop_event(host, &env)?;
    if !has_session(&event, world) || !main_thread(&event) || background(&event) {
        return None;
    }
    let state = state_dir::find(&env).ok()?;
    let call = Call { world, host, event: &event, payload: String::new(), state, route: 's', sleeps: true };
    let mut client = Client { parent: parent_pid(), pid: call.who().pid?, started: None };
    let mut sleeper = Sleeper { key: Session::key(host.id, &event.session), noted: None, call };
    let ends = world.now().saturating_add(LONGEST);
    loop {
        match sleeper.look() {
            Look::Ready(line) => return Some(line),
            Look::Over => return None,
            // After a look: a machine that was suspended may wake up behind both.
            Look::Waits if world.now() >= ends => return None,
            Look::Waits => {}
        }
        client.started = client.started.or_else(|| start_time(client.pid));
        world.pause(STEP);
        if !client.is_there() {
            return None;
        }
    }
}

/// The stop this hook belongs to. Of the payload, which may be long, nothing is kept.
fn stop_event(host: &Host, env: &dyn Fn(&str) -> Option<String>) -> Option<Event> {
    let payload = stdin::read_object(2_000).ok()?;
    let mut event = (host.parse)("stop", payload.bytes(), env)?;
    if let Kind::Stop(call) = &mut event.kind {
        call.last_message = String::new();
    }
    Some(event)
}

/// Whether something else will make the session go on, which a host that nobody attends would only see after this hook.
fn background(event: &Event) -> bool {
    let Kind::Stop(call) = &event.kind else { return false };
    let runs = !call.background.shells.is_empty() || !call.background.subagents.is_empty();
    runs && event.attended == Some(false)
}

/// The program whose hook this is.
struct Client {
    parent: Option<u32>,
    pid: u32,
    /// Not asked before there is a reason to sleep.
    started: Option<u64>,
}

impl Client {
    /// Whoever loses its parent gets another.
    fn is_there(&self) -> bool {
        parent_pid() == self.parent && alive(self.pid, self.started)
    }
}

/// What a look shows.
enum Look {
    /// The session is to be woken, with this line.
    Ready(String),
    /// The plan still waits.
    Waits,
    /// There is nothing to sleep for.
    Over,
}

struct Sleeper<'a> {
    call: Call<'a>,
    key: String,
    /// How this process stands in the file of the session: its id, and when it started.
    noted: Option<(u32, Option<u64>)>,
}

impl Sleeper<'_> {
    /// Looks at session and plan, under the lock for as long as that takes, and makes ready what need not wait any longer. At
    /// first it takes the place of one that slept before: of two that were started for one stop, one goes on.
    fn look(&mut self) -> Look {
        let call = &self.call;
        let Opened::Session(file, session) = session::open(&call.state, &self.key) else { return Look::Over };
        let place = session.place();
        let home = call.world.home();
        if place.id.is_empty() || state_dir::outside(&call.state, &place.root, home.as_deref(), Depth::Root).is_err() {
            return Look::Over;
        }
        let desk = match Desk::hook(&place) {
            Ok(desk) => desk,
            Err(Trouble::Busy) => return Look::Waits,
            Err(_) => return Look::Over,
        };
        let session = file.reread().ok().flatten().unwrap_or(*session);
        let lost = self.noted.is_some() && session.sleeper != self.noted;
        if lost || session.ended || desk.found != Found::Whole || desk.run.owner != self.key || desk.run.paused {
            return Look::Over;
        }
        let mut scene = Scene { call, desk, session, records: Vec::new() };
        let mut snapshot = scene.snapshot();
        let waits = next::next(&snapshot.view).kind == NextKind::Waiting;
        if !waits || !snapshot.waits_in_sight(call.now()) {
            return Look::Over;
        }
        if !progress::awaken(&mut scene, &snapshot).is_empty() {
            for record in &mut scene.records {
                record.data = json!({ "by": "sleeper" });
            }
            snapshot = scene.snapshot();
            if progress::open_next(&mut scene, &snapshot) {
                snapshot = scene.snapshot();
            }
        }
        let next = next::next(&snapshot.view);
        let ready = next.phase.filter(|_| matches!(next.kind, NextKind::Work | NextKind::Start));
        let line = ready
            .and_then(|index| snapshot.view.phases.get(index))
            .map(|phase| inject::rewake(phase.number, &phase.title, &next.command));
        let before = self.noted;
        if line.is_some() {
            scene.session.sleeper = None;
            scene.session.woken = true;
            // Something came between: an equal stop is a new one.
            scene.session.last_stop.payload.clear();
        } else {
            self.noted = before.or_else(|| Some((own_pid(), start_time(own_pid()))));
            scene.session.sleeper = self.noted;
        }
        let news = before.is_none() || !scene.records.is_empty();
        if news && scene.commit(&file).is_err() {
            return Look::Over;
        }
        line.map_or(Look::Waits, Look::Ready)
    }
}
