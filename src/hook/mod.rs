//! The only road of a hook: standard input, host, snapshot, decision, commit, host, standard output.
//!
//! Two fail directions. Content fails closed: what no approved contract covers is never injected. Control fails open: what
//! cannot be evaluated (a payload that does not parse, a lock that times out, a full disk, a missing home, a panic) lets the
//! stop go. A hook prints exactly one JSON object or nothing and exits 0; the one exception is `sleeper.rs`, which has a road
//! of its own.

mod adopt;
mod attached;
mod chat;
mod context;
mod dialogue;
mod guard;
mod legacy;
mod observe;
mod progress;
mod request;
mod scene;
mod session_start;
mod sleeper;
mod stop;
mod tool;
mod unattached;

use crate::core::contract::digest_start;
use crate::core::event::{Event, Kind, Reply};
use crate::hosts::{self, Host};
use crate::output;
use crate::store::Session;
use crate::store::attach::Who;
use crate::store::session::Opened;
use crate::store::{session, state_dir};
use crate::world::{
    SEES_PROCESSES, World, parent_pid, session_starter,
    stdin::{self, Unread},
};

/// One call of one hook.
pub(crate) struct Call<'a> {
    pub(crate) world: World,
    pub(crate) host: &'static Host,
    pub(crate) event: &'a Event,
    /// First 16 hex of the digest of the payload.
    pub(crate) payload: String,
    pub(crate) state: std::path::PathBuf,
    /// By which registration we were called: `p` for a plugin, `s` for settings.
    pub(crate) route: char,
    /// That registration has a hook that sleeps, and the client knows such hooks.
    pub(crate) sleeps: bool,
}

impl Call<'_> {
    pub(crate) fn who(&self) -> Who {
        Who {
            host: self.host.id.to_owned(),
            session: self.event.session.clone(),
            pid: self.event.host_pid.or_else(if self.host.own_session { session_starter } else { parent_pid }),
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.world.now()
    }

    /// Milliseconds since 1970.
    pub(crate) fn millis(&self) -> u64 {
        u64::try_from(self.world.nanos() / 1_000_000).unwrap_or(u64::MAX)
    }
}

/// How a hook ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum End {
    /// The caller exits 0, whatever happened.
    Quiet,
    /// The caller exits 2, by which the host wakes the session. Of all hooks only the one that sleeps may end so: to a host
    /// this code blocks what any other hook is asked about.
    Wakes,
}

/// Runs a hook: `steadfast hook <event> --host <host>`.
pub fn main(args: &[String], world: World) -> End {
    silence_panics();
    if world.var("PLANNING_DISABLED").as_deref() == Some("1") {
        return End::Quiet;
    }
    match words(args) {
        Some(words) if words.event == sleeper::WORD => return sleeper::main(words.host, world),
        Some(words) => answer_event(&words, world),
        None => output::hook_aside("usage: steadfast hook <event> --host <host>"),
    }
    End::Quiet
}

fn answer_event(words: &Words<'_>, world: World) {
    let &Words { event: word, host, sleeper } = words;
    let patience = if matches!(word, "session-end" | "SessionEnd") { 300 } else { 2_000 };
    let payload = match stdin::read_object(patience) {
        Ok(payload) => payload,
        Err(Unread::Utf16) => {
            return output::hook_aside("the payload is UTF-16, and only UTF-8 is read: nothing was decided");
        }
        Err(Unread::Nothing) => return,
    };
    let bytes = payload.bytes();
    let env = |name: &str| world.var(name);
    let Some(mut event) = (host.parse)(word, bytes, &env) else { return };
    event.cwd = event.cwd.or_else(|| world.cwd());
    let sleeps = sleeper && SEES_PROCESSES && (host.sleeps)(&env);
    let reply = answer(world, host, &event, bytes, sleeps);
    if let Some(text) = (host.render)(&event, &reply) {
        output::hook_answer(&text);
    }
}

/// What the arguments of a hook say.
struct Words<'a> {
    /// Our word for the event, or the host's.
    event: &'a str,
    host: &'static Host,
    /// The registration has a hook that sleeps.
    sleeper: bool,
}

