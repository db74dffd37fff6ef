//! The lowest floor: opening, reading and replacing files relative to an open directory, never through a link.
#![expect(clippy::disallowed_methods, reason = "this is the door to the disk")]

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use crate::world::alive;

/// What reading a file gave.
#[derive(Debug)]
pub enum Read {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// There is none.
    Missing,
    /// A directory, FIFO, device, socket or link stands there.
    NotRegular,
    /// It has more bytes than allowed.
    TooLarge(u64),
    /// The system refused.
    Failed(io::Error),
}

impl Read {
    /// The bytes, if that is what was read.
    pub fn bytes(self) -> Option<Vec<u8>> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// Why there are no bytes, in words.
    pub fn trouble(&self) -> Option<String> {
        match self {
            Self::Bytes(_) | Self::Missing => None,
            Self::NotRegular => Some("it is not a regular file".to_owned()),
            Self::TooLarge(n) => Some(format!("it has {n} bytes")),
            Self::Failed(error) => Some(error.to_string()),
        }
    }
}

/// Opens a directory that is not a link.
///
/// # Errors
/// Where it is missing, a link, or not a directory.
pub fn open_dir(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY, Mode::empty())?)
}

/// As [`open_dir`], in an open directory.
///
/// # Errors
/// As [`open_dir`].
pub fn open_dir_at(dir: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    Ok(rustix::fs::openat(dir, name, flags, Mode::empty())?)
}

/// Opens a directory beneath a root whose links are resolved. No link is followed on the way from the root down.
///
/// # Errors
/// As [`open_dir`].
pub fn open_dir_beneath(root: &Path, dir: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    #[cfg(target_os = "linux")]
    {
        use rustix::io::Errno;
        match rustix::fs::openat2(rustix::fs::CWD, dir, flags, Mode::empty(), rustix::fs::ResolveFlags::NO_SYMLINKS) {
            // An older kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {}
            other => return Ok(other?),
        }
    }
    let mut fd = open_dir(root)?;
    for part in dir.strip_prefix(root).map_err(io::Error::other)?.components() {
        fd = rustix::fs::openat(&fd, part.as_os_str(), flags, Mode::empty())?;
    }
    Ok(fd)
}

/// Opens a regular file in an open directory. A FIFO does not block, a link is not followed.
///
/// # Errors
/// The system's; `ELOOP` for a link; `InvalidInput` for anything but a regular file.
pub fn open_file_at(dir: BorrowedFd<'_>, name: &str, flags: OFlags, mode: u32) -> io::Result<(File, u64)> {
    let fd = rustix::fs::openat(
        dir,
        name,
        flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY,
        Mode::from_raw_mode(mode),
    )?;
    let stat = rustix::fs::fstat(&fd)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((File::from(fd), u64::try_from(stat.st_size).unwrap_or(0)))
}

/// Reads a regular file of at most `max` bytes in an open directory.
pub fn read_at(dir: BorrowedFd<'_>, name: &str, max: u64) -> Read {
    let (file, size) = match open_file_at(dir, name, OFlags::RDONLY, 0) {
        Ok(opened) => opened,
        Err(error) => return refused(error),
    };
    if size > max {
        return Read::TooLarge(size);
    }
    whole(file, size)
}

/// Reads as many bytes as the file had when it was opened. One that shrinks meanwhile gives what is left.
fn whole(mut file: File, size: u64) -> Read {
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|r| !r.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Read::Failed(error),
        }
    }
    bytes.truncate(filled);
    Read::Bytes(bytes)
}

fn refused(error: io::Error) -> Read {
    match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => Read::Missing,
        _ if is_no_file(&error) => Read::NotRegular,
        _ => Read::Failed(error),
    }
}

/// Whether [`open_file_at`] failed because something else than a regular file stands there.
pub fn is_no_file(error: &io::Error) -> bool {
    use rustix::io::Errno;
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(errno) => matches!(errno, Errno::LOOP | Errno::NXIO | Errno::ISDIR),
        None => error.kind() == io::ErrorKind::InvalidInput,
    }
}

/// As [`read_at`], by path. Links on the way to the last part are followed.
pub fn read(path: &Path, max: u64) -> Read {
    let Some(text) = path.to_str() else { return Read::NotRegular };
    read_at(rustix::fs::CWD, text, max)
}

