//! The working tree as one digest: what a proof was made on. Every file that git does not ignore, without `.planning` and
//! `.git`; outside git every file. Contents are read again only where size or modification time differ from the last time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::core::contract::digest_start;
use crate::store::disk::{self, How, Kind, Readers};
use crate::store::{digest, head, layout};

/// The most files that are looked at. A larger tree has no digest.
pub const MAX_FILES: usize = 200_000;
/// The most of a remembered tree that is read, in bytes.
const MAX_MEMORY: u64 = 64 * 1024 * 1024;
/// A file that changed this shortly before it was read may change again within the same tick of its clock, in nanoseconds.
const YOUNG: i128 = 2_000_000_000;

/// What was read of a file: its digest, and by what it is known again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    size: u64,
    modified: i128,
    digest: String,
}

/// What counts beneath a directory, as git lists it; `None` outside git. A repository within is listed as its directory.
pub type Lister<'a> = &'a dyn Fn(&Path) -> Option<Vec<PathBuf>>;

/// The digest of a working tree: SHA-256, in hex, over path, kind and content of each file, see `docs/data.md`. Repositories within
/// it count as far as they lie there. `at`: nanoseconds since 1970. `None` where the tree is too large or cannot be listed.
pub fn digest(state: Option<&Path>, plan_dir: &Path, root: &Path, list: Lister<'_>, at: i128) -> Option<String> {
    let mut files = match list(root) {
        Some(files) => with_nested(root, files, list)?,
        None => walk(root)?,
    };
    files.retain(|path| !path.starts_with(layout::PLANNING) && !path.starts_with(".git"));
    files.sort();
    files.dedup();
    if files.len() > MAX_FILES {
        return None;
    }
    let memory = state.map(|state| head::dir(state, plan_dir));
    let known = memory.as_deref().map(remembered).unwrap_or_default();
    let mut now = BTreeMap::new();
    let mut whole = Sha256::new();
    let mut read = false;
    for path in &files {
        // Gone, or no longer readable: it counts as absent, which differs from present.
        let Some(kind) = disk::kind(&root.join(path)) else { continue };
        let Some(part) = one(root, path, kind, &known, &mut now, &mut read) else { continue };
        whole.update(path.as_os_str().as_encoded_bytes());
        whole.update([0]);
        whole.update(part.as_bytes());
        whole.update([0]);
    }
    if let Some(dir) = memory.filter(|_| read || now.len() != known.len()) {
        // What cannot be remembered is read again.
        let _ = remember(&dir, &now, at);
    }
    Some(hex::encode(whole.finalize()))
}

/// The files of a list, those of the repositories within in place of their directories. `None` where they are too many.
fn with_nested(root: &Path, listed: Vec<PathBuf>, list: Lister<'_>) -> Option<Vec<PathBuf>> {
    let mut files = Vec::with_capacity(listed.len());
    let mut rest = listed;
    while let Some(path) = rest.pop() {
        let full = root.join(&path);
        // Git lists no other directories: what is in them is listed by itself.
        if disk::kind(&full).is_some_and(|kind| kind.dir) {
            rest.extend(list(&full).unwrap_or_default().into_iter().map(|inner| path.join(inner)));
        } else {
            files.push(path);
        }
        if files.len() + rest.len() > MAX_FILES {
            return None;
        }
    }
    Some(files)
}

fn one(
    root: &Path,
    path: &Path,
    kind: Kind,
    known: &BTreeMap<PathBuf, Known>,
    now: &mut BTreeMap<PathBuf, Known>,
    read: &mut bool,
) -> Option<String> {
    let full = root.join(path);
    if kind.link {
        return Some(format!("l{}", digest_start(&disk::link_target(&full).ok()?, 16)));
    }
    // FIFOs and devices have no contents.
    if !kind.file {
        return None;
    }
    let same = known.get(path).filter(|k| k.size == kind.size && k.modified == kind.modified);
    let entry = if let Some(same) = same {
        same.clone()
    } else {
        *read = true;
        Known { size: kind.size, modified: kind.modified, digest: contents(&full)? }
    };
    let run = if kind.can_be_run() == Some(true) { 'x' } else { 'f' };
    let part = format!("{run}{}", entry.digest);
    now.insert(path.to_path_buf(), entry);
    Some(part)
}

/// The first 16 hex of the digest of a regular file.
pub fn contents(path: &Path) -> Option<String> {
    let (mut file, _) = disk::open_file(path, How::Read).ok()?;
    let mut digest = digest::sha256(&mut file).ok()?;
    digest.truncate(16);
    Some(digest)
}

/// Every file beneath a directory that is no repository. No link is followed.
fn walk(root: &Path) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut rest = vec![PathBuf::new()];
    while let Some(dir) = rest.pop() {
        for name in disk::entries(&root.join(&dir)).ok()? {
            // By hand, since the digest takes in the path as git writes it.
            let mut path = dir.clone().into_os_string();
            if !path.is_empty() {
                path.push("/");
            }
            path.push(&name);
            let path = PathBuf::from(path);
            let is_dir = disk::kind(&root.join(&path)).is_some_and(|k| k.dir);
            if !is_dir {
                files.push(path);
            } else if name != ".git" && path != Path::new(layout::PLANNING) {
                rest.push(path);
            }
            if files.len() + rest.len() > MAX_FILES {
                return None;
            }
        }
    }
    Some(files)
}

