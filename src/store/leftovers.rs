//! What processes that were killed left behind: temporary files of a replace that was never shown. The next verb takes them away.

use std::path::{Path, PathBuf};

use crate::store::locate::Place;
use crate::store::{disk, head, layout};

/// All of them, where files of a plan are replaced: beside it, in it, and in the state directory.
pub fn find(place: &Place, state: Option<&Path>) -> Vec<PathBuf> {
    let dir = place.dir();
    let own = [place.root.join(layout::PLANNING), dir.join(layout::PROOFS), dir.join(layout::PROPOSALS), dir.clone()];
    let kept = state.map(|state| [state.to_path_buf(), head::dir(state, &dir)]);
    own.iter().chain(kept.iter().flatten()).flat_map(|dir| disk::temps(dir)).collect()
}

/// Takes them away.
pub fn remove(place: &Place, state: Option<&Path>) {
    for left in find(place, state) {
        // One that cannot be removed is in nobody's way, and doctor names it.
        let _ = disk::remove(&left);
    }
}
