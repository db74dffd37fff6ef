//! Patches as agents write them: `*** Begin Patch`, then `*** Add File:`, `*** Delete File:` or `*** Update File:` with hunks,
//! `*** End Patch`. Read, and applied, as the tool of codex-cli 0.171.0 was seen to do it: a patch that the tool refuses is
//! none here either.

mod apply;

pub use apply::apply;

/// One hunk of an update: lines that stand in the file, and what they become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// What stands behind `@@`: a line to be found before the hunk.
    pub anchor: String,
    /// The lines as they stand in the file.
    pub old: Vec<String>,
    /// The lines as they will stand there.
    pub new: Vec<String>,
    /// The hunk is at the end of the file.
    pub at_end: bool,
}

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Makes it, or gives one that is there this content.
    Add(String),
    /// Takes it away.
    Delete,
    /// Changes it.
    Update {
        /// The changes, in the order of the file.
        hunks: Vec<Hunk>,
        /// Where the changed file will be, instead.
        moved_to: Option<String>,
    },
}

/// One file of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// The file, as the patch names it.
    pub path: String,
    /// What becomes of it.
    pub what: What,
}

/// Lines of a patch still to be read.
type Rest<'a> = &'a [&'a str];

/// The files of a patch, in its order. `None` where the text is no patch, or one with an error in it.
pub fn parse(text: &str) -> Option<Vec<FilePatch>> {
    let lines: Vec<&str> = text.trim().lines().collect();
    let body = match unwrapped(&lines) {
        [first, body @ .., last] if first.trim() == "*** Begin Patch" && last.trim() == "*** End Patch" => body,
        _ => return None,
    };
    let mut rest = match body {
        [first, rest @ ..] if first.starts_with("*** Environment ID:") => rest,
        all => all,
    };
    let mut files = Vec::new();
    while let [header, after @ ..] = rest {
        let header = header.trim();
        let (path, (what, left)) = if let Some(path) = header.strip_prefix("*** Add File: ") {
            (path, added(after))
        } else if let Some(path) = header.strip_prefix("*** Delete File: ") {
            (path, (What::Delete, after))
        } else {
            (header.strip_prefix("*** Update File: ")?, updated(after)?)
        };
        files.push(FilePatch { path: path.to_owned(), what });
        rest = left;
    }
    Some(files).filter(|files| !files.is_empty())
}

/// Without the here-document around it: `<<'EOF'`, perhaps behind the tool's name, and its last line.
fn unwrapped(lines: Rest<'_>) -> Rest<'_> {
    let [first, body @ .., last] = lines else { return lines };
    let Some((before, word)) = first.split_once("<<") else { return lines };
    let word = word.trim_start_matches('-').trim_matches([' ', '\'', '"']);
    if matches!(before.trim(), "" | "apply_patch" | "applypatch") && last.trim() == word { body } else { lines }
}

fn added(lines: Rest<'_>) -> (What, Rest<'_>) {
    let mut content = String::new();
    let mut rest = lines;
    while let [line, after @ ..] = rest
        && let Some(text) = line.strip_prefix('+')
    {
        content.push_str(text);
        content.push('\n');
        rest = after;
    }
    (What::Add(content), rest)
}

fn updated(lines: Rest<'_>) -> Option<(What, Rest<'_>)> {
    let mut rest = lines;
    let mut moved_to = None;
    if let [line, after @ ..] = rest
        && let Some(path) = line.strip_prefix("*** Move to: ")
    {
        moved_to = Some(path.to_owned());
        rest = after;
    }
    let mut hunks = Vec::new();
    while rest.first().is_some_and(|line| !line.starts_with("***")) {
        let (hunk, after) = hunk(rest, hunks.is_empty())?;
        hunks.push(hunk);
        rest = after;
    }
    if hunks.is_empty() { None } else { Some((What::Update { hunks, moved_to }, rest)) }
}

/// One hunk. The first of a file may come without its `@@`.
fn hunk(lines: Rest<'_>, first: bool) -> Option<(Hunk, Rest<'_>)> {
    let mut hunk = Hunk::default();
    let mut rest = lines;
    match lines {
        [head, after @ ..] if head.trim_end() == "@@" => rest = after,
        [head, after @ ..] if head.starts_with("@@ ") => {
            head.get(3..)?.clone_into(&mut hunk.anchor);
            rest = after;
        }
        _ if !first => return None,
        _ => {}
    }
    while let [line, after @ ..] = rest {
        let text = line.get(1..).unwrap_or_default();
        match line.bytes().next() {
            Some(b'+') => hunk.new.push(text.to_owned()),
            Some(b'-') => hunk.old.push(text.to_owned()),
            // An empty line of the file, whose space was lost.
            Some(b' ') | None => {
                hunk.old.push(text.to_owned());
                hunk.new.push(text.to_owned());
            }
            _ if *line == "*** End of File" => {
                hunk.at_end = true;
                rest = after;
                break;
            }
            _ => break,
        }
        rest = after;
    }
    if hunk.old.is_empty() && hunk.new.is_empty() { None } else { Some((hunk, rest)) }
}

#[cfg(test)]
mod tests;
