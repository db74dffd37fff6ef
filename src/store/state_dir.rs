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
    match disk::kind(&path) {
        None => Ok(path),
        Some(kind) if !kind.dir => Err(Trouble::NotADirectory(path)),
        Some(kind) if kind.owner != disk::user() || kind.bits & 0o002 != 0 => Err(Trouble::NotOurs(path)),
        Some(_) => Ok(path),
    }
}

/// Whether the state directory may decide about a plan in this project root.
///
/// # Errors
/// [`Trouble::InProject`].
pub fn outside(state: &Path, root: &Path) -> Result<(), Trouble> {
    // Links on the way could lead back into the project; a directory that is not there yet is judged by its parents.
    let mut real = state.to_path_buf();
    for ancestor in state.ancestors() {
        if let Ok(resolved) = disk::canonical(ancestor) {
            real = resolved.join(state.strip_prefix(ancestor).unwrap_or(Path::new("")));
            break;
        }
    }
    if real.starts_with(root) && root != Path::new("/") && Some(root) != home_like(&real) {
        return Err(Trouble::InProject(state.to_path_buf()));
    }
    Ok(())
}

/// A plan that lies in the home directory itself does not make all of the home a project: `~/.local/state` stays outside.
fn home_like(state: &Path) -> Option<&Path> {
    state.to_str()?.strip_suffix("/.local/state/steadfast").map(Path::new)
}