/// What is remembered of a tree: `size modified digest path`, ended by a zero byte each.
fn remembered(dir: &Path) -> BTreeMap<PathBuf, Known> {
    let bytes = disk::read(&dir.join(layout::TREE), MAX_MEMORY).bytes().unwrap_or_default();
    bytes
        .split(|b| *b == 0)
        .filter_map(|entry| {
            let mut parts = entry.splitn(4, |b| *b == b' ');
            let mut text = || std::str::from_utf8(parts.next()?).ok();
            let (size, modified) = (text()?.parse().ok()?, text()?.parse().ok()?);
            let digest = text().filter(|d| d.len() == 16)?.to_owned();
            Some((PathBuf::from(disk::name_of(parts.next()?)?), Known { size, modified, digest }))
        })
        .collect()
}

fn remember(dir: &Path, known: &BTreeMap<PathBuf, Known>, now: i128) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    for (path, entry) in known.iter().filter(|(_, k)| now - k.modified > YOUNG) {
        let mut line = String::new();
        let _ = write!(line, "{} {} {} ", entry.size, entry.modified, entry.digest);
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(path.as_os_str().as_encoded_bytes());
        bytes.push(0);
    }
    disk::replace_at(&disk::open_dir(dir)?, layout::TREE, &bytes, Readers::User, false)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test lays out files of its own")]
mod tests {
    use super::*;

    fn put(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn every_content_name_and_mode_counts_and_the_plan_does_not() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (root, state) = (dir.path().join("project"), dir.path().join("state"));
        let plan = root.join(".planning/p");
        std::fs::create_dir_all(head::dir(&state, &plan)).unwrap();
        put(&root, "src/a", "one");
        put(&root, "b", "two");
        // Late enough to remember everything, so that each digest but the first comes out of the memory.
        let look = || digest(Some(&state), &plan, &root, &|_| None, i128::MAX / 2).unwrap();
        let first = look();
        assert_eq!(look(), first);
        for name in [".planning/p/task_plan.md", ".git/HEAD"] {
            put(&root, name, "x");
            assert_eq!(look(), first, "{name}");
        }
        let step: [(&str, &dyn Fn()); 6] = [
            ("a content", &|| put(&root, "b", "2 2")),
            ("a new file", &|| put(&root, "c", "")),
            ("a new name", &|| std::fs::rename(root.join("c"), root.join("d")).unwrap()),
            ("a mode", &|| std::fs::set_permissions(root.join("b"), PermissionsExt::from_mode(0o755)).unwrap()),
            ("a link", &|| symlink("b", root.join("link")).unwrap()),
            ("a removal", &|| std::fs::remove_file(root.join("src/a")).unwrap()),
        ];
        let mut seen = vec![first];
        for (what, change) in step {
            change();
            let now = look();
            assert!(!seen.contains(&now), "{what}");
            assert_eq!(digest(None, &plan, &root, &|_| None, 0).unwrap(), now, "{what}: remembered or not");
            seen.push(now);
        }
    }

    #[test]
    fn a_file_that_changed_just_now_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let (root, state) = (dir.path().join("project"), dir.path().join("state"));
        std::fs::create_dir_all(head::dir(&state, &root)).unwrap();
        put(&root, "a", "one");
        let modified = std::fs::metadata(root.join("a")).unwrap().modified().unwrap();
        let now = i128::try_from(modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos()).unwrap();
        let look = |at| digest(Some(&state), &root, &root, &|_| None, at).unwrap();
        let first = look(now + 1);
        put(&root, "a", "two");
        std::fs::File::options().write(true).open(root.join("a")).unwrap().set_modified(modified).unwrap();
        assert_ne!(look(now + 1), first, "the same size and time, but young");
    }

    #[test]
    fn only_listed_files_count_in_a_repository() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "a", "one");
        put(dir.path(), "ignored", "one");
        put(dir.path(), "inner/b", "one");
        put(dir.path(), "inner/ignored", "one");
        let list = |at: &Path| {
            let names: &[&str] = if at.ends_with("inner") { &["b"] } else { &["a", "gone", "inner/"] };
            Some(names.iter().map(PathBuf::from).collect())
        };
        let look = || digest(None, dir.path(), dir.path(), &list, 0).unwrap();
        let first = look();
        put(dir.path(), "ignored", "two");
        put(dir.path(), "inner/ignored", "two");
        assert_eq!(look(), first);
        put(dir.path(), "gone", "");
        let second = look();
        assert_ne!(second, first);
        put(dir.path(), "inner/b", "two");
        assert_ne!(look(), second, "a repository within");
    }
}
