//! What processes that were killed left behind: temporary files of a replace that was never shown. The next verb takes them away.

use std::path::{Path, PathBuf};

use crate::store::locate::{Place, is_name};
use crate::store::{disk, head, layout};

/// All of them, where files of a plan are replaced: beside it, in it, and in the state directory.
pub fn find(place: &Place, state: Option<&Path>) -> Vec<PathBuf> {
    let dir = place.dir();
    let own = [place.root.join(layout::PLANNING), dir.join(layout::PROOFS), dir.join(layout::PROPOSALS), dir.clone()];
    let kept = state.map(|state| [state.to_path_buf(), head::dir(state, &dir)]);
    let begun = begun(&place.root.join(layout::PLANNING));
    own.iter().chain(kept.iter().flatten()).chain(&begun).flat_map(|dir| disk::temps(dir, |_| true)).collect()
}

/// Folders of plans that were never made: whoever made them was killed before the plan file was there.
fn begun(planning: &Path) -> Vec<PathBuf> {
    let dirs = disk::names(planning, 20_000).into_iter().filter(|name| is_name(name)).map(|name| planning.join(name));
    dirs.filter(|dir| disk::kind(dir).is_some_and(|kind| kind.dir) && disk::is_missing(&dir.join(layout::PLAN)))
        .collect()
}

/// Takes them away.
pub fn remove(place: &Place, state: Option<&Path>) {
    for left in find(place, state) {
        // One that cannot be removed is in nobody's way, and doctor names it.
        let _ = disk::remove(&left);
    }
}
