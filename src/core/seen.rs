//! Which file contents were already counted as progress: a small filter that can wrongly say "seen" and never wrongly "new"
//! between two restarts.
//!
//! A false "seen" is the safe direction: the gate then lets a stop go. When more than half of the bits are set (after about
//! 350 contents) the filter starts anew with the newest content, so that a long run can still show progress; an old content
//! written again then counts once more, and what that can re-arm is bounded by the gate's cap.

use sha2::{Digest, Sha256};

const BYTES: usize = 192;
const PROBES: usize = 3;

/// A filter of 1,536 bits, three probes a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    bits: [u8; BYTES],
}

impl Default for Seen {
    fn default() -> Self {
        Self { bits: [0; BYTES] }
    }
}

impl Seen {
    /// Reads the text form. Empty text is an empty filter. Text that is no filter becomes a full one, which answers "seen" once
    /// and then starts anew.
    pub fn parse(text: &str) -> Self {
        if text.is_empty() {
            return Self::default();
        }
        let mut bits = [0xff; BYTES];
        if hex::decode_to_slice(text, &mut bits).is_err() {
            bits = [0xff; BYTES];
        }
        Self { bits }
    }

    /// Takes up a content by its digest and says whether it is new. Any bytes will do as a digest, but the same content must
    /// always come in the same form.
    pub fn insert(&mut self, digest: impl AsRef<[u8]>) -> bool {
        let places = places(digest.as_ref());
        let new = !self.has(places);
        self.set(places);
        if self.ones() > BYTES * 4 {
            self.bits = [0; BYTES];
            self.set(places);
        }
        new
    }

    /// Whether this content was (or seems to have been) taken up.
    pub fn contains(&self, digest: impl AsRef<[u8]>) -> bool {
        self.has(places(digest.as_ref()))
    }

    /// The text form: empty, or 384 hex digits.
    pub fn to_text(&self) -> String {
        if self.ones() == 0 { String::new() } else { hex::encode(self.bits) }
    }

    fn has(&self, places: [usize; PROBES]) -> bool {
        places.iter().all(|place| self.bits.get(place / 8).is_some_and(|byte| byte & (1 << (place % 8)) != 0))
    }

    fn set(&mut self, places: [usize; PROBES]) {
        for place in places {
            if let Some(byte) = self.bits.get_mut(place / 8) {
                *byte |= 1 << (place % 8);
            }
        }
    }

    fn ones(&self) -> usize {
        self.bits.iter().map(|byte| byte.count_ones() as usize).sum()
    }
}

/// The bits of a content. Hashing once more makes every form of digest spread evenly.
fn places(digest: &[u8]) -> [usize; PROBES] {
    let hash = Sha256::digest(digest);
    let mut words = hash.chunks(4).map(|word| word.iter().fold(0usize, |sum, byte| (sum << 8) | usize::from(*byte)));
    std::array::from_fn(|_| words.next().unwrap_or_default() % (BYTES * 8))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn new_once() {
        let mut seen = Seen::default();
        assert_eq!(seen.to_text(), "");
        assert!(!seen.contains("ab12"));
        assert!(seen.insert("ab12"));
        assert!(!seen.insert("ab12"));
        assert!(seen.insert("ab13"));
        assert!(seen.contains("ab12") && seen.contains("ab13"));
        assert!(seen.insert(b""));
        assert!(!seen.insert(b""));
    }

    #[test]
    fn the_text_form_keeps_it() {
        let mut seen = Seen::default();
        for i in 0..100 {
            seen.insert(format!("content {i}"));
        }
        let text = seen.to_text();
        assert_eq!(text.len(), 384);
        assert_eq!(Seen::parse(&text), seen);
        assert_eq!(Seen::parse(""), Seen::default());
    }

    #[test]
    fn damaged_text_says_seen_once_and_recovers() {
        let short = "00".repeat(191);
        for text in ["zz", "0", "abcd", short.as_str(), &"é".repeat(192)] {
            let mut seen = Seen::parse(text);
            assert!(!seen.insert("one"), "{text}");
            assert!(seen.insert("two"), "{text}");
            assert!(!seen.insert("one"), "{text}");
        }
    }

    #[test]
    fn starts_anew_when_half_full() {
        let mut seen = Seen::default();
        let mut restarts = Vec::new();
        let mut falsely_seen = 0;
        for i in 0..800 {
            let before = seen.ones();
            falsely_seen += usize::from(!seen.insert(format!("content {i}")));
            assert!(seen.contains(format!("content {i}")));
            if seen.ones() < before {
                restarts.push(i);
            }
        }
        assert_eq!(restarts.len(), 2);
        assert!((320..400).contains(&restarts[0]), "{restarts:?}");
        assert!(falsely_seen < 40, "{falsely_seen} of 800");
    }

    proptest! {
        #[test]
        fn never_twice_new(contents in prop::collection::vec(any::<u16>(), 0..150)) {
            let mut seen = Seen::default();
            let mut known = std::collections::BTreeSet::new();
            for content in contents {
                let new = seen.insert(content.to_be_bytes());
                prop_assert!(known.insert(content) || !new);
                seen = Seen::parse(&seen.to_text());
            }
        }
    }
}
