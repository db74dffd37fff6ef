//! A slot: a small value in a file of fixed size, rewritten by one write and guarded by a checksum. Torn equals absent.

use std::fs::File;
use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::core::contract::digest_start;
use crate::store::disk;
use crate::store::layout::{MAX_SLOT, SLOT};

/// What a slot held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot<T> {
    /// A whole value.
    Whole(T),
    /// Nothing was written yet.
    Empty,
    /// Something else: torn, or not ours.
    Torn,
    /// The system refused to say. What it holds may be good.
    Failed(io::ErrorKind),
}

/// Reads a slot of `size` bytes, as the file has them.
pub fn read<T: DeserializeOwned>(file: &File, size: u64) -> Slot<T> {
    if size == 0 {
        return Slot::Empty;
    }
    let mut small = [0; SLOT];
    let mut large = Vec::new();
    let room = match usize::try_from(size) {
        Ok(size) if size <= SLOT => &mut small[..],
        Ok(size) if size <= MAX_SLOT => {
            large.resize(size, 0);
            &mut large[..]
        }
        _ => return Slot::Torn,
    };
    match fill(file, room) {
        Ok(n) => room.get(..n).map_or(Slot::Torn, decode),
        Err(error) => Slot::Failed(error.kind()),
    }
}

/// Reads as many bytes as there are and there is room for.
fn fill(file: &File, room: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = room.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match disk::read_once(file, rest, filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// What the bytes of a slot say. Total: any bytes have an answer.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Slot<T> {
    match bytes.len() {
        0 => Slot::Empty,
        1..=MAX_SLOT => parse(bytes).map_or(Slot::Torn, Slot::Whole),
        _ => Slot::Torn,
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let text = std::str::from_utf8(bytes).ok()?.trim_end();
    let (sum, json) = text.split_once(' ')?;
    if checksum(json.as_bytes()) != sum {
        return None;
    }
    serde_json::from_str(json).ok()
}

fn checksum(json: &[u8]) -> String {
    digest_start(json, 16)
}

/// The bytes of a slot; `None` where the value is too large. Composed in place: a hook has no memory to give away.
pub fn render<T: Serialize>(value: &T) -> Option<[u8; SLOT]> {
    const SUM: usize = 16;
    let mut bytes = [b' '; SLOT];
    *bytes.last_mut()? = b'\n';
    let mut room = bytes.get_mut(SUM + 1..SLOT - 1)?;
    let before = room.len();
    serde_json::to_writer(&mut room, value).ok()?;
    let length = before - room.len();
    let sum = checksum(bytes.get(SUM + 1..SUM + 1 + length)?);
    bytes.get_mut(..SUM)?.copy_from_slice(sum.as_bytes());
    Some(bytes)
}

/// The bytes of a value that one slot does not hold: as many slots as it takes, at least `size` bytes, so that nothing of an
/// older, longer value is left behind. `None` beyond [`MAX_SLOT`].
pub fn render_large<T: Serialize>(value: &T, size: u64) -> Option<Vec<u8>> {
    let json = serde_json::to_vec(value).ok()?;
    let needed = (json.len() + 18).max(usize::try_from(size).ok()?).next_multiple_of(SLOT);
    if needed > MAX_SLOT {
        return None;
    }
    let mut bytes = Vec::with_capacity(needed);
    bytes.extend_from_slice(checksum(&json).as_bytes());
    bytes.push(b' ');
    bytes.extend_from_slice(&json);
    bytes.resize(needed - 1, b' ');
    bytes.push(b'\n');
    Some(bytes)
}

/// Writes a slot by one write.
///
/// # Errors
/// The system's, and `InvalidData` where the value does not fit.
pub fn write<T: Serialize>(file: &File, value: &T) -> io::Result<()> {
    let bytes =
        render(value).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "state larger than its slot"))?;
    put(file, &bytes)
}

/// Writes the bytes of a slot by one write.
///
/// # Errors
/// The system's.
pub fn put(file: &File, bytes: &[u8]) -> io::Result<()> {
    disk::write_start(file, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_flipped_byte_is_noticed() {
        let bytes = render(&vec![1_u32, 2, 3]).unwrap();
        assert_eq!(bytes.len(), SLOT);
        assert_eq!(parse::<Vec<u32>>(&bytes), Some(vec![1, 2, 3]));
        for at in 0..24 {
            let mut torn = bytes;
            torn[at] ^= 1;
            assert_eq!(parse::<Vec<u32>>(&torn), None, "byte {at}");
        }
    }

    #[test]
    fn a_large_value_takes_more_slots_and_a_smaller_one_after_it_leaves_nothing() {
        let file = tempfile::tempfile().unwrap();
        let size = || file.metadata().unwrap().len();
        let long = "x".repeat(3 * SLOT);
        put(&file, &render_large(&long, size()).unwrap()).unwrap();
        assert_eq!(size(), 4 * SLOT as u64);
        assert_eq!(read::<String>(&file, size()), Slot::Whole(long));
        put(&file, &render_large(&"short", size()).unwrap()).unwrap();
        assert_eq!(read::<String>(&file, size()), Slot::Whole("short".to_owned()));
        assert_eq!(render_large(&"x".repeat(MAX_SLOT), 0), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(render(&"x".repeat(SLOT)), None);
    }
}
