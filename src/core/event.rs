//! The words between hosts and the core: what happened ([`Event`]) and what we answer ([`Reply`]).

use std::path::PathBuf;

use crate::core::patch::Hunk;

/// Why a session started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A new session.
    #[default]
    Startup,
    /// An old session goes on, possibly under a new id.
    Resume,
    /// `/clear`: a new session id in the same host process.
    Clear,
    /// After compaction: the same session with its context replaced by a summary.
    Compact,
    /// A copy of another session.
    Fork,
}

/// One replacement in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// What stands there.
    pub old: String,
    /// What comes in its place.
    pub new: String,
    /// Everywhere, not only where it stands once.
    pub all: bool,
}

/// What a tool is about to make of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writing {
    /// Its whole content.
    Whole(String),
    /// Some of it, one replacement after the other.
    Replace(Vec<Replacement>),
    /// Some of it, by the hunks of a patch.
    Patch(Vec<Hunk>),
    /// The file is taken away.
    Remove,
    /// Cannot be said.
    Unknown,
}

/// A file that a tool is about to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The file, as given by the host (absolute, or relative to the event's cwd).
    pub path: PathBuf,
    /// What will become of it.
    pub what: Writing,
}

/// A tool call, before or after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The host's name of the tool.
    pub name: String,
    /// Files the tool wrote, as given by the host (absolute, or relative to the event's cwd).
    pub edits: Vec<PathBuf>,
    /// Before the tool is used: the files it is about to write, and how.
    pub writes: Vec<Write>,
    /// Before the tool is used: every text of its input, a line each.
    pub input: String,
    /// The shell command, where it was a shell tool.
    pub command: Option<String>,
    /// The tool failed.
    pub failed: bool,
    /// It goes on in the background: that it began says nothing of how it ends.
    pub background: bool,
    /// Exit code, where the host reports one.
    pub exit: Option<i32>,
    /// How long it took, in milliseconds, where the host says.
    pub took: Option<u64>,
    /// A digest over the tool's input: the content written, where the file itself cannot be read.
    pub input_digest: String,
}

/// Work that goes on in the background while a session stops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Background {
    /// Ids of running subagents.
    pub subagents: Vec<String>,
    /// Ids of running shells and anything else.
    pub shells: Vec<String>,
}

/// What a session wants when it stops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopCall {
    /// The stop follows a hold (`stop_hook_active`, or the host's loop counter).
    pub active: bool,
    /// What still runs.
    pub background: Background,
    /// What the agent said last.
    pub last_message: String,
    /// The turn ended by an error or an interruption, not by the agent.
    pub errored: bool,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A session starts or goes on.
    SessionStart(Source),
    /// A prompt is submitted.
    Prompt(String),
    /// Before a tool is used.
    PreTool(ToolCall),
    /// After a tool was used or failed.
    PostTool(ToolCall),
    /// Before compaction.
    PreCompact,
    /// A subagent starts.
    SubagentStart,
    /// A subagent ends.
    SubagentStop,
    /// The agent wants to end its turn.
    Stop(StopCall),
    /// The session ends, with the host's reason.
    SessionEnd(String),
}

/// One event of one session of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: Kind,
    /// The host's session id. Empty: nobody can be held.
    pub session: String,
    /// Where the session works now.
    pub cwd: Option<PathBuf>,
    /// Where the session was started, if the host says so.
    pub project: Option<PathBuf>,
    /// The subagent the event belongs to.
    pub agent: Option<String>,
    /// What makes a repeated delivery recognisable: the host's prompt, turn or tool id.
    pub turn: String,
    /// Somebody sits in front of the session; `None` where the host does not say.
    pub attended: Option<bool>,
    /// The host process, where the host names it.
    pub host_pid: Option<u32>,
}

impl Event {
    /// Where the session works, and where it was started if that is elsewhere.
    pub fn places(&self) -> impl Iterator<Item = &PathBuf> {
        let other = self.project.as_ref().filter(|project| self.cwd.as_ref() != Some(project));
        self.cwd.iter().chain(other)
    }
}

/// What a hook answers, in neutral words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Put in front of the model.
    pub context: Option<String>,
    /// Shown to the user, one line.
    pub notice: Option<String>,
    /// Hold the stop, for this reason.
    pub hold: Option<String>,
    /// Refuse the tool or the prompt, for this reason.
    pub deny: Option<String>,
}

impl Reply {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
