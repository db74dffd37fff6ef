//! The lowest floor: opening, reading and replacing files relative to an open directory, never through a link. What systems
//! do differently is in a file for each; the rest of the program knows of no system.
#![expect(clippy::disallowed_methods, reason = "this is the door to the disk")]

#[cfg(unix)]
mod unix;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(unix)]
use unix as system;

pub use system::Dir;

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

/// Who may read a file that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Everybody the system lets, as with files that people make.
    All,
    /// The user alone.
    User,
}

/// How a file is opened. Each way but the first may write, and all may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// For reading.
    Read,
    /// For writing in place; it has to be there.
    Write,
    /// For writing in place; made where it is missing.
    Create(Readers),
    /// For writing at its end, wherever that is by then; it has to be there.
    Extend,
    /// As [`How::Extend`]; made where it is missing.
    Append(Readers),
}

/// How an attempt to lock a file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is ours until the file is closed, or this file system has no locks.
    Ours,
    /// Somebody else has it.
    Busy,
}

/// Opens a directory that is not a link.
///
/// # Errors
/// Where it is missing, a link, or not a directory.
pub fn open_dir(path: &Path) -> io::Result<Dir> {
    Dir::open(path)
}

/// As [`open_dir`], in an open directory.
///
/// # Errors
/// As [`open_dir`].
pub fn open_dir_at(dir: &Dir, name: &str) -> io::Result<Dir> {
    dir.open_at(OsStr::new(name))
}

/// Opens a directory beneath a root whose links are resolved. No link is followed on the way from the root down.
///
/// # Errors
/// As [`open_dir`].
pub fn open_dir_beneath(root: &Path, dir: &Path) -> io::Result<Dir> {
    Dir::open_beneath(root, dir)
}

/// Opens a regular file in an open directory, and gives its size. A FIFO does not block, a link is not followed.
///
/// # Errors
/// The system's; see [`leads_away`] for a link; `InvalidInput` for anything else but a regular file.
pub fn open_file_at(dir: &Dir, name: &str, how: How) -> io::Result<(File, u64)> {
    system::open_file_at(dir, name, how)
}

/// As [`open_file_at`], by path. Links on the way to the last part are followed.
///
/// # Errors
/// As [`open_file_at`], and `InvalidInput` for a path that is not Unicode.
pub fn open_file(path: &Path, how: How) -> io::Result<(File, u64)> {
    let text = path.to_str().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a Unicode path"))?;
    system::open_file(text, how)
}

/// Whether an error of opening says that a link, or something else than a directory, stands on the way.
pub fn leads_away(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory || system::is_link(error)
}

/// Whether an error of opening says that something else than a regular file stands there.
pub fn is_no_file(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput || system::is_no_file(error)
}

/// Reads a regular file of at most `max` bytes in an open directory.
pub fn read_at(dir: &Dir, name: &str, max: u64) -> Read {
    read_opened(open_file_at(dir, name, How::Read), max)
}

/// As [`read_at`], by path. Links on the way to the last part are followed.
pub fn read(path: &Path, max: u64) -> Read {
    read_opened(open_file(path, How::Read), max)
}

fn read_opened(opened: io::Result<(File, u64)>, max: u64) -> Read {
    match opened {
        Ok((_, size)) if size > max => Read::TooLarge(size),
        Ok((file, size)) => whole(file, size),
        Err(error) => refused(error),
    }
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
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Read::Missing,
        _ if is_no_file(&error) => Read::NotRegular,
        _ => Read::Failed(error),
    }
}

/// One read at a place of a file. How many bytes came.
///
/// # Errors
/// The system's.
pub fn read_once(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    system::read_at(file, into, at)
}

