//! Standard input of a hook: read until one JSON object is whole, however long the host keeps the pipe open.

use std::time::Duration;

use super::system::Input;
use crate::core::encoding::is_utf16;
use crate::core::whole::{Scanner, Step};

/// The most a payload may have. Larger ones are given up on: nothing in them is worth the memory.
pub const MAX_PAYLOAD: usize = 16 * 1024 * 1024;

/// What fits without asking for memory: most payloads do.
const SMALL: usize = 8 * 1024;

/// A payload.
#[derive(Debug)]
pub struct Payload {
    small: [u8; SMALL],
    large: Vec<u8>,
    begins: usize,
    ends: usize,
}

impl Payload {
    /// The bytes of the object.
    pub fn bytes(&self) -> &[u8] {
        let all = if self.large.is_empty() { &self.small[..] } else { &self.large };
        all.get(self.begins..self.ends).unwrap_or_default()
    }
}

/// Why there is no payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is a text in UTF-16.
    Utf16,
    /// Nothing came, or nothing in time; or too much, or something that does not begin with an object.
    Nothing,
}

/// Reads one JSON object. `patience_ms` bounds the wait for each next byte.
///
/// # Errors
/// Why there is none.
pub fn read_object(patience_ms: u64) -> Result<Payload, Unread> {
    let mut payload = Payload { small: [0; SMALL], large: Vec::new(), begins: 0, ends: 0 };
    let mut scanner = Scanner::default();
    let mut input = Input::new(Duration::from_millis(patience_ms));
    let mut filled = 0;
    while filled < MAX_PAYLOAD {
        if filled >= SMALL {
            if payload.large.is_empty() {
                payload.large.extend_from_slice(&payload.small);
            }
            if payload.large.len() == filled {
                payload.large.resize(filled * 2, 0);
            }
        }
        let room = if payload.large.is_empty() { &mut payload.small[..] } else { &mut payload.large };
        let n = room.get_mut(filled..).and_then(|room| input.read(room)).ok_or(Unread::Nothing)?;
        let step = scanner.feed(room.get(filled..filled + n).unwrap_or_default());
        if filled == 0 && step != Step::More && is_utf16(room) {
            return Err(Unread::Utf16);
        }
        match step {
            Step::More => filled += n,
            Step::Whole(end) => {
                payload.begins = scanner.begins();
                payload.ends = filled + end;
                return Ok(payload);
            }
            Step::Never => return Err(Unread::Nothing),
        }
    }
    Err(Unread::Nothing)
}
