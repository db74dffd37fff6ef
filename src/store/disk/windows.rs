//! The door to the disk on Windows. A directory is held open in a way that nobody can rename or remove it meanwhile, and with it
//! everything above it: paths beneath it stay what they were. What this side cannot do is in `docs/platforms.md`.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{Claim, How, Kind, Readers, again};
use crate::core::native;

/// `FILE_FLAG_OPEN_REPARSE_POINT`: a link is opened, not followed.
const NO_LINK: u32 = 0x0020_0000;
/// `FILE_FLAG_BACKUP_SEMANTICS`: without it no directory is opened.
const DIRECTORY: u32 = 0x0200_0000;
/// `FILE_LIST_DIRECTORY`, `FILE_READ_ATTRIBUTES` and `SYNCHRONIZE`.
const LIST: u32 = 0x0010_0081;
const SHARE_READ: u32 = 1;
const SHARE_WRITE: u32 = 2;
const SHARE_DELETE: u32 = 4;
/// `ERROR_INVALID_FUNCTION` and `ERROR_NOT_SUPPORTED`.
const NO_SECOND_NAMES: [Option<i32>; 2] = [Some(1), Some(50)];
/// 1970 in the clock of the file system, which counts 100 nanoseconds since 1601.
const EPOCH: i128 = 116_444_736_000_000_000;

/// Owners are not asked: the standard library does not tell them. See [`super::KNOWS_OWNERS`].
pub(super) const KNOWS_OWNERS: bool = false;

/// An open directory.
#[derive(Debug)]
pub struct Dir {
    path: PathBuf,
    /// Keeps the path what it is.
    _open: File,
}

impl Dir {
    /// Whether it belongs to the user this process acts as: that is not asked here, see [`super::KNOWS_OWNERS`].
    ///
    /// # Errors
    /// None.
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as on systems that are asked")]
    pub fn is_ours(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Opens a directory that is not a link or junction.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::with(path, DIRECTORY | NO_LINK)
    }

    /// As [`Dir::open`], where a link at the end is followed.
    pub(super) fn open_followed(path: &Path) -> io::Result<Self> {
        Self::with(path, DIRECTORY)
    }

    fn with(path: &Path, flags: u32) -> io::Result<Self> {
        let share = SHARE_READ | SHARE_WRITE;
        let open = OpenOptions::new().access_mode(LIST).share_mode(share).custom_flags(flags).open(path)?;
        if !open.metadata()?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "a link, or not a directory"));
        }
        Ok(Self { path: path.to_owned(), _open: open })
    }

    /// As [`Dir::open`], in an open directory.
    pub(super) fn open_at(&self, name: &OsStr) -> io::Result<Self> {
        Self::open(&self.path.join(name))
    }

    /// Opens a directory beneath a root, following no link on the way down.
    pub(super) fn open_beneath(root: &Path, dir: &Path) -> io::Result<Self> {
        let mut open = Self::open(root)?;
        for part in dir.strip_prefix(root).map_err(io::Error::other)?.components() {
            open = open.open_at(part.as_os_str())?;
        }
        Ok(open)
    }

    /// The names in it, in no order.
    pub(super) fn names(&self) -> io::Result<impl Iterator<Item = OsString>> {
        Ok(std::fs::read_dir(&self.path)?.map_while(Result::ok).map(|entry| entry.file_name()))
    }
}

/// Opens a regular file in an open directory, and gives its size.
pub(super) fn open_file_at(dir: &Dir, name: &str, how: How) -> io::Result<(File, u64)> {
    opened(&dir.path.join(name), how, SHARE_READ | SHARE_WRITE | SHARE_DELETE)
}

/// As [`open_file_at`], by path.
pub(super) fn open_file(path: &str, how: How) -> io::Result<(File, u64)> {
    opened(Path::new(path), how, SHARE_READ | SHARE_WRITE | SHARE_DELETE)
}

fn opened(path: &Path, how: How, share: u32) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true).share_mode(share).custom_flags(NO_LINK);
    match how {
        How::Read => &mut options,
        How::Write => options.write(true),
        How::Create(_) => options.write(true).create(true),
        How::Extend => options.append(true),
        How::Append(_) => options.append(true).create(true),
    };
    let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    let file = options.open(path).map_err(|error| {
        // A directory is refused as one that may not be opened.
        if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) { no_file() } else { error }
    })?;
    let found = file.metadata()?;
    if found.is_file() { Ok((file, found.len())) } else { Err(no_file()) }
}

/// A file that has no second name: that cannot be told here, so none is.
pub(super) fn open_alone(_: &Dir, _: &str) -> Option<(File, u64)> {
    None
}

/// Creates a file that is not there yet. Who may read it follows from its directory.
pub(super) fn create_new(dir: &Dir, name: &str, _: Readers) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(dir.path.join(name))
}

