//! Requests of verbs to the next hook of their session, one file per session in `.planning/`. Locked by the file
//! itself: a verb appends, a hook takes all and removes the file.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::core::request::{self, Request};
use crate::store::disk::{self, Dir, How, Readers};
use crate::store::{layout, lock};

/// The most of a request file that is read, in bytes.
const MAX: u64 = 64 * 1024;

fn planning(root: &Path) -> io::Result<Dir> {
    disk::open_dir_beneath(root, &root.join(layout::PLANNING))
}

/// Whether a session left requests in this project.
pub fn waits(root: &Path, key: &str) -> bool {
    disk::kind(&root.join(layout::PLANNING).join(layout::request(key))).is_some_and(|k| k.file)
}

/// The requests a session left, without taking them.
pub fn left(root: &Path, key: &str) -> Vec<Request> {
    let bytes = planning(root).ok().and_then(|dir| disk::read_at(&dir, &layout::request(key), MAX).bytes());
    request::read(&bytes.unwrap_or_default())
}

/// Leaves a request. One that was left already is not left again.
///
/// # Errors
/// The system's.
pub fn leave(root: &Path, key: &str, request: &Request) -> io::Result<()> {
    let dir = planning(root)?;
    let name = layout::request(key);
    // A hook may take the file away between opening and locking it.
    for _ in 0..100 {
        let how = How::Append(Readers::User);
        let Some((mut file, _)) = lock::open(&dir, &name, how, lock::VERB_PATIENCE)? else { break };
        if disk::is_nameless(&file) {
            continue;
        }
        let known = disk::read_at(&dir, &name, MAX).bytes().unwrap_or_default();
        if request::read(&known).last() == Some(request) {
            return Ok(());
        }
        // What a hook would not read is not promised.
        if known.len() as u64 + 4096 > MAX || request::read(&known).len() >= request::MAX {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "too many requests wait for a hook"));
        }
        // A torn line of a verb that was killed must not swallow this one.
        let close = if known.last().is_some_and(|b| *b != b'\n') { "\n" } else { "" };
        return file.write_all(format!("{close}{}", request::line(request)).as_bytes());
    }
    Err(io::Error::from(io::ErrorKind::WouldBlock))
}

/// Requests that are being carried out: locked until dropped.
#[derive(Debug)]
pub struct Taken {
    /// What was asked for, in order.
    pub requests: Vec<Request>,
    dir: Dir,
    name: String,
    _file: File,
}

/// Takes the requests of a session. `None` where there are none, or another hook is at it.
pub fn take(root: &Path, key: &str) -> Option<Taken> {
    let dir = planning(root).ok()?;
    let name = layout::request(key);
    let (file, _) = lock::open(&dir, &name, How::Write, lock::HOOK_PATIENCE).ok()??;
    if disk::is_nameless(&file) {
        return None;
    }
    let requests = request::read(&disk::read_at(&dir, &name, MAX).bytes().unwrap_or_default());
    Some(Taken { requests, dir, name, _file: file })
}

impl Taken {
    /// All of it was answered: removes the file.
    pub fn settle(self) {
        // One that cannot be removed is judged again by the next hook, to the same end.
        let _ = disk::remove_at(&self.dir, &self.name);
    }
}
