//! The door to the disk on Unix: everything relative to an open directory, so that nothing on the way can be swapped.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::{Claim, How, Kind, Readers};

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);
/// A FIFO does not block, a terminal does not become ours, a link is not followed.
const CAREFUL: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);
const NEW: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// An open directory.
#[derive(Debug)]
pub struct Dir(OwnedFd);

impl Dir {
    /// Whether it belongs to the user this process acts as.
    ///
    /// # Errors
    /// The system's.
    pub fn is_ours(&self) -> io::Result<bool> {
        Ok(rustix::fs::fstat(&self.0)?.st_uid == user())
    }

    /// Opens a directory that is not a link.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?))
    }

    /// As [`Dir::open`], where a link at the end is followed.
    pub(super) fn open_followed(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, DIRECTORY, Mode::empty())?))
    }

    /// As [`Dir::open`], in an open directory.
    pub(super) fn open_at(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(rustix::fs::openat(&self.0, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?))
    }

    /// Opens a directory beneath a root, following no link on the way down.
    pub(super) fn open_beneath(root: &Path, dir: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        match rustix::fs::openat2(
            rustix::fs::CWD,
            dir,
            DIRECTORY | OFlags::NOFOLLOW,
            Mode::empty(),
            rustix::fs::ResolveFlags::NO_SYMLINKS,
        ) {
            // An older kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {}
            other => return Ok(Self(other?)),
        }
        let mut open = Self::open(root)?;
        for part in dir.strip_prefix(root).map_err(io::Error::other)?.components() {
            open = open.open_at(part.as_os_str())?;
        }
        Ok(open)
    }

    /// The names in it, without `.` and `..`, in no order.
    pub(super) fn names(&self) -> io::Result<impl Iterator<Item = OsString>> {
        let entries = rustix::fs::Dir::read_from(&self.0)?;
        let names =
            entries.map_while(Result::ok).map(|entry| OsString::from_vec(entry.file_name().to_bytes().to_vec()));
        Ok(names.filter(|name| name != "." && name != ".."))
    }
}

/// Opens a regular file in an open directory, and gives its size.
pub(super) fn open_file_at(dir: &Dir, name: &str, how: How) -> io::Result<(File, u64)> {
    opened(dir.0.as_fd(), name, how)
}

/// As [`open_file_at`], by path. Links on the way to the last part are followed.
pub(super) fn open_file(path: &str, how: How) -> io::Result<(File, u64)> {
    opened(rustix::fs::CWD, path, how)
}

fn opened(dir: BorrowedFd<'_>, name: &str, how: How) -> io::Result<(File, u64)> {
    let (flags, mode) = match how {
        How::Read => (OFlags::RDONLY, Mode::empty()),
        How::Write => (OFlags::RDWR, Mode::empty()),
        How::Create(readers) => (OFlags::RDWR | OFlags::CREATE, mode(readers)),
        How::Extend => (OFlags::RDWR | OFlags::APPEND, Mode::empty()),
        How::Append(readers) => (OFlags::RDWR | OFlags::CREATE | OFlags::APPEND, mode(readers)),
    };
    let fd = rustix::fs::openat(dir, name, flags | CAREFUL, mode)?;
    let stat = rustix::fs::fstat(&fd)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((File::from(fd), size(&stat)))
}

/// Opens a regular file for writing that has no second name. Written under one, it would be somebody else's file that changes.
pub(super) fn open_alone(dir: &Dir, name: &str) -> Option<(File, u64)> {
    let fd = rustix::fs::openat(&dir.0, name, OFlags::WRONLY | CAREFUL, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&fd).ok()?;
    let alone = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_nlink == 1;
    alone.then(|| (File::from(fd), size(&stat)))
}

/// Creates a file that is not there yet.
pub(super) fn create_new(dir: &Dir, name: &str, readers: Readers) -> io::Result<File> {
    Ok(File::from(rustix::fs::openat(&dir.0, name, NEW, mode(readers))?))
}

/// Opens a file and locks it, or tries once more to lock one that is `opened`. Never blocks in the kernel: a network mount could
/// keep it there for ever.
pub(super) fn claim(dir: &Dir, name: &str, how: How, opened: &mut Option<(File, u64)>) -> io::Result<Claim> {
    if opened.is_none() {
        *opened = Some(open_file_at(dir, name, how)?);
    }
    let Some((file, _)) = opened else { return Ok(Claim::Busy) };
    Ok(match rustix::fs::flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Claim::Ours,
        // Whoever waits tries again, as long as it has patience.
        Err(Errno::WOULDBLOCK | Errno::INTR) => Claim::Busy,
        // This file system has no locks: go on without.
        Err(_) => Claim::Ours,
    })
}

/// Whether an open file has no name any more.
pub(super) fn is_nameless(file: &File) -> bool {
    rustix::fs::fstat(file).is_ok_and(|stat| stat.st_nlink == 0)
}

