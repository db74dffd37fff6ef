//! Session files: what one session of one host is bound to, in the user's state directory. A session without a file is unattached.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::core::contract::digest_start;
use crate::core::run::{Course, Mark};
use crate::store::disk::{self, How, Readers};
use crate::store::layout::{SESSIONS, SLOT};
use crate::store::locate::Place;
use crate::store::slot::{self, Slot};

/// The most events that are counted as missed: the file stays small.
const MOST_MISSED: u64 = 16 * 1024;

/// The last stop of a session and what was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastStop {
    /// First 16 hex of the digest of the payload.
    pub payload: String,
    /// The verdict's word.
    pub verdict: String,
    /// The reason or notice that was printed.
    pub said: String,
    /// The stored answer was replayed already.
    pub replayed: bool,
}

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// Format version, 1.
    pub v: u32,
    /// Host id.
    pub host: String,
    /// The host's session id.
    pub session: String,
    /// Project root of the plan.
    pub root: PathBuf,
    /// Plan id.
    pub id: String,
    /// Host process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// When that process started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid_start: Option<u64>,
    /// The boot those belong to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub boot: String,
    /// `SessionEnd` was seen.
    pub ended: bool,
    /// The source of the last session start that was recorded.
    pub started: String,
    /// Holds in this user turn.
    pub turn_holds: u32,
    /// The high-water mark at the last hold of this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_at_hold: Option<Mark>,
    /// What was last injected: first 16 hex of a digest over contract and attestation state.
    pub injected: String,
    /// The context was, or is about to be, compacted: the next block is a full one.
    pub compacted: bool,
    /// Tool calls since the last verb or prompt.
    pub calls: u32,
    /// What the agent knows a person made of the run.
    pub told_course: Course,
    /// What the user was told about last (a digest), so that each news is told once.
    pub told_user: String,
    /// What the agent was told about last.
    pub told_agent: String,
    /// The last stop.
    pub last_stop: LastStop,
    /// A phase of its plan names the tools it may use.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fenced: bool,
    /// The hooks that call come with one that sleeps, in a client that knows such hooks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sleeps: bool,
    /// The hook that sleeps until a wait is over: process, and when it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleeper: Option<(u32, Option<u64>)>,
    /// Such a hook woke this session, and it did not stop since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub woken: bool,
    /// How many events that could not be recorded were reported, see [`SessionFile::missed`].
    #[serde(skip_serializing_if = "is_zero")]
    pub missed: u64,
    /// Deliveries seen: event key and route, newest last. See [`Session::twice`].
    pub seen: Vec<(String, char)>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Session {
    /// The key of a session: 32 hex.
    pub fn key(host: &str, session: &str) -> String {
        digest_start(format!("{host}\n{session}").as_bytes(), 32)
    }

    /// The plan it is bound to.
    pub fn place(&self) -> Place {
        Place { root: self.root.clone(), id: self.id.clone() }
    }

    /// Whether this event came already by another route (a plugin and an installed hook both fire). Remembers it.
    pub fn twice(&mut self, key: &str, route: char) -> bool {
        let other = self.seen.iter().position(|(k, r)| k == key && *r != route);
        if let Some(at) = other {
            self.seen.remove(at);
            return true;
        }
        self.seen.push((key.to_owned(), route));
        if self.seen.len() > 16 {
            self.seen.remove(0);
        }
        false
    }
}

/// An open session file.
#[derive(Debug)]
pub struct SessionFile {
    file: File,
    size: u64,
    path: PathBuf,
}

fn dir(state: &Path) -> PathBuf {
    state.join(SESSIONS)
}

/// What opening the file of a session gave.
#[derive(Debug)]
pub enum Opened {
    /// The session.
    Session(SessionFile, Box<Session>),
    /// There is no file, or nothing was ever written to it: the session is attached to nothing.
    Missing,
    /// There is a file, and it says nothing.
    Unreadable,
}

/// Opens the file of a session.
pub fn open(state: &Path, key: &str) -> Opened {
    let path = dir(state).join(format!("{key}.json"));
    match disk::open_file(&path, How::Write) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Opened::Missing,
        Err(_) => Opened::Unreadable,
        Ok((file, size)) => match slot::read(&file, size) {
            Slot::Whole(session) => Opened::Session(SessionFile { file, size, path }, Box::new(session)),
            // Created by a process that was killed before it wrote it.
            Slot::Empty => Opened::Missing,
            Slot::Torn | Slot::Failed(_) => Opened::Unreadable,
        },
    }
}

