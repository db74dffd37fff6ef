//! The only place that locks. What is locked is a file that is never deleted while it matters, so a crash leaves nothing behind:
//! the system takes the lock back.

use std::fs::File;
use std::io;
use std::time::Duration;

use crate::store::disk::{self, Claim, Dir, How};

/// How long a hook waits for a lock.
pub const HOOK_PATIENCE: Duration = Duration::from_millis(250);
/// How long a verb waits for a lock.
pub const VERB_PATIENCE: Duration = Duration::from_secs(10);

/// Opens a file in an open directory and locks it, waiting at most `patience`: the file, which is ours until it is closed, and its
/// size when it was opened. `None` where somebody else kept it for all that time. A file system without locks is gone on without.
///
/// # Errors
/// As [`disk::open_file_at`].
pub fn open(dir: &Dir, name: &str, how: How, patience: Duration) -> io::Result<Option<(File, u64)>> {
    let pause = Duration::from_millis(2);
    let mut left = patience;
    let mut opened = None;
    loop {
        match disk::claim(dir, name, how, &mut opened)? {
            Claim::Ours => return Ok(opened),
            Claim::Busy if left.is_zero() => return Ok(None),
            Claim::Busy => {
                std::thread::sleep(pause.min(left));
                left = left.saturating_sub(pause);
            }
        }
    }
}
