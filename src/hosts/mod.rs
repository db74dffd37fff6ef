//! Hosts: the agent programs that call us. One file each; this is the registry.

pub mod claude_code;
pub mod claude_code_install;
mod claude_code_settings;
pub mod codex;
mod wire;

use std::path::{Path, PathBuf};

use crate::core::event::{Event, Reply};

/// Reads environment variables of the host's process.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What a host lets a hook do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Which of its events put text in front of the model.
    pub inject: &'static str,
    /// How a stop is held.
    pub hold: &'static str,
    /// The host's own limit of consecutive holds, if it has one.
    pub host_cap: Option<u32>,
    /// The host's limit for injected text.
    pub context_limit: &'static str,
    /// Whether we ask to be called before a tool is used, to refuse what would weaken the plan. Not where a hook that breaks
    /// off refuses the tool: control fails open.
    pub guard: bool,
    /// Whether a hook may sleep until a wait is over, and wake the session by exit code 2.
    pub wakes: bool,
}

/// A host.
pub struct Host {
    /// The id in `--host` and in files.
    pub id: &'static str,
    /// The name people know.
    pub name: &'static str,
    /// Translates a payload. `None` for an event nobody needs.
    pub parse: fn(event: &str, payload: &[u8], env: Env<'_>) -> Option<Event>,
    /// Translates a reply. `None` where there is nothing to print.
    pub render: fn(event: &Event, reply: &Reply) -> Option<String>,
    /// The session a verb runs in, from the variables the host sets in the agent's shell: session id and host process.
    pub session: fn(env: Env<'_>) -> Option<(String, Option<u32>)>,
    /// Whether this shell belongs to an agent of the host, also where it names no session.
    pub inside: fn(env: Env<'_>) -> bool,
    /// It starts every hook in a session (`setsid`) of its own, perhaps through a shell. Else a hook is its child.
    pub own_session: bool,
    /// Whether the client that calls is new enough for a hook that sleeps. One that is not would take it for a plain hook of a
    /// stop and keep the user waiting, so what is not known to be new enough is too old.
    pub sleeps: fn(env: Env<'_>) -> bool,
    /// The settings files by which this host finds our hooks, for a session started in this project.
    pub settings: fn(project: Option<&Path>, env: Env<'_>) -> Vec<PathBuf>,
    /// What an edit of one of them would do to our hooks, in words that follow "it". `None` where it does no harm.
    pub settings_harm: fn(before: &str, after: &str) -> Option<String>,
    /// What it lets a hook do.
    pub abilities: Abilities,
    /// Where a person adds its hooks, if `install` does not do it.
    pub by_hand: Option<&'static str>,
    /// Program and first arguments of `steadfast run`.
    pub program: &'static str,
}

/// All hosts, in the order they are asked whether a shell is theirs.
pub static HOSTS: &[Host] = &[claude_code::HOST, codex::HOST];

/// The longest session id, in bytes. A longer one is none.
pub const MAX_SESSION: usize = 256;

/// The host with this id.
pub fn find(id: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|h| h.id == id)
}

/// The host that a person names, by its id or its program.
pub fn named(word: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|h| h.id == word || h.program == word)
}

/// The host whose shell this is, with the session id and host process.
pub fn here(env: Env<'_>) -> Option<(&'static Host, String, Option<u32>)> {
    HOSTS
        .iter()
        .find_map(|host| (host.session)(env).map(|(session, pid)| (host, session, pid)))
        .filter(|(_, session, _)| session.len() <= MAX_SESSION)
}

/// Whether this shell belongs to an agent of any host.
pub fn inside(env: Env<'_>) -> bool {
    HOSTS.iter().any(|host| (host.inside)(env)) || env("AI_AGENT").is_some()
}
