//! How long a rename is tried again where somebody has the file open. Windows does not let a name be taken from such a file: an
//! editor, an indexer or a virus scanner looks into every new file for some milliseconds.

use std::io;
use std::time::Duration;

/// Access denied: the file is open elsewhere, or going away.
const DENIED: i32 = 5;
/// Sharing violation, lock violation, user mapped section, delete pending.
const IN_USE: [i32; 4] = [32, 33, 1224, 303];

/// The most attempts after the first: 191 milliseconds, less than another hook waits for the lock that is held meanwhile.
const ATTEMPTS: u32 = 8;

/// How long to pause before the next attempt, of which the first is number 0. `None`: give up.
pub(super) fn pause(error: &io::Error, attempt: u32) -> Option<Duration> {
    let code = error.raw_os_error()?;
    let passes = code == DENIED || IN_USE.contains(&code);
    (passes && attempt < ATTEMPTS).then(|| Duration::from_millis(1 << attempt.min(6)))
}

/// Whether somebody else has the file open in a way that keeps us out.
pub(super) fn is_in_use(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| IN_USE.contains(&code))
}

/// Tries something until it is done, is refused for good, or was tried often enough.
pub(super) fn persist<T>(mut sleep: impl FnMut(Duration), mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut attempt = 0;
    loop {
        match act() {
            Ok(done) => return Ok(done),
            Err(error) => sleep(pause(&error, attempt).ok_or(error)?),
        }
        attempt += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISK_FULL: i32 = 112;
    const NOT_FOUND: i32 = 2;

    #[test]
    fn what_passes_is_tried_again_and_nothing_for_ever() {
        for (code, attempt, millis) in [
            (32, 0, Some(1)),
            (32, 3, Some(8)),
            (32, 6, Some(64)),
            (32, 7, Some(64)),
            (32, 8, None),
            (33, 0, Some(1)),
            (303, 1, Some(2)),
            (1224, 2, Some(4)),
            (DENIED, 0, Some(1)),
            (DENIED, 8, None),
            (DENIED, u32::MAX, None),
            (DISK_FULL, 0, None),
            (NOT_FOUND, 0, None),
        ] {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(pause(&error, attempt), millis.map(Duration::from_millis), "{code}, attempt {attempt}");
        }
        // Our own refusals have no code of the system.
        assert_eq!(pause(&io::Error::from(io::ErrorKind::PermissionDenied), 0), None);
    }

    #[test]
    fn all_attempts_together_are_shorter_than_the_patience_of_a_hook() {
        let mut slept = Duration::ZERO;
        let mut tries = 0;
        let result: io::Result<()> = persist(
            |time| slept += time,
            || {
                tries += 1;
                Err(io::Error::from_raw_os_error(32))
            },
        );
        assert_eq!(result.unwrap_err().raw_os_error(), Some(32));
        assert_eq!((tries, slept), (ATTEMPTS + 1, Duration::from_millis(191)));
        assert!(slept < crate::store::lock::HOOK_PATIENCE);
    }

    #[test]
    fn the_first_success_and_the_first_real_refusal_end_it() {
        for (errors, tries) in [(vec![], 1), (vec![32, 5], 3), (vec![32, DISK_FULL, 32], 2)] {
            let mut left = errors.iter();
            let mut count = 0;
            let result = persist(
                |_| {},
                || {
                    count += 1;
                    left.next().map_or(Ok(count), |code| Err(io::Error::from_raw_os_error(*code)))
                },
            );
            assert_eq!(count, tries, "{errors:?}");
            assert_eq!(result.is_ok(), !errors.contains(&DISK_FULL), "{errors:?}");
        }
    }

    #[test]
    fn only_an_open_file_counts_as_locked() {
        let kept_out = |code| is_in_use(&io::Error::from_raw_os_error(code));
        assert_eq!([32, 33, 303].map(kept_out), [true; 3]);
        assert_eq!([DENIED, NOT_FOUND, DISK_FULL].map(kept_out), [false; 3]);
    }
}