/// Fills the room from a place of a file on.
///
/// # Errors
/// The system's, and `UnexpectedEof` where the file ends before.
pub fn read_exact(file: &File, mut into: &mut [u8], mut at: u64) -> io::Result<()> {
    while !into.is_empty() {
        match system::read_at(file, into, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                into = into.get_mut(n..).unwrap_or_default();
                at += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes bytes at the start of a file: by one write, unless the system takes them in parts.
///
/// # Errors
/// The system's.
pub fn write_start(file: &File, mut bytes: &[u8]) -> io::Result<()> {
    let mut at = 0;
    while !bytes.is_empty() {
        match system::write_at(file, bytes, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                bytes = bytes.get(n..).unwrap_or_default();
                at += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Appends bytes by one write to a regular file that is there.
///
/// # Errors
/// As [`open_file`].
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    open_file(path, How::Extend)?.0.write_all(bytes)
}

/// Opens a file in an open directory and locks it, or tries once more to lock one that is `opened`. Never waits. Where this is
/// [`Claim::Ours`], `opened` is the file, with the size it had when it was opened.
///
/// # Errors
/// As [`open_file_at`].
pub fn claim(dir: &Dir, name: &str, how: How, opened: &mut Option<(File, u64)>) -> io::Result<Claim> {
    system::claim(dir, name, how, opened)
}

/// Whether the name an open file had was taken away from it.
pub fn is_nameless(file: &File) -> bool {
    system::is_nameless(file)
}

/// Replaces a file in an open directory: a new file beside it, then one rename. The permission bits of a file that was
/// there are kept, else `readers` counts; [`replace_plain_at`] does not ask. With `sync` the bytes are on the disk before the name points to them.
///
/// # Errors
/// The system's. The old file is whole then, and the new one is gone.
pub fn replace_at(dir: &Dir, name: &str, bytes: &[u8], readers: Readers, sync: bool) -> io::Result<()> {
    let old = system::kind_at(dir, name).ok();
    if old.is_some_and(|kind| !kind.file && !kind.link) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    put(dir, name, bytes, readers, old.filter(|kind| kind.file), sync)
}

/// As [`replace_at`], where the file still has these bytes when everything else is done. `false`: somebody else wrote it, and
/// it was left alone.
///
/// # Errors
/// As [`replace_at`].
pub fn replace_if_at(dir: &Dir, name: &str, old: &[u8], bytes: &[u8], sync: bool) -> io::Result<bool> {
    let kind = system::kind_at(dir, name)?;
    if !kind.file {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let way = Way { readers: Readers::All, kept: Some(kind), sync };
    let is =
        |name: &str, bytes: &[u8]| matches!(read_at(dir, name, bytes.len() as u64), Read::Bytes(now) if now == bytes);
    put_where(dir, name, bytes, way, |temp| {
        if !is(name, old) {
            return Ok(Placed::Not);
        }
        if !system::exchange_at(dir, temp, name)? {
            // A system that cannot: what is written between that look and this rename is lost.
            return over(dir, temp, name);
        }
        // What was in place has the other name now, and nobody can have saved in between without this showing it.
        if is(temp, old) {
            return Ok(Placed::Shown);
        }
        system::exchange_at(dir, temp, name)?;
        if !is(temp, bytes) {
            // Saved once more meanwhile: the newest stays.
            system::exchange_at(dir, temp, name)?;
        }
        Ok(Placed::Not)
    })
    .map(|placed| placed != Placed::Not)
}

/// As [`replace_at`], for a machine file whose permission bits are ours to choose, without a sync.
///
/// # Errors
/// As [`replace_at`].
pub fn replace_plain_at(dir: &Dir, name: &str, bytes: &[u8], readers: Readers) -> io::Result<()> {
    put(dir, name, bytes, readers, None, false)
}

/// Gives a machine file of a few bytes a new content: by one write into the file where it is ours alone, else as
/// [`replace_plain_at`]. A new name costs a file system more than all the rest of a hook.
///
/// # Errors
/// As [`replace_at`].
pub fn rewrite_at(dir: &Dir, name: &str, bytes: &[u8], readers: Readers) -> io::Result<()> {
    if rewritten(dir, name, bytes).is_some() { Ok(()) } else { replace_plain_at(dir, name, bytes, readers) }
}

fn rewritten(dir: &Dir, name: &str, bytes: &[u8]) -> Option<()> {
    let (file, size) = system::open_alone(dir, name)?;
    // What is longer than the new content would show the end of the old one behind it, until it is cut.
    let fits = size <= bytes.len() as u64;
    (fits && system::write_at(&file, bytes, 0).ok()? == bytes.len()).then_some(())
}

/// How a new file comes to be.
#[derive(Clone, Copy)]
struct Way {
    /// Who may read it, as far as the user's mask lets them.
    readers: Readers,
    /// The file whose permissions it gets, whatever the mask says.
    kept: Option<Kind>,
    /// The bytes are on the disk before the name points to them.
    sync: bool,
}

fn put(dir: &Dir, name: &str, bytes: &[u8], readers: Readers, kept: Option<Kind>, sync: bool) -> io::Result<()> {
    put_where(dir, name, bytes, Way { readers, kept, sync }, |temp| over(dir, temp, name)).map(|_| ())
}

fn over(dir: &Dir, temp: &str, name: &str) -> io::Result<Placed> {
    system::rename_at(dir, temp, name).map(|()| Placed::Moved)
}

/// What became of a file that was written beside the one that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placed {
    /// It is in place, and its own name is used up.
    Moved,
    /// It, or what it is to show, is in place; something lies under its own name.
    Shown,
    /// It was not wanted.
    Not,
}

/// Writes a file beside the one that is meant, and has `place` show it, which gets its name. However this ends, nothing lies
/// about, unless this process is killed: see [`temps`].
fn put_where(
    dir: &Dir,
    name: &str,
    bytes: &[u8],
    way: Way,
    place: impl FnOnce(&str) -> io::Result<Placed>,
) -> io::Result<Placed> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut tries = 0;
    let (temp, mut file) = loop {
        let temp = format!(".{name}.{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        match system::create_new(dir, &temp, way.readers) {
            Ok(file) => break (temp, file),
            // Left behind by a process that was killed and had our id: take another name.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < 1000 => tries += 1,
            Err(error) => return Err(error),
        }
    };
    let written = (|| {
        if let Some(kind) = way.kept {
            kind.traits.hand_on(&file)?;
        }
        file.write_all(bytes)?;
        if way.sync {
            file.sync_data()?;
        }
        place(&temp)
    })();
    if !matches!(written, Ok(Placed::Moved)) {
        // The failed write is what is reported.
        let _ = system::remove_at(dir, &temp);
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
pub fn create_at(dir: &Dir, name: &str, bytes: &[u8], readers: Readers) -> io::Result<()> {
    if system::kind_at(dir, name).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let way = Way { readers, kept: None, sync: false };
    let placed = put_where(dir, name, bytes, way, |temp| {
        if system::link_at(dir, temp, name)? {
            Ok(Placed::Shown)
        } else {
            // A file system without second names: whoever creates this file at this very moment loses it.
            over(dir, temp, name)
        }
    });
    placed.map(|_| ())
}

/// Replaces a file by path, see [`replace_at`]. A link is not followed: it is refused. What a process left behind that was killed
/// while it did the same is taken away.
///
/// # Errors
/// The system's, and `InvalidInput` where a link or something else than a file stands there.
pub fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    };
    if system::kind(path).is_ok_and(|kind| kind.link) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a symbolic link"));
    }
    for left in temps(parent, |of| of == name) {
        // One that cannot be removed is in nobody's way.
        let _ = remove(&left);
    }
    replace_at(&Dir::open_followed(parent)?, name, bytes, readers, true)
}

/// Gives a file of an open directory another name.
///
/// # Errors
/// The system's.
pub fn rename_at(dir: &Dir, from: &str, to: &str) -> io::Result<()> {
    system::rename_at(dir, from, to)
}

/// Removes a file of an open directory.
///
/// # Errors
/// The system's.
pub fn remove_at(dir: &Dir, name: &str) -> io::Result<()> {
    system::remove_at(dir, name)
}

/// Creates a directory in an open one.
///
/// # Errors
/// `AlreadyExists`, or the system's.
pub fn make_dir_at(dir: &Dir, name: &str) -> io::Result<()> {
    system::make_dir_at(dir, name)
}

/// Creates a directory and its parents, readable by the user alone.
///
/// # Errors
/// The system's.
pub fn make_private_dir(path: &Path) -> io::Result<()> {
    system::make_private_dir(path)
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
    system::canonical(path)
}

/// What stands at a path, without following a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// A directory.
    pub dir: bool,
    /// A regular file.
    pub file: bool,
    /// A symbolic link.
    pub link: bool,
    /// Bytes.
    pub size: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: i128,
    traits: system::Traits,
}

impl Kind {
    /// Whether it belongs to the user this process acts as.
    pub fn is_ours(self) -> bool {
        self.traits.is_ours()
    }

    /// Whether everybody may write it.
    pub fn is_open_to_all(self) -> bool {
        self.traits.is_open_to_all()
    }

    /// Whether its owner may make files in it, if it is a directory.
    pub fn can_be_filled(self) -> bool {
        self.traits.can_be_filled()
    }

    /// Whether its owner may run it, if it is a file.
    pub fn can_be_run(self) -> bool {
        self.traits.can_be_run()
    }
}

/// What stands at a path. `None` where nothing does, or it cannot be asked.
pub fn kind(path: &Path) -> Option<Kind> {
    system::kind(path).ok()
}

/// Whether a directory is the root of a git repository, or of a worktree or submodule. An empty `.git` is none: sandboxes leave
/// one behind where they forbid it.
pub fn is_repository(dir: &Path) -> bool {
    let git = dir.join(".git");
    kind(&git).is_some_and(|k| !k.dir || kind(&git.join("HEAD")).is_some())
}

/// Whether nothing stands at a path, for certain: not where that cannot be asked.
pub fn is_missing(path: &Path) -> bool {
    system::kind(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Where a link leads, as it is written.
///
/// # Errors
/// The system's.
pub fn link_target(path: &Path) -> io::Result<Vec<u8>> {
    system::link_target(path)
}

/// A name or path out of bytes that came from [`OsStr::as_encoded_bytes`], or from another program. `None` where this system
/// has no such name.
pub fn name_of(bytes: &[u8]) -> Option<OsString> {
    system::name_of(bytes)
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
pub fn names_at(dir: &Dir, max: usize) -> Vec<String> {
    let Ok(names) = dir.names() else { return Vec::new() };
    names.take(max).filter_map(|name| name.into_string().ok()).collect()
}

/// Every name in a directory that is not a link, in no order.
///
/// # Errors
/// As [`open_dir`].
pub fn entries(path: &Path) -> io::Result<Vec<OsString>> {
    Ok(Dir::open(path)?.names()?.collect())
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
        let fd = Dir::open(dir.path()).unwrap();
        create_at(&fd, "n", b"first", Readers::User).unwrap();
        assert_eq!(create_at(&fd, "n", b"second", Readers::User).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(dir.path().join("n")).unwrap(), b"first");
        assert_eq!(names(dir.path(), 9), ["n"]);
    }

    #[test]
    #[cfg(unix)]
    fn a_few_bytes_are_rewritten_in_place_and_never_through_another_name() {
        let dir = tempfile::tempdir().unwrap();
        let open = open_dir(dir.path()).unwrap();
        let [file, other] = ["n", "other"].map(|name| dir.path().join(name));
        for text in ["9\n", "10\n", "0\n"] {
            rewrite_at(&open, "n", text.as_bytes(), Readers::All).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
        std::fs::hard_link(&file, &other).unwrap();
        rewrite_at(&open, "n", b"1\n", Readers::All).unwrap();
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&other, &file).unwrap();
        rewrite_at(&open, "n", b"2\n", Readers::All).unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "0\n");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "2\n");
    }

    #[test]
    fn what_cannot_be_put_in_place_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let open = open_dir(dir.path()).unwrap();
        std::fs::create_dir_all(dir.path().join("taken/inner")).unwrap();
        assert!(replace_plain_at(&open, "taken", b"new", Readers::All).is_err());
        create_at(&open, "plan", b"old", Readers::All).unwrap();
        assert!(!replace_if_at(&open, "plan", b"other", b"new", true).unwrap());
        assert_eq!(read_at(&open, "plan", 9).bytes().unwrap(), b"old");
        let mut names = names_at(&open, 9);
        names.sort();
        assert_eq!(names, ["plan", "taken"]);
    }
}
