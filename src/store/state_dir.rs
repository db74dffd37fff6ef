//! The user's state directory, where approvals live: outside any project, ours alone.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::store::disk;

/// Why there is no usable state directory. Then nothing is approved and nothing is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Neither a home nor a variable says where it would be.
    Nowhere,
    /// The variable holds a relative path.
    Relative(PathBuf),
    /// It lies in the project, where the project could write it.
    InProject(PathBuf),
    /// It belongs to somebody else, or everybody may write it.
    NotOurs(PathBuf),
    /// A link or a file stands there.
    NotADirectory(PathBuf),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => {
                write!(f, "neither STEADFAST_HOME, XDG_STATE_HOME nor HOME says where the state directory is")
            }
            Self::Relative(p) => write!(f, "the state directory `{}` is not an absolute path", p.display()),
            Self::InProject(p) => write!(
                f,
                "the state directory `{}` lies inside the project, which could then approve itself",
                p.display()
            ),
            Self::NotOurs(p) => write!(f, "the state directory `{}` can be written by somebody else", p.display()),
            Self::NotADirectory(p) => write!(f, "`{}` is not a directory", p.display()),
        }
    }
}

/// The state directory: `$STEADFAST_HOME`, else `$XDG_STATE_HOME/steadfast`, else `~/.local/state/steadfast`.
///
/// # Errors
/// A [`Trouble`] that names what is wrong with it.
pub fn find(var: &dyn Fn(&str) -> Option<String>) -> Result<PathBuf, Trouble> {
    let path = if let Some(own) = var("STEADFAST_HOME") {
        PathBuf::from(own)
    } else if let Some(xdg) = var("XDG_STATE_HOME") {
        Path::new(&xdg).join("steadfast")
    } else if let Some(home) = var("HOME") {
        Path::new(&home).join(".local/state/steadfast")
    } else {
        return Err(Trouble::Nowhere);
    };
    if !path.is_absolute() {
        return Err(Trouble::Relative(path));
    }
    if !disk::KNOWS_OWNERS && !is_within(&path, var("HOME").as_deref().map(Path::new)) {
        return Err(Trouble::NotOurs(path));
    }
    match disk::kind(&path) {
        None => Ok(path),
        Some(kind) if !kind.dir => Err(Trouble::NotADirectory(path)),
        Some(kind) if !kind.is_ours() || kind.is_open_to_all() => Err(Trouble::NotOurs(path)),
        Some(_) => Ok(path),
    }
}

/// Whether a directory lies in a home, behind links too. One that is not there yet counts by its nearest parent that is.
fn is_within(dir: &Path, home: Option<&Path>) -> bool {
    let there = dir.ancestors().find_map(|parent| disk::canonical(parent).ok());
    let home = home.and_then(|home| disk::canonical(home).ok());
    there.zip(home).is_some_and(|(there, home)| there.starts_with(home))
}

/// How far around a plan the state directory is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// In the plan's root: enough for a session that was bound by somebody who looked further.
    Root,
    /// In every repository around it too: a checkout could hold both.
    Repository,
}

/// Whether the state directory may decide about a plan in this project root: it may not lie where the project could write it.
/// The home directory is no project, although plans may lie in it.
///
/// # Errors
/// [`Trouble::InProject`].
pub fn outside(state: &Path, root: &Path, home: Option<&Path>, depth: Depth) -> Result<(), Trouble> {
    // Links on the way could lead back into the project; a directory that is not there yet is judged by its parents.
    let mut real = state.to_path_buf();
    for ancestor in state.ancestors() {
        if let Ok(resolved) = disk::canonical(ancestor) {
            real = state
                .strip_prefix(ancestor)
                .ok()
                .filter(|r| !r.as_os_str().is_empty())
                .map_or(resolved.clone(), |r| resolved.join(r));
            break;
        }
    }
    let is_home =
        |dir: &Path| home.and_then(|h| disk::canonical(h).ok()).is_some_and(|h| h == dir || h.starts_with(dir));
    let refused = |dir: &Path| real.starts_with(dir) && dir.parent().is_some() && !is_home(dir);
    let repositories = root.ancestors().filter(|dir| depth == Depth::Repository && disk::is_repository(dir));
    if refused(root) || repositories.into_iter().any(refused) {
        return Err(Trouble::InProject(state.to_path_buf()));
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test lays out files of its own")]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_home() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        std::fs::create_dir_all(home.join("state")).unwrap();
        for (path, inside) in [
            ("home/state", true),
            ("home/state/not/there", true),
            ("home", true),
            ("home/../state", false),
            ("state", false),
            ("home2", false),
        ] {
            assert_eq!(is_within(&dir.path().join(path), Some(&home)), inside, "{path}");
        }
        assert!(!is_within(&home, None));
        assert!(!is_within(&home, Some(&dir.path().join("gone"))));
    }
}
