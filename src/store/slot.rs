//! A slot: a small value in a file of fixed size, rewritten by one write and guarded by a checksum. Torn equals absent.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::core::contract::digest;
use crate::store::layout::SLOT;

/// What a slot held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot<T> {
    /// A whole value.
    Whole(T),
    /// Nothing was written yet.
    Empty,
    /// Something else: torn, or not ours.
    Torn,
}

/// Reads a slot.
pub fn read<T: DeserializeOwned>(file: &File) -> Slot<T> {
    let mut bytes = [0; SLOT];
    let Ok(n) = file.read_at(&mut bytes, 0) else { return Slot::Torn };
    let Some(bytes) = bytes.get(..n).filter(|b| !b.is_empty()) else { return Slot::Empty };
    parse(bytes).map_or(Slot::Torn, Slot::Whole)
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
    let mut sum = digest(json);
    sum.truncate(16);
    sum
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
    file.write_all_at(bytes, 0)
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
    fn what_does_not_fit_is_refused() {
        assert_eq!(render(&"x".repeat(SLOT)), None);
    }
}
