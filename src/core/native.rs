//! Absolute paths as hosts and shells write them. On Windows one directory has many spellings: those of programs, of Git Bash, of
//! Cygwin, of WSL, and the verbatim one of the system.

use std::path::{Path, PathBuf};

/// Whether two names that differ in capitals alone name two files.
pub const CAPITALS_COUNT: bool = !cfg!(any(windows, target_os = "macos"));

/// The directory in which all others of a disk lie.
pub const ROOT: &str = if cfg!(windows) { "C:\\" } else { "/" };

/// An absolute path as another program writes it, in this system's own form. `None` for anything else.
pub fn path(text: &str) -> Option<PathBuf> {
    if cfg!(windows) {
        return windows(text).map(PathBuf::from);
    }
    Some(PathBuf::from(text)).filter(|path| path.is_absolute())
}

/// A path beneath a project as it is written down: the same on every system.
pub fn shown(relative: &Path) -> String {
    let text = relative.display().to_string();
    if cfg!(windows) { text.replace('\\', "/") } else { text }
}

/// An absolute path in the form that programs on Windows write: `C:\dir` or `\\server\share\dir`, without a separator at its
/// end. A verbatim path that means something else without its prefix is kept as it is. `None` for what is no absolute path, or one
/// of a device.
pub fn windows(text: &str) -> Option<String> {
    if text.chars().any(|c| c.is_control() || "<>\"|".contains(c)) {
        return None;
    }
    let plain = text.replace('/', "\\");
    if let Some(verbatim) = text.strip_prefix(r"\\?\") {
        let short = match verbatim.strip_prefix(r"UNC\") {
            Some(share) => network(share),
            None => drive(verbatim),
        }?;
        let same = verbatim.split('\\').all(is_plain_name) && !verbatim.contains('/');
        return Some(if same { short } else { text.to_owned() });
    }
    if let Some(share) = plain.strip_prefix(r"\\") {
        return network(share).filter(|_| !share.starts_with(['.', '?']));
    }
    // `/c/dir` of Git Bash, `/cygdrive/c/dir` of Cygwin, `/mnt/c/dir` of WSL.
    if let Some(rest) = text.strip_prefix('/') {
        let rest = rest.strip_prefix("cygdrive/").or_else(|| rest.strip_prefix("mnt/")).unwrap_or(rest);
        let (letter, dir) = rest.split_once('/').unwrap_or((rest, ""));
        return drive(&format!("{letter}:\\{dir}")).filter(|_| letter.len() == 1);
    }
    drive(&plain)
}

/// `C:\dir`, of `c:\dir`.
fn drive(text: &str) -> Option<String> {
    let (letter, dir) = text.split_once(":\\").or_else(|| text.split_once(":/"))?;
    let letter = letter.chars().next().filter(|c| letter.len() == 1 && c.is_ascii_alphabetic())?;
    if dir.contains(':') {
        return None;
    }
    Some(format!("{}:\\{}", letter.to_ascii_uppercase(), joined(dir)))
}

/// `\\server\share\dir`, of `server\share\dir`.
fn network(text: &str) -> Option<String> {
    let path = joined(text);
    (path.contains('\\') && !path.contains(':')).then(|| format!(r"\\{path}"))
}

fn joined(dir: &str) -> String {
    dir.split(['\\', '/']).filter(|name| !name.is_empty()).collect::<Vec<_>>().join("\\")
}

/// Whether a name means the same with and without the verbatim prefix. Without it the system drops dots and spaces at the end, and
/// takes some names for devices, whatever ending they have.
fn is_plain_name(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered =
        stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")).is_some_and(|n| n.chars().count() == 1);
    !(name.ends_with(['.', ' ']) || DEVICES.contains(&stem.as_str()) || numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_directory_in_many_spellings() {
        for (written, meant) in [
            // Programs.
            (r"C:\Users\u\proj", Some(r"C:\Users\u\proj")),
            ("C:/Users/u/proj", Some(r"C:\Users\u\proj")),
            (r"c:\Users/u\proj\", Some(r"C:\Users\u\proj")),
            (r"C:\\Users\\u", Some(r"C:\Users\u")),
            (r"C:\", Some(r"C:\")),
            ("D:/", Some(r"D:\")),
            (r"C:\with space\ünï", Some(r"C:\with space\ünï")),
            // A shell may have put signs into it that stand for others.
            ("/c/*/p?", Some(r"C:\*\p?")),
            // Git Bash, Cygwin, WSL with the disks of Windows.
            ("/c/Users/u/proj", Some(r"C:\Users\u\proj")),
            ("/c/", Some(r"C:\")),
            ("/c", Some(r"C:\")),
            ("/cygdrive/d/p", Some(r"D:\p")),
            ("/mnt/c/Users/u", Some(r"C:\Users\u")),
            // The network, and the disk of a Linux in WSL.
            (r"\\wsl$\d\p", Some(r"\\wsl$\d\p")),
            (r"\\wsl.localhost\Ubuntu\home\u", Some(r"\\wsl.localhost\Ubuntu\home\u")),
            ("//wsl$/d/p", Some(r"\\wsl$\d\p")),
            (r"\\server\share", Some(r"\\server\share")),
            // Verbatim, as the system resolves a path.
            (r"\\?\C:\p", Some(r"C:\p")),
            (r"\\?\c:\p\", Some(r"C:\p")),
            (r"\\?\UNC\server\share\p", Some(r"\\server\share\p")),
            (r"\\?\C:\p\aux", Some(r"\\?\C:\p\aux")),
            (r"\\?\C:\p\com1.txt", Some(r"\\?\C:\p\com1.txt")),
            (r"\\?\C:\p\dot.", Some(r"\\?\C:\p\dot.")),
            (r"\\?\C:\p\common", Some(r"C:\p\common")),
            // Nothing absolute, or no file: the caller falls back to where the process works.
            ("", None),
            ("proj", None),
            (".", None),
            ("C:", None),
            ("C:proj", None),
            (r"\Users\u", None),
            ("/home/u/proj", None),
            ("/", None),
            ("/mnt/data/p", None),
            ("~/proj", None),
            (r"\\server", None),
            (r"\\.\pipe\x", None),
            (r"\\?\Volume{1}\p", None),
            (r"\\?\GLOBALROOT\Device\X", None),
            (r"C:\p\f:stream", None),
            ("C:\\p\0q", None),
            ("C:\\p\nq", None),
            (r"\\?/C:/p", None),
            ("1:/p", None),
            ("é:/p", None),
            ("file:///C:/p", None),
        ] {
            assert_eq!(windows(written).as_deref(), meant, "{written}");
            if let Some(meant) = meant {
                assert_eq!(windows(meant).as_deref(), Some(meant), "{written}, once more");
            }
        }
    }

    #[test]
    #[cfg(unix)]
    fn elsewhere_only_a_path_from_the_root_counts() {
        for text in [r"C:\Users\u\proj", "C:/Users", r"\\wsl$\d\p", r"\\?\C:\p", "proj", ""] {
            assert_eq!(path(text), None, "{text}");
        }
        assert_eq!(path("/c/Users"), Some(PathBuf::from("/c/Users")));
    }
}