/// Whether a file of this session is there, readable or not.
pub fn is_there(state: &Path, key: &str) -> bool {
    disk::kind(&dir(state).join(format!("{key}.json"))).is_some()
}

/// Reads a session without meaning to write it.
pub fn read(state: &Path, key: &str) -> Option<Session> {
    at(state, key, How::Read).map(|(_, session)| session)
}

fn at(state: &Path, key: &str, how: How) -> Option<(SessionFile, Session)> {
    let path = dir(state).join(format!("{key}.json"));
    let (file, size) = disk::open_file(&path, how).ok()?;
    match slot::read(&file, size) {
        Slot::Whole(session) => Some((SessionFile { file, size, path }, session)),
        Slot::Empty | Slot::Torn | Slot::Failed(_) => None,
    }
}

/// Creates or opens the file of a session for writing.
///
/// # Errors
/// The system's.
pub fn create(state: &Path, key: &str) -> io::Result<SessionFile> {
    let path = dir(state);
    disk::make_private_dir(&path)?;
    let name = format!("{key}.json");
    let (file, size) = disk::open_file_at(&disk::open_dir(&path)?, &name, How::Create(Readers::User))?;
    Ok(SessionFile { file, size, path: path.join(name) })
}

impl SessionFile {
    /// Writes the session by one write.
    ///
    /// # Errors
    /// The system's.
    pub fn save(&self, session: &Session) -> io::Result<()> {
        slot::write(&self.file, session)
    }

    /// Counts an event that could not be recorded because the plan stayed locked: by a byte behind the slot, appended, since the
    /// slot itself must not be written without the lock. Beyond [`MOST_MISSED`] it counts no more.
    ///
    /// # Errors
    /// The system's.
    pub fn miss(&self) -> io::Result<()> {
        if self.missed() >= MOST_MISSED {
            return Ok(());
        }
        disk::append(&self.path, b" ")
    }

    /// How many events of this session were counted so, whatever it was bound to.
    pub fn missed(&self) -> u64 {
        self.size.saturating_sub(SLOT as u64)
    }

    /// Reads it again, under a lock. `None` where it says nothing.
    ///
    /// # Errors
    /// The system's; then it may say something.
    pub fn reread(&self) -> io::Result<Option<Session>> {
        match slot::read(&self.file, SLOT as u64) {
            Slot::Whole(session) => Ok(Some(session)),
            Slot::Empty | Slot::Torn => Ok(None),
            Slot::Failed(kind) => Err(kind.into()),
        }
    }
}

/// Removes the file of a session: it is bound to nothing any more.
///
/// # Errors
/// The system's.
pub fn forget(state: &Path, key: &str) -> io::Result<()> {
    disk::remove(&dir(state).join(format!("{key}.json")))
}

/// All sessions known here, with their keys.
pub fn all(state: &Path) -> Vec<(String, Session)> {
    let mut names = disk::names(&dir(state), 10_000);
    names.sort();
    names
        .into_iter()
        .filter_map(|name| {
            let key = name.strip_suffix(".json")?.to_owned();
            let session = read(state, &key)?;
            Some((key, session))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_event_by_two_routes_counts_once() {
        let mut session = Session::default();
        assert!(!session.twice("prompt:1", 'p'));
        assert!(session.twice("prompt:1", 's'));
        assert!(!session.twice("prompt:2", 's'));
        assert!(session.twice("prompt:2", 'p'));
    }

    #[test]
    fn one_route_alone_is_never_taken_for_the_other() {
        let mut session = Session::default();
        let came: Vec<bool> = "sssss".chars().map(|r| session.twice("stop:1", r)).collect();
        assert_eq!(came, [false; 5]);
        for order in ["spsp", "psps", "sppssp"] {
            let mut session = Session::default();
            let real = order.chars().filter(|r| !session.twice("stop:1", *r)).count();
            assert_eq!(real, order.len() / 2, "{order}");
        }
    }
}