/// Opens a file so that nobody else can open it for writing until it is closed. The locks of the system would also keep readers
/// out, of which none takes a lock.
pub(super) fn claim(dir: &Dir, name: &str, how: How, into: &mut Option<(File, u64)>) -> io::Result<Claim> {
    match opened(&dir.path.join(name), how, SHARE_READ | SHARE_DELETE) {
        Ok(ours) => {
            *into = Some(ours);
            Ok(Claim::Ours)
        }
        Err(error) if again::is_in_use(&error) => Ok(Claim::Busy),
        Err(error) => Err(error),
    }
}

/// Whether an open file has no name any more. Never: a file is not claimed while another has it, and only one who claimed it
/// removes it.
pub(super) fn is_nameless(_: &File) -> bool {
    false
}

/// One read at a place.
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek_read(into, at)
}

/// One write at a place.
pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.seek_write(bytes, at)
}

/// Gives a name to what another has.
pub(super) fn rename_at(dir: &Dir, from: &str, to: &str) -> io::Result<()> {
    again::persist(std::thread::sleep, || std::fs::rename(dir.path.join(from), dir.path.join(to)))
}

/// Gives a file a second name that is not there yet. `false`: this file system has no second names.
pub(super) fn link_at(dir: &Dir, from: &str, to: &str) -> io::Result<bool> {
    match std::fs::hard_link(dir.path.join(from), dir.path.join(to)) {
        Ok(()) => Ok(true),
        Err(error) if NO_SECOND_NAMES.contains(&error.raw_os_error()) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Has two files change their names: the system cannot.
#[expect(clippy::unnecessary_wraps, reason = "as on systems that can")]
pub(super) fn exchange_at(_: &Dir, _: &str, _: &str) -> io::Result<bool> {
    Ok(false)
}

/// Takes a file's name away.
pub(super) fn remove_at(dir: &Dir, name: &str) -> io::Result<()> {
    again::persist(std::thread::sleep, || std::fs::remove_file(dir.path.join(name)))
}

/// Creates a directory that is not there yet.
pub(super) fn make_dir_at(dir: &Dir, name: &str) -> io::Result<()> {
    std::fs::create_dir(dir.path.join(name))
}

/// Creates a directory and its parents. In the user's profile it is the user's alone.
pub(super) fn make_private_dir(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// What the system keeps of a file beside its bytes: of all that nothing is asked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits;

#[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on systems that are asked")]
impl Traits {
    /// See [`super::KNOWS_OWNERS`].
    pub(super) fn is_ours(self) -> bool {
        true
    }

    /// See [`super::KNOWS_OWNERS`].
    pub(super) fn is_open_to_all(self) -> bool {
        false
    }

    /// Whether its owner may make files in it: that shows when one is made.
    pub(super) fn can_be_filled(self) -> bool {
        true
    }

    /// There is no such mark.
    pub(super) fn can_be_run(self) -> Option<bool> {
        None
    }

    /// Nothing is handed on: what a new file lets whom do follows from its directory.
    pub(super) fn hand_on(self, _: &File) -> io::Result<()> {
        Ok(())
    }
}

/// What stands at a path, without following a link.
pub(super) fn kind(path: &Path) -> io::Result<Kind> {
    Ok(Kind::from(&std::fs::symlink_metadata(path)?))
}

/// As [`kind`], in an open directory.
pub(super) fn kind_at(dir: &Dir, name: &str) -> io::Result<Kind> {
    kind(&dir.path.join(name))
}

impl From<&Metadata> for Kind {
    fn from(found: &Metadata) -> Self {
        Self {
            dir: found.is_dir(),
            file: found.is_file(),
            link: found.is_symlink(),
            size: found.len(),
            modified: (i128::from(found.last_write_time()) - EPOCH) * 100,
            traits: Traits,
        }
    }
}

/// Where a link leads, with the separators of other systems.
pub(super) fn link_target(path: &Path) -> io::Result<Vec<u8>> {
    let to = std::fs::read_link(path)?;
    Ok(to.as_os_str().as_encoded_bytes().iter().map(|b| if *b == b'\\' { b'/' } else { *b }).collect())
}

/// Whether an error says that a link stands there: ours says so by its kind.
pub(super) fn is_link(_: &io::Error) -> bool {
    false
}

/// Whether an error says that something else than a file stands there: ours says so by its kind.
pub(super) fn is_no_file(_: &io::Error) -> bool {
    false
}

/// A name as the system writes it.
pub(super) fn name_of(bytes: &[u8]) -> Option<OsString> {
    Some(std::str::from_utf8(bytes).ok()?.into())
}

/// The path with every link resolved, in the form that programs write it.
pub(super) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let real = std::fs::canonicalize(path)?;
    Ok(real.to_str().and_then(native::windows).map_or(real, PathBuf::from))
}