/// Unknown words are no error: a newer hooks file may call an older binary.
fn words(args: &[String]) -> Option<Words<'_>> {
    let mut word = None;
    let mut host = "claude-code";
    let mut sleeper = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--host" => host = rest.next()?,
            "--sleeper" => sleeper = true,
            other if other.starts_with("--host=") => host = other.trim_start_matches("--host="),
            other if word.is_none() && !other.starts_with('-') => word = Some(other),
            _ => {}
        }
    }
    Some(Words { event: word?, host: hosts::find(host)?, sleeper })
}

fn answer(world: World, host: &'static Host, event: &Event, bytes: &[u8], sleeps: bool) -> Reply {
    if !has_session(event, world) {
        return Reply::default();
    }
    let targets = match &event.kind {
        Kind::PreTool(tool) => guard::targets(event, tool, world),
        _ => Vec::new(),
    };
    let key = Session::key(host.id, &event.session);
    let state = match state_dir::find(&|name| world.var(name)) {
        Ok(state) => state,
        Err(trouble) => return unusable(event, &trouble, &key),
    };
    let mut opened = session::open(&state, &key);
    let bound = match &opened {
        Opened::Session(_, session) => Some(&**session),
        Opened::Missing | Opened::Unreadable => None,
    };
    // Most calls of tools change nothing that could be ours, may be made in any phase, and end here.
    if matches!(event.kind, Kind::PreTool(_)) && targets.is_empty() && bound.is_none_or(|session| !session.fenced) {
        return Reply::default();
    }
    let payload = digest_start(bytes, 16);
    let route = if world.var("CLAUDE_PLUGIN_ROOT").is_some_and(|p| !p.contains("NOT_EXPANDED")) { 'p' } else { 's' };
    let call = Call { world, host, event, payload, state, route, sleeps };
    let answered = request::root(&call, bound, &key).map(|root| request::answer(&call, &root, &key));
    if answered.is_some() {
        opened = session::open(&call.state, &key);
    }
    let mut reply = match opened {
        Opened::Session(file, session) => match &event.kind {
            Kind::PreTool(tool) => guard::answer(&call, tool, &targets, &file, &session),
            _ => attached::answer(&call, &file, *session),
        },
        Opened::Unreadable => unreadable(event, "the file of this session cannot be read"),
        Opened::Missing => unattached::answer(&call),
    };
    if let Some(answered) = answered {
        answered.tell(event, &mut reply);
    }
    reply
}

fn has_session(event: &Event, world: World) -> bool {
    let has = !event.session.is_empty() && event.session.len() <= hosts::MAX_SESSION;
    assert!(!has || world.var("STEADFAST_PANIC").is_none(), "asked for by STEADFAST_PANIC");
    has
}

/// The state directory cannot be trusted: nobody is held. A session that was attached there hears why.
fn unusable(event: &Event, trouble: &state_dir::Trouble, key: &str) -> Reply {
    match trouble {
        state_dir::Trouble::NotOurs(state) if session::is_there(state, key) => unreadable(event, &trouble.to_string()),
        _ => Reply::default(),
    }
}

fn unreadable(event: &Event, why: &str) -> Reply {
    if !main_thread(event) || !matches!(event.kind, Kind::Stop(_) | Kind::Prompt(_)) {
        return Reply::default();
    }
    let what = if matches!(event.kind, Kind::Stop(_)) { "let the run end: error" } else { "is off" };
    Reply {
        notice: Some(format!("steadfast {what}. {why}; nobody is held. See: steadfast doctor")),
        ..Reply::default()
    }
}

/// A panic prints the neutral answer, which is nothing, and exits 0: an abort would be a failure to some hosts, and 2 would
/// block. `STEADFAST_PANIC` makes one, for the test of this.
fn silence_panics() {
    std::panic::set_hook(Box::new(|info| {
        output::hook_aside(&format!("internal error, nothing decided: {info}"));
        #[expect(
            clippy::disallowed_methods,
            clippy::exit,
            reason = "a panic must not become an exit code that blocks"
        )]
        std::process::exit(0);
    }));
}

/// Whether an event belongs to the main thread of its session.
pub(crate) fn main_thread(event: &Event) -> bool {
    event.agent.is_none() && !matches!(event.kind, Kind::SubagentStart | Kind::SubagentStop)
}
