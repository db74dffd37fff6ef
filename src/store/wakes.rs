//! When `wake` ran last: by that anybody can say who will wake a run that waits.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::store::{disk, layout};

/// The longest time between two runs that counts as a service, in seconds.
const LONGEST: u64 = 25 * 60 * 60;

/// The shortest, in seconds.
const SHORTEST: u64 = 50;

/// What is said where nobody does.
pub const ASLEEP: &str = "nothing: asleep";

/// The last two runs, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wakes {
    /// The last one.
    pub last: u64,
    /// The one before.
    pub before: u64,
}

impl Wakes {
    /// Whether another run is to be expected: it came at some interval, and is not long overdue.
    pub fn is_running(self, now: u64) -> bool {
        let interval = self.last.saturating_sub(self.before);
        self.before > 0 && interval <= LONGEST && now.saturating_sub(self.last) <= 2 * interval.max(60)
    }
}

/// Who wakes a run that waits, in words. `by_hook`: a hook of its session sleeps beside it until then.
pub fn who(state: &Path, by_hook: bool, now: u64) -> &'static str {
    if by_hook {
        "a hook of this session, while the client stays open"
    } else if read(state).is_running(now) {
        "steadfast wake, which runs here regularly"
    } else {
        ASLEEP
    }
}

/// Reads it.
fn read(state: &Path) -> Wakes {
    let bytes = disk::read(&state.join(layout::WAKES), 4096).bytes().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Notes a run.
///
/// # Errors
/// The system's.
pub fn note(state: &Path, now: u64) -> io::Result<()> {
    let known = read(state);
    // Runs close together are somebody's hand, and one of them.
    let before = if now.saturating_sub(known.last) < SHORTEST { known.before } else { known.last };
    let wakes = Wakes { last: now, before };
    let bytes = serde_json::to_vec(&wakes).map_err(io::Error::other)?;
    disk::replace_at(&disk::open_dir(state)?, layout::WAKES, &bytes, disk::Readers::User, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_one_that_comes_again() {
        for (last, before, now, right) in [
            (0, 0, 100, false),
            (1_000, 0, 1_100, false),
            (1_000, 0, 3_000, false),
            (10_000, 9_700, 10_500, true),
            (10_000, 9_700, 10_700, false),
            (100_000, 13_600, 200_000, true),
            (100_000, 13_600, 300_000, false),
            (900_000, 1, 900_100, false),
            (900_000, 1, 1_100_000, false),
        ] {
            assert_eq!(Wakes { last, before }.is_running(now), right, "{last} {before} {now}");
        }
    }
}
