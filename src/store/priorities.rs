//! In which order the plans of a project are worked on. It says which comes first, and approves nothing.

use std::io;
use std::path::Path;

use crate::core::across::ranks;
use crate::store::{disk, layout};

/// The order in force.
pub fn confirmed(root: &Path) -> Vec<String> {
    read(root, layout::PRIORITIES)
}

/// The order that an agent proposed; `None` where none waits.
pub fn proposed(root: &Path) -> Option<Vec<String>> {
    Some(read(root, layout::PROPOSED_PRIORITIES)).filter(|ids| !ids.is_empty())
}

fn read(root: &Path, name: &str) -> Vec<String> {
    let Ok(dir) = disk::open_dir_beneath(root, &root.join(layout::PLANNING)) else { return Vec::new() };
    let bytes = disk::read_at(&dir, name, layout::MAX_PRIORITIES).bytes().unwrap_or_default();
    ranks(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}'))
}

/// Puts an order in force; what was proposed is answered by it.
///
/// # Errors
/// The system's.
pub fn confirm(root: &Path, ids: &[String]) -> io::Result<()> {
    write(root, layout::PRIORITIES, ids)?;
    disk::remove(&root.join(layout::PLANNING).join(layout::PROPOSED_PRIORITIES))
}

/// Keeps an order for the person.
///
/// # Errors
/// The system's.
pub fn propose(root: &Path, ids: &[String]) -> io::Result<()> {
    write(root, layout::PROPOSED_PRIORITIES, ids)
}

fn write(root: &Path, name: &str, ids: &[String]) -> io::Result<()> {
    let dir = disk::open_dir_beneath(root, &root.join(layout::PLANNING))?;
    disk::replace_at(&dir, name, format!("{}\n", ids.join("\n")).as_bytes(), disk::Readers::All, false)
}
