//! Standard input of a hook: read until one JSON object is whole, however long the host keeps the pipe open.

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::core::whole::Scanner;

/// The most a payload may have. Larger ones are given up on: nothing in them is worth the memory.
pub const MAX_PAYLOAD: usize = 16 * 1024 * 1024;

/// Reads one JSON object. `patience_ms` bounds the wait for each next byte. `None` where none came, it was too large or
/// it did not begin with an object.
pub fn read_object(patience_ms: u64) -> Option<Vec<u8>> {
    let input = rustix::stdio::stdin();
    let mut bytes = Vec::with_capacity(8 * 1024);
    let mut scanner = Scanner::default();
    let timeout = Timespec {
        tv_sec: i64::try_from(patience_ms / 1000).ok()?,
        tv_nsec: i64::try_from(patience_ms % 1000).ok()? * 1_000_000,
    };
    loop {
        let mut fds = [PollFd::new(&input, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return None,
        }
        let start = bytes.len();
        if start >= MAX_PAYLOAD {
            return None;
        }
        bytes.reserve(if start == 0 { 8 * 1024 } else { 64 * 1024 });
        match rustix::io::read(input, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
            Err(_) => return None,
        }
        let fresh = bytes.get(start..)?;
        match scanner.feed(fresh) {
            crate::core::whole::Step::More => {}
            crate::core::whole::Step::Whole(end) => {
                bytes.truncate(start + end);
                let skip = scanner.begins();
                bytes.drain(..skip);
                return Some(bytes);
            }
            crate::core::whole::Step::Never => return None,
        }
    }
}