/// Replaces a file in an open directory: a new file beside it, then one rename. The permission bits of a file that was
/// there are kept, else `mode` counts; [`replace_plain_at`] does not ask. With `sync` the bytes are on the disk before the name points to them.
///
/// # Errors
/// The system's. The old file is whole then, and the new one is gone.
pub fn replace_at(dir: BorrowedFd<'_>, name: &str, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()> {
    let old = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok();
    if old.is_some_and(|s| !matches!(FileType::from_raw_mode(s.st_mode), FileType::RegularFile | FileType::Symlink)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let kept = old.filter(|s| FileType::from_raw_mode(s.st_mode) == FileType::RegularFile).map(|s| s.st_mode & 0o7777);
    put(dir, name, bytes, mode, kept, sync)
}

/// As [`replace_at`], where the file still has these bytes when everything else is done. `false`: somebody else wrote it, and
/// it was left alone.
///
/// # Errors
/// As [`replace_at`].
pub fn replace_if_at(dir: BorrowedFd<'_>, name: &str, old: &[u8], bytes: &[u8], sync: bool) -> io::Result<bool> {
    let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let same = || matches!(read_at(dir, name, old.len() as u64), Read::Bytes(now) if now == old);
    let way = Way { mode: 0o644, kept: Some(stat.st_mode & 0o7777), sync };
    put_where(dir, name, bytes, way, |temp| if same() { over(dir, temp, name).map(|()| true) } else { Ok(false) })
}

/// As [`replace_at`], for a machine file whose permission bits are ours to choose, without a sync.
///
/// # Errors
/// As [`replace_at`].
pub fn replace_plain_at(dir: BorrowedFd<'_>, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    put(dir, name, bytes, mode, None, false)
}

/// Gives a machine file of a few bytes a new content: by one write into the file where it is ours alone, else as
/// [`replace_plain_at`]. A new name costs a file system more than all the rest of a hook.
///
/// # Errors
/// As [`replace_at`].
pub fn rewrite_at(dir: BorrowedFd<'_>, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    if rewritten(dir, name, bytes).is_some() { Ok(()) } else { replace_plain_at(dir, name, bytes, mode) }
}

fn rewritten(dir: BorrowedFd<'_>, name: &str, bytes: &[u8]) -> Option<()> {
    use std::os::unix::fs::FileExt;
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let fd = rustix::fs::openat(dir, name, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&fd).ok()?;
    // Written under a second name, it would be somebody else's file that changes. And what is longer than the new content
    // would show the end of the old one behind it, until it is cut.
    let longer = u64::try_from(stat.st_size).ok()? > bytes.len() as u64;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_nlink != 1 || longer {
        return None;
    }
    (File::from(fd).write_at(bytes, 0).ok()? == bytes.len()).then_some(())
}

/// How a new file comes to be.
#[derive(Clone, Copy)]
struct Way {
    /// Permission bits, as far as the user's mask lets them.
    mode: u32,
    /// Permission bits to be kept whatever the mask says.
    kept: Option<u32>,
    /// The bytes are on the disk before the name points to them.
    sync: bool,
}

fn put(dir: BorrowedFd<'_>, name: &str, bytes: &[u8], mode: u32, kept: Option<u32>, sync: bool) -> io::Result<()> {
    put_where(dir, name, bytes, Way { mode, kept, sync }, |temp| over(dir, temp, name).map(|()| true)).map(|_| ())
}

fn over(dir: BorrowedFd<'_>, temp: &str, name: &str) -> io::Result<()> {
    Ok(rustix::fs::renameat(dir, temp, dir, name)?)
}

/// Writes a file beside the one that is meant, and has `place` show it, which gets its name and says whether that name is used
/// up by it. However this ends, nothing lies about, unless this process is killed: see [`temps`].
fn put_where(
    dir: BorrowedFd<'_>,
    name: &str,
    bytes: &[u8],
    way: Way,
    place: impl FnOnce(&str) -> io::Result<bool>,
) -> io::Result<bool> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut tries = 0;
    let (temp, fd) = loop {
        let temp = format!(".{name}.{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        match rustix::fs::openat(dir, &temp, flags, Mode::from_raw_mode(way.mode)) {
            Ok(fd) => break (temp, fd),
            // Left behind by a process that was killed and had our id: take another name.
            Err(rustix::io::Errno::EXIST) if tries < 1000 => tries += 1,
            Err(error) => return Err(error.into()),
        }
    };
    let mut file = File::from(fd);
    let written = (|| {
        if let Some(bits) = way.kept {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(bits))?;
        }
        file.write_all(bytes)?;
        if way.sync {
            file.sync_data()?;
        }
        place(&temp)
    })();
    if !matches!(written, Ok(true)) {
        // The failed write is what is reported.
        let _ = rustix::fs::unlinkat(dir, &temp, AtFlags::empty());
    }
    written
}