/// One read at a place.
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(into, at)
}

/// One write at a place.
pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
    file.write_at(bytes, at)
}

/// Gives a name to what another has.
pub(super) fn rename_at(dir: &Dir, from: &str, to: &str) -> io::Result<()> {
    Ok(rustix::fs::renameat(&dir.0, from, &dir.0, to)?)
}

/// Gives a file a second name that is not there yet. `false`: this file system has no second names.
pub(super) fn link_at(dir: &Dir, from: &str, to: &str) -> io::Result<bool> {
    match rustix::fs::linkat(&dir.0, from, &dir.0, to, AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Has two files change their names. `false`: the system, or this file system, cannot.
pub(super) fn exchange_at(dir: &Dir, one: &str, other: &str) -> io::Result<bool> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    match rustix::fs::renameat_with(&dir.0, one, &dir.0, other, rustix::fs::RenameFlags::EXCHANGE) {
        Ok(()) => return Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(false)
}

/// Takes a file's name away.
pub(super) fn remove_at(dir: &Dir, name: &str) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(&dir.0, name, AtFlags::empty())?)
}

/// Creates a directory that is not there yet.
pub(super) fn make_dir_at(dir: &Dir, name: &str) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(&dir.0, name, Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH)?)
}

/// Creates a directory and its parents, readable by the user alone.
pub(super) fn make_private_dir(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// What the system keeps of a file beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    owner: u32,
    bits: Mode,
}

impl Traits {
    /// Whether it belongs to the user this process acts as.
    pub(super) fn is_ours(self) -> bool {
        self.owner == user()
    }

    /// Whether others may write it.
    pub(super) fn is_open_to_all(self) -> bool {
        self.bits.contains(Mode::WOTH)
    }

    /// Whether its owner may make files in it.
    pub(super) fn can_be_filled(self) -> bool {
        self.bits.contains(Mode::WUSR | Mode::XUSR)
    }

    /// Whether its owner may run it.
    pub(super) fn can_be_run(self) -> bool {
        self.bits.contains(Mode::XUSR)
    }

    /// Gives a new file the permissions of the one it replaces.
    pub(super) fn hand_on(self, file: &File) -> io::Result<()> {
        Ok(rustix::fs::fchmod(file, self.bits)?)
    }
}

/// What stands at a path, without following a link.
pub(super) fn kind(path: &Path) -> io::Result<Kind> {
    Ok(Kind::from(&rustix::fs::lstat(path)?))
}

/// As [`kind`], in an open directory.
pub(super) fn kind_at(dir: &Dir, name: &str) -> io::Result<Kind> {
    Ok(Kind::from(&rustix::fs::statat(&dir.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

impl From<&Stat> for Kind {
    fn from(stat: &Stat) -> Self {
        let file_type = FileType::from_raw_mode(stat.st_mode);
        Self {
            dir: file_type == FileType::Directory,
            file: file_type == FileType::RegularFile,
            link: file_type == FileType::Symlink,
            size: size(stat),
            modified: i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
            traits: Traits { owner: stat.st_uid, bits: Mode::from_raw_mode(stat.st_mode) },
        }
    }
}

fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

fn mode(readers: Readers) -> Mode {
    let user = Mode::RUSR | Mode::WUSR;
    match readers {
        Readers::User => user,
        Readers::All => user | Mode::RGRP | Mode::ROTH,
    }
}

/// The user this process acts as.
fn user() -> u32 {
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

/// Where a link leads, as it is written.
pub(super) fn link_target(path: &Path) -> io::Result<Vec<u8>> {
    Ok(rustix::fs::readlink(path, Vec::new())?.into_bytes())
}

/// Whether an error says that a link stands there.
pub(super) fn is_link(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// Whether an error says that something else than a file stands there.
pub(super) fn is_no_file(error: &io::Error) -> bool {
    is_link(error) || matches!(Errno::from_io_error(error), Some(Errno::NXIO | Errno::ISDIR))
}

/// A name as the system writes it.
pub(super) fn name_of(bytes: &[u8]) -> Option<OsString> {
    Some(OsStr::from_bytes(bytes).to_owned())
}

/// The path with every link resolved.
pub(super) fn canonical(path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    if let Some(resolved) = by_descriptor(path) {
        return Ok(resolved);
    }
    std::fs::canonicalize(path)
}

/// Asks the system what an opened path is called: three calls, however deep it lies. `None` where it does not say.
#[cfg(target_os = "linux")]
fn by_descriptor(path: &Path) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;
    let fd = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let link = format!("/proc/self/fd/{}", fd.as_raw_fd());
    let name = rustix::fs::readlink(link, Vec::with_capacity(256)).ok()?.into_bytes();
    // Something that was removed meanwhile is called by its old name with a remark behind it.
    if !name.starts_with(b"/") || name.ends_with(b" (deleted)") {
        return None;
    }
    Some(PathBuf::from(OsString::from_vec(name)))
}
