//! `.run`: whatever its bytes, they are a whole state, torn, or nothing; what is written is read back, within the limits.

use steadfast::core::run::Run;
use steadfast::store::layout::{MAX_SLOT, SLOT};
use steadfast::store::slot::{Slot, decode, render, render_large};

use super::choice;

/// Takes the bytes for a slot, and for a state that is to be stored in one.
pub fn check(bytes: &[u8]) {
    let slot = decode::<Run>(bytes);
    assert_eq!(slot == Slot::Empty, bytes.is_empty());
    if let Slot::Whole(run) = slot {
        assert!(bytes.len() <= MAX_SLOT);
        stored(&run, bytes);
    }
    if let Ok(run) = serde_json::from_slice::<Run>(bytes) {
        stored(&run, bytes);
    }
}

fn stored(run: &Run, bytes: &[u8]) {
    let small = render(run);
    let large = render_large(run, 0);
    if let Some(small) = &small {
        assert_eq!(large.as_deref(), Some(&small[..]), "a small state has one form");
    }
    let Some(slot) = large else {
        let json = serde_json::to_vec(run).expect("a run state is JSON");
        assert!(json.len() + 18 > MAX_SLOT, "refused although it fits");
        return;
    };
    assert!(slot.len().is_multiple_of(SLOT) && slot.len() <= MAX_SLOT);
    let whole = |bytes: &[u8]| match decode::<Run>(bytes) {
        Slot::Whole(run) => Some(run),
        Slot::Empty | Slot::Torn | Slot::Failed(_) => None,
    };
    assert_eq!(whole(&slot).as_ref(), Some(run));
    // Over a longer state: nothing of that one is left.
    let over = render_large(run, MAX_SLOT as u64).expect("a state that fits");
    assert_eq!((over.len(), whole(&over).as_ref()), (MAX_SLOT, Some(run)));
    // Damage makes it torn; in the padding it may go unnoticed, but never for another state.
    let choice = choice(bytes);
    let mut damaged = slot.clone();
    let at = choice % damaged.len();
    damaged[at] ^= 1 << (choice / damaged.len() % 8);
    let cut = &slot[..at];
    for bytes in [&damaged, cut] {
        assert!(whole(bytes).is_none_or(|found| found == *run), "damage at {at}");
    }
    assert!(whole(&slot[..at.min(40)]).is_none(), "half a state is none");
}
