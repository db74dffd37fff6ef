//! What a tool call changes: paths, as far as its input tells.

use std::path::{Component, Path, PathBuf};

use super::{code, shell};
use crate::core::event::ToolCall;
use crate::core::native;

/// Where a tool call is made.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// Where the session works.
    pub cwd: Option<&'a Path>,
    /// The environment of the host, which its tools have too.
    pub var: &'a dyn Fn(&str) -> Option<String>,
}

/// Something that a tool call changes. Paths are absolute, without `.` and `..`; a shell may have put `*` and `?` into them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file, or a directory.
    At(PathBuf),
    /// A directory with everything beneath it.
    Tree(PathBuf),
    /// Code in another language that writes; its text alone may tell where.
    Code(String),
}

/// What a tool call changes. Empty where it only reads, or nothing can be told.
pub fn targets(call: &ToolCall, around: Around<'_>) -> Vec<Target> {
    if !call.writes.is_empty() {
        return call.writes.iter().filter_map(|write| around.path(write.path.to_str()?)).map(Target::At).collect();
    }
    if let Some(command) = &call.command {
        return shell::targets(command, around);
    }
    if !writes_by_name(&call.name) {
        return Vec::new();
    }
    // Of a tool nobody knows, what is a path as a whole: a text that mentions one is about it.
    call.input
        .lines()
        .filter(|l| l.contains(['/', '\\']))
        .filter_map(|line| around.path(line.trim()))
        .map(Target::At)
        .collect()
}

/// Whether one of the words that a tool's name is made of says that it changes something.
fn writes_by_name(name: &str) -> bool {
    const WORDS: [&str; 13] = [
        "write", "edit", "delete", "move", "remove", "create", "rename", "update", "append", "patch", "replace", "put",
        "save",
    ];
    let mut spaced = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    }
    spaced.split(' ').any(|word| WORDS.contains(&word))
}

impl Around<'_> {
    /// The path a text stands for: `~` is the home, what is relative lies where the session works. `None` where that cannot be
    /// told.
    pub fn path(&self, text: &str) -> Option<PathBuf> {
        let text = text.strip_prefix("file://").unwrap_or(text);
        let path = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                PathBuf::from(format!("{}{rest}", (self.var)("HOME")?))
            }
            _ => PathBuf::from(text),
        };
        resolved(&path, self.cwd)
    }
}

/// A path without `.` and `..`, as far as that can be said without asking the disk; a relative one lies in `base`.
pub fn plain(base: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in base.join(path).components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// As [`plain`], where an absolute path comes of it.
pub(super) fn resolved(path: &Path, base: Option<&Path>) -> Option<PathBuf> {
    let own = path.to_str().and_then(native::path);
    Some(plain(base.unwrap_or_else(|| Path::new("")), own.as_deref().unwrap_or(path))).filter(|path| path.is_absolute())
}

impl Target {
    /// Whether this changes a directory or something in it. `home` tells how code may name it.
    pub fn hits(&self, dir: &Path, home: Option<&str>) -> bool {
        match self {
            Self::At(path) => begins(path, dir),
            Self::Tree(path) => begins(path, dir) || ends_above(path, dir),
            Self::Code(text) => code::names(text, dir, home),
        }
    }
}

/// Whether a path, which may hold `*` and `?`, is this directory or lies in it.
fn begins(path: &Path, dir: &Path) -> bool {
    let mut parts = path.components();
    dir.components().all(|name| parts.next().is_some_and(|part| is_like(part, name)))
}

/// Whether this directory lies in a path, which may hold `*` and `?`.
fn ends_above(path: &Path, dir: &Path) -> bool {
    let mut names = dir.components();
    path.components().all(|part| names.next().is_some_and(|name| is_like(part, name)))
}

fn is_like(part: Component<'_>, name: Component<'_>) -> bool {
    if part == name {
        return true;
    }
    let (Some(part), Some(name)) = (part.as_os_str().to_str(), name.as_os_str().to_str()) else { return false };
    if !native::CAPITALS_COUNT && part.to_lowercase() == name.to_lowercase() {
        return true;
    }
    // A star leaves out what is hidden.
    part.contains(['*', '?'])
        && (!name.starts_with('.') || part.starts_with('.'))
        && glob(part.as_bytes(), name.as_bytes())
}

/// Whether a name matches a pattern of `*` and `?`, byte by byte.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n, mut star) = (0, 0, None);
    while let Some(byte) = name.get(n) {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if c == byte || *c == b'?' => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                Some((at, from)) => {
                    *from += 1;
                    (p, n) = (*at + 1, *from);
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|c| *c == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::event::{Write, Writing};

    const HOME: &str = "/home/dev";
    const STATE: &str = "/home/dev/.local/state/steadfast";

    fn hit(call: &ToolCall) -> bool {
        let var = |name: &str| (name == "HOME").then(|| HOME.to_owned());
        let around = Around { cwd: Some(Path::new("/home/dev/project")), var: &var };
        targets(call, around).iter().any(|target| target.hits(Path::new(STATE), Some(HOME)))
    }

    #[test]
    fn a_written_path() {
        for (path, right) in [
            ("/home/dev/.local/state/steadfast/plans/x/head.json", true),
            ("/home/dev/.local/state/steadfast", true),
            ("~/.local/state/steadfast/x", true),
            ("../.local/state/steadfast/x", true),
            ("/home/dev/project/../.local/./state/other/../steadfast/x", true),
            ("/home/dev/.local/state/steadfast-notes/x", false),
            ("/home/dev/.local/state", false),
            ("notes/home/dev/.local/state/steadfast/x", false),
            ("~dev/.local/state/steadfast/x", false),
            ("task_plan.md", false),
        ] {
            let writes = vec![Write { path: path.into(), what: Writing::Unknown }];
            assert_eq!(hit(&ToolCall { writes, ..ToolCall::default() }), right, "{path}");
        }
    }

    #[test]
    fn a_tool_nobody_knows() {
        let file = format!("{STATE}/plans/x/head.json");
        for (name, input, right) in [
            ("mcp__files__write_file", file.as_str(), true),
            ("mcp__files__move_file", &format!("{file}\n/tmp/x"), true),
            ("mcp__files__editBlock", "~/.local/state/steadfast/x", true),
            ("mcp__files__DeleteFile", &format!("file://{file}"), true),
            ("mcp__files__read_file", &file, false),
            ("mcp__files__list_recently_updated", &file, false),
            ("mcp__tracker__create_issue", &format!("the head lies in {file}"), false),
            ("mcp__files__write_file", "/home/dev/project/x\nhello", false),
        ] {
            let call = ToolCall { name: name.to_owned(), input: input.to_owned(), ..ToolCall::default() };
            assert_eq!(hit(&call), right, "{name} {input}");
        }
    }

    #[test]
    fn stars() {
        for (pattern, name, right) in [
            ("*", "abc", true),
            ("a*c", "abc", true),
            ("a*c", "abd", false),
            ("?b?", "abc", true),
            ("a", "a", true),
            ("", "a", false),
            ("*a*b*", "xxaxxbxx", true),
            ("a*", "a", true),
            ("*?", "", false),
        ] {
            assert_eq!(glob(pattern.as_bytes(), name.as_bytes()), right, "{pattern} {name}");
        }
    }
}
