//! Files of the project by a path that may not lead out of it, and their digests.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::store::disk::{self, How};

pub use crate::core::text::is_beneath;

/// What a path beneath a root leads to, with every link resolved. `None` where it leads out, or to nothing.
pub fn beneath(root: &Path, relative: &str) -> Option<PathBuf> {
    let real = is_beneath(relative).then(|| disk::canonical(&root.join(relative)).ok())??;
    real.starts_with(root).then_some(real)
}

/// SHA-256, in hex, of a regular file beneath a root whose links are resolved. A link on the way may not lead out.
///
/// # Errors
/// The system's, and `InvalidInput` where the path leads out or names no file.
pub fn sha256_beneath(root: &Path, relative: &str) -> io::Result<String> {
    let outside = || io::Error::new(io::ErrorKind::InvalidInput, "not a file beneath the project");
    let real = beneath(root, relative).ok_or_else(outside)?;
    let name = real.file_name().and_then(|name| name.to_str()).ok_or_else(outside)?;
    let dir = disk::open_dir_beneath(root, real.parent().ok_or_else(outside)?)?;
    let (mut file, _) = disk::open_file_at(&dir, name, How::Read)?;
    sha256(&mut file)
}

/// SHA-256, in hex, of what is left to read of a file.
///
/// # Errors
/// The system's.
pub fn sha256(file: &mut File) -> io::Result<String> {
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
