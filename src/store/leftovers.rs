//! What processes that were killed left behind: temporary files of a replace that was never shown. The next verb takes them away.

use std::path::{Path, PathBuf};

use crate::store::locate::{Place, is_name};
use crate::store::{disk, head, layout};

/// All of them, where files of a plan are replaced: beside it, in it, and in the state directory.
pub fn find(place: &Place, state: Option<&Path>) -> Vec<PathBuf> {
    let dir = place.dir();
    let own = [place.root.join(layout::PLANNING), dir.join(layout::PROOFS), dir.join(layout::PROPOSALS), dir.clone()];
    let kept = state.map(|state| [state.to_path_buf(), head::dir(state, &dir)]);
    own.iter().chain(kept.iter().flatten()).flat_map(|dir| disk::temps(dir, |_| true)).collect()
}

/// Those in folders of plans that were never made: whoever made them was killed before the plan file was there. Looks at every
/// plan of the project, so it is for `init` and `doctor`.
pub fn of_begun(root: &Path) -> Vec<PathBuf> {
    let planning = root.join(layout::PLANNING);
    let dirs = disk::names(&planning, 20_000).into_iter().filter(|name| is_name(name)).map(|name| planning.join(name));
    let begun =
        |dir: &PathBuf| disk::kind(dir).is_some_and(|kind| kind.dir) && disk::is_missing(&dir.join(layout::PLAN));
    dirs.filter(begun).flat_map(|dir| disk::temps(&dir, |_| true)).collect()
}

/// Takes such files away.
pub fn remove(left: &[PathBuf]) {
    for left in left {
        // One that cannot be removed is in nobody's way, and doctor names it.
        let _ = disk::remove(left);
    }
}
