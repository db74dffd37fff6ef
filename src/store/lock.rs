//! The only place that locks. The lock is `flock` on the run state file, which is never deleted, so a crash leaves nothing behind.

use std::fs::File;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::world::World;

/// How an attempt to lock ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locked {
    /// It is ours until the file is closed.
    Ours,
    /// Somebody else kept it for all the time we had.
    Busy,
    /// This file system has no locks: go on without.
    Unsupported,
}

/// How long a hook waits for a lock.
pub const HOOK_PATIENCE: Duration = Duration::from_millis(250);
/// How long a verb waits for a lock.
pub const VERB_PATIENCE: Duration = Duration::from_secs(10);

/// How long between two attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// Locks a file, waiting at most `patience`. Never blocks in the kernel: a network mount could keep it there for ever.
pub fn lock(file: &File, patience: Duration) -> Locked {
    // Set only where there is something to wait for. Counting the pauses would not do: on a busy machine each takes longer.
    let mut deadline = None;
    loop {
        match rustix::fs::flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Locked::Ours,
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(_) => return Locked::Unsupported,
        }
        let now = World.instant();
        let left = deadline.get_or_insert(now + patience).saturating_duration_since(now);
        if left.is_zero() {
            return Locked::Busy;
        }
        std::thread::sleep(PAUSE.min(left));
    }
}