/// What a temporary file was to become, and the process that wrote it, from its name `.<name>.<process>-<n>.tmp`; `None` for any
/// other name.
fn origin(temp: &str) -> Option<(&str, u32)> {
    let (name, own) = temp.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    let (process, n) = own.split_once('-')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if name.is_empty() || !digits(process) || !digits(n) {
        return None;
    }
    Some((name, process.parse().ok()?))
}

/// Temporary files in a directory whose process is gone: it was killed between writing them and showing them. One that is
/// named by a process of our own id is older than we are, since no process has two replaces under way. `of`: which files they
/// were to become.
pub fn temps(dir: &Path, of: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let gone = |pid: u32| pid == std::process::id() || !alive(pid, None);
    let left = |temp: &String| origin(temp).is_some_and(|(name, pid)| of(name) && gone(pid));
    names(dir, 10_000).into_iter().filter(left).map(|temp| dir.join(temp)).collect()
}

/// Creates a file that is not there yet: whole, or not at all.
///
/// # Errors
/// `AlreadyExists`, or the system's.
pub fn create_at(dir: BorrowedFd<'_>, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    if rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists));
    }
    let way = Way { mode, kept: None, sync: false };
    let placed =
        put_where(dir, name, bytes, way, |temp| match rustix::fs::linkat(dir, temp, dir, name, AtFlags::empty()) {
            Ok(()) => Ok(false),
            Err(rustix::io::Errno::EXIST) => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
            // A file system without second names: whoever creates this file at this very moment loses it.
            Err(rustix::io::Errno::PERM | rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {
                over(dir, temp, name).map(|()| true)
            }
            Err(error) => Err(error.into()),
        });
    placed.map(|_| ())
}

/// Replaces a file by path, see [`replace_at`]. A link is not followed: it is refused. What a process left behind that was killed
/// while it did the same is taken away.
///
/// # Errors
/// The system's, and `InvalidInput` where a link or something else than a file stands there.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    };
    if std::fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a symbolic link"));
    }
    for left in temps(parent, |of| of == name) {
        // One that cannot be removed is in nobody's way.
        let _ = remove(&left);
    }
    let dir = rustix::fs::open(parent, OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY, Mode::empty())?;
    replace_at(dir.as_fd(), name, bytes, mode, true)
}

/// Creates a directory and its parents, readable by the user alone.
///
/// # Errors
/// The system's.
pub fn make_private_dir(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a directory, and its parents.
///
/// # Errors
/// The system's.
pub fn make_dir(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Creates a directory that is not there yet.
///
/// # Errors
/// `AlreadyExists`, or the system's.
pub fn make_new_dir(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

/// Removes a file. One that is not there is fine.
///
/// # Errors
/// The system's.
pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes a directory with all that is in it. Links in it are removed, not followed.
///
/// # Errors
/// The system's; then some of it may be left.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    std::fs::remove_dir_all(path)
}

/// The path with every link resolved.
///
/// # Errors
/// The system's.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
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
    use std::os::unix::ffi::OsStringExt;
    let fd = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let link = format!("/proc/self/fd/{}", fd.as_raw_fd());
    let name = rustix::fs::readlink(link, Vec::with_capacity(256)).ok()?.into_bytes();
    // Something that was removed meanwhile is called by its old name with a remark behind it.
    if !name.starts_with(b"/") || name.ends_with(b" (deleted)") {
        return None;
    }
    Some(PathBuf::from(std::ffi::OsString::from_vec(name)))
}

/// What stands at a path, without following a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// A directory.
    pub dir: bool,
    /// A regular file.
    pub file: bool,
    /// User id of the owner.
    pub owner: u32,
    /// Permission bits.
    pub bits: u32,
    /// Bytes.
    pub size: u64,
}

