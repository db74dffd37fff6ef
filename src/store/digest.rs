//! Digests of files of the project.

use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::path::{Component, Path};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use crate::store::disk;

/// SHA-256, in hex, of a regular file beneath a root whose links are resolved. A link on the way may not lead out.
///
/// # Errors
/// The system's, and `InvalidInput` where the path leads out or names no file.
pub fn sha256_beneath(root: &Path, relative: &str) -> io::Result<String> {
    let outside = || io::Error::new(io::ErrorKind::InvalidInput, "not a file beneath the project");
    let relative = Path::new(relative);
    if !relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let real = disk::canonical(&root.join(relative))?;
    let (true, Some(parent), Some(name)) =
        (real.starts_with(root), real.parent(), real.file_name().and_then(|name| name.to_str()))
    else {
        return Err(outside());
    };
    let dir = disk::open_dir_beneath(root, parent)?;
    let (mut file, _) = disk::open_file_at(dir.as_fd(), name, OFlags::RDONLY, 0)?;
    let mut hash = Sha256::new();
    let mut part = vec![0; 64 * 1024];
    loop {
        match file.read(&mut part) {
            Ok(0) => return Ok(hex::encode(hash.finalize())),
            Ok(n) => hash.update(part.get(..n).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
