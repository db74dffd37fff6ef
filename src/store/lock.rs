//! The only place that locks. What is locked is a file that is never deleted while it matters, so a crash leaves nothing behind:
//! the system takes the lock back.

use std::fs::File;
use std::io;
use std::time::Duration;

use crate::store::disk::{self, Claim, Dir, How};
use crate::world::World;

/// How long a hook waits for a lock.
pub const HOOK_PATIENCE: Duration = Duration::from_millis(250);
/// How long a verb waits for a lock.
pub const VERB_PATIENCE: Duration = Duration::from_secs(10);

/// How long between two attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// Opens a file in an open directory and locks it, waiting at most `patience`: the file, which is ours until it is closed, and its
/// size when it was opened. `None` where somebody else kept it for all that time. A file system without locks is gone on without.
///
/// # Errors
/// As [`disk::open_file_at`].
pub fn open(dir: &Dir, name: &str, how: How, patience: Duration) -> io::Result<Option<(File, u64)>> {
    // Set only where there is something to wait for. Counting the pauses would not do: on a busy machine each takes longer.
    let mut deadline = None;
    let mut opened = None;
    loop {
        if disk::claim(dir, name, how, &mut opened)? == Claim::Ours {
            return Ok(opened);
        }
        let now = World.instant();
        let left = deadline.get_or_insert(now + patience).saturating_duration_since(now);
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(PAUSE.min(left));
    }
}