/// What stands at a path. `None` where nothing does, or it cannot be asked.
pub fn kind(path: &Path) -> Option<Kind> {
    let stat = rustix::fs::lstat(path).ok()?;
    let file_type = FileType::from_raw_mode(stat.st_mode);
    Some(Kind {
        dir: file_type == FileType::Directory,
        file: file_type == FileType::RegularFile,
        owner: stat.st_uid,
        bits: stat.st_mode & 0o7777,
        size: u64::try_from(stat.st_size).unwrap_or(0),
    })
}

/// Whether a directory is the root of a git repository, or of a worktree or submodule. An empty `.git` is none: sandboxes leave
/// one behind where they forbid it.
pub fn is_repository(dir: &Path) -> bool {
    let git = dir.join(".git");
    kind(&git).is_some_and(|k| !k.dir || kind(&git.join("HEAD")).is_some())
}

/// Whether nothing stands at a path, for certain: not where that cannot be asked.
pub fn is_missing(path: &Path) -> bool {
    rustix::fs::lstat(path).err() == Some(rustix::io::Errno::NOENT)
}

/// The user this process acts as.
pub fn user() -> u32 {
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

/// Names in a directory, in no order, at most `max` of them.
pub fn names(path: &Path, max: usize) -> Vec<String> {
    all_names(path, max).unwrap_or_default()
}

/// As [`names`], for who must not take a directory that cannot be read for an empty one.
///
/// # Errors
/// The system's.
pub fn all_names(path: &Path, max: usize) -> io::Result<Vec<String>> {
    let names: io::Result<Vec<_>> = std::fs::read_dir(path)?.take(max).map(|entry| Ok(entry?.file_name())).collect();
    Ok(names?.into_iter().filter_map(|name| name.into_string().ok()).collect())
}

/// As [`names`], of an open directory.
pub fn names_at(dir: BorrowedFd<'_>, max: usize) -> Vec<String> {
    let Ok(entries) = rustix::fs::Dir::read_from(dir) else { return Vec::new() };
    entries.take(max).filter_map(|e| e.ok()?.file_name().to_str().ok().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_are_known_by_their_names_and_those_of_the_living_stay() {
        for (temp, known) in [
            (".task_plan.md.12-0.tmp", Some(("task_plan.md", 12))),
            ("..run.7-31.tmp", Some((".run", 7))),
            (".x.tmp", None),
            (".x.12.tmp", None),
            (".x.12-.tmp", None),
            (".x.a-0.tmp", None),
            ("x.12-0.tmp", None),
            ("..12-0.tmp", None),
            (".x.99999999999-0.tmp", None),
        ] {
            assert_eq!(origin(temp), known, "{temp}");
        }
        let dir = tempfile::tempdir().unwrap();
        // The first process lives as long as the system does; no process has the second id.
        for temp in [".a.1-0.tmp", ".a.4194305-0.tmp", ".b.4194305-0.tmp"] {
            std::fs::write(dir.path().join(temp), "").unwrap();
        }
        assert_eq!(temps(dir.path(), |of| of == "a"), [dir.path().join(".a.4194305-0.tmp")]);
    }

    #[test]
    fn a_file_is_created_whole_or_not_at_all_and_never_over_another() {
        let dir = tempfile::tempdir().unwrap();
        let fd = open_dir(dir.path()).unwrap();
        create_at(fd.as_fd(), "n", b"first", 0o600).unwrap();
        assert_eq!(create_at(fd.as_fd(), "n", b"second", 0o600).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(dir.path().join("n")).unwrap(), b"first");
        assert_eq!(names(dir.path(), 9), ["n"]);
    }

    #[test]
    fn a_few_bytes_are_rewritten_in_place_and_never_through_another_name() {
        let dir = tempfile::tempdir().unwrap();
        let fd = open_dir(dir.path()).unwrap();
        let [file, other] = ["n", "other"].map(|name| dir.path().join(name));
        for text in ["9\n", "10\n", "0\n"] {
            rewrite_at(fd.as_fd(), "n", text.as_bytes(), 0o644).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
        std::fs::hard_link(&file, &other).unwrap();
        rewrite_at(fd.as_fd(), "n", b"1\n", 0o644).unwrap();
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&other, &file).unwrap();
        rewrite_at(fd.as_fd(), "n", b"2\n", 0o644).unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "0\n");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "2\n");
    }
}
