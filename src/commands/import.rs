//! `import`: make a plan of another tool's file, as `init --from` does of one of ours.

use std::path::{Path, PathBuf};

use crate::commands::args::{Import, Template};
use crate::commands::ctx::Ctx;
use crate::commands::init::{self, Begin};
use crate::commands::{attest, init::absolute};
use crate::core::import::{self, File, Kind, Source};
use crate::core::plan::Problem;
use crate::error::{Failure, Result};
use crate::output::{clean, quote};
use crate::store::disk::{self, Read};
use crate::store::layout;

/// The most files of a directory that are read.
const FILES: usize = 1000;

pub(super) fn run(ctx: &Ctx, args: &Import) -> Result<()> {
    if !args.dry_run {
        ctx.may_leave(None)?;
    }
    let (mode, gate) = (init::mode(args.gated, args.autonomous), init::hold(args.hold, args.no_hold));
    let shown = args.file.display().to_string();
    let (source, directory) = read(&args.file, args.tag.clone())?;
    let failed = |kind: Option<Kind>, mut problems: Vec<Problem>| {
        let as_what = kind.map(|kind| format!(" as {}", kind.word())).unwrap_or_default();
        let command = problems.iter_mut().find(|p| p.fix.starts_with("steadfast ")).map(|problem| {
            let command = problem.fix.replace("{file}", &quote(&shown));
            "see below".clone_into(&mut problem.fix);
            command
        });
        Failure {
            what: format!("{shown} cannot be imported{as_what}"),
            fix: command.unwrap_or_else(|| {
                format!("steadfast import --dry-run {}  # with the same words, when this is mended", quote(&shown))
            }),
            ..attest::problems_of(&shown, &problems)
        }
    };
    let kind = match args.format.as_deref().and_then(Kind::of) {
        Some(kind) => kind,
        None => import::detect(&source, directory).map_err(|problem| failed(None, vec![problem]))?,
    };
    if directory && !kind.in_directories() {
        return Err(failed(Some(kind), vec![whole("it is a directory, and this format is one file", "name the file")]));
    }
    let words = clean(&args.task.join(" "));
    let made = import::convert(kind, &source, &words).map_err(|problems| failed(Some(kind), problems))?;
    if u64::try_from(made.text.len()).unwrap_or(u64::MAX) > layout::MAX_PLAN {
        return Err(failed(Some(kind), vec![whole("its plan would be larger than 1 MiB", "split it")]));
    }
    let phases = if made.phases == 1 { "1 phase".to_owned() } else { format!("{} phases", made.phases) };
    let origin = format!("read {} as {}: {phases}", source.name, kind.word());
    if args.dry_run {
        if ctx.out.json {
            ctx.out.value(&serde_json::json!({
                "format": kind.word(), "phases": made.phases, "left_out": made.left_out, "plan": made.text,
            }));
            return Ok(());
        }
        ctx.out.aside(&clean(&origin));
        aside(ctx, &made.left_out);
        if ctx.out.terminal {
            ctx.out.raw(clean(&made.text).as_bytes());
        } else {
            ctx.out.raw(made.text.as_bytes());
        }
        return Ok(());
    }
    let ready = attest::strict(made.text.as_bytes(), mode, gate, &shown)?;
    aside(ctx, &made.left_out);
    init::begin(
        ctx,
        Begin { mode, gate, task: words, ready: Some(ready), template: Template::default(), origin: clean(&origin) },
    )
}

fn whole(what: &str, fix: &str) -> Problem {
    Problem { line: 0, what: what.to_owned(), fix: fix.to_owned() }
}

fn aside(ctx: &Ctx, left_out: &[String]) {
    for line in left_out {
        ctx.out.aside(&clean(&format!("left out: {line}")));
    }
}

/// A file, or the task files of a directory. No link is followed at the end of the path, nor in the directory.
fn read(path: &Path, tag: Option<String>) -> Result<(Source, bool)> {
    let full = absolute(path);
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    if disk::kind(&full).is_none_or(|kind| !kind.dir) {
        let bytes = disk::read(&full, layout::MAX_PLAN);
        let file = File { name: name.clone(), bytes: bytes_of(bytes, path)? };
        return Ok((Source { name, files: vec![file], tag }, false));
    }
    let dir = tasks_in(full);
    let mut names: Vec<String> = disk::names(&dir, FILES + 1);
    if names.len() > FILES {
        return Err(unreadable(path, &format!("it has more than {FILES} files")));
    }
    names.retain(|name| !name.starts_with('.'));
    // A directory has files of one tool: JSON where there is any.
    let end = if names.iter().any(|name| has_end(name, "json")) { "json" } else { "md" };
    let mut files = Vec::new();
    let mut left = layout::MAX_PLAN;
    for name in import::in_order(names).into_iter().filter(|name| has_end(name, end)) {
        let full = dir.join(&name);
        let bytes = bytes_of(disk::read(&full, left), &full)?;
        left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        files.push(File { name, bytes });
    }
    Ok((Source { name, files, tag }, true))
}

fn has_end(name: &str, end: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == end)
}

/// Backlog.md keeps its tasks one level down.
fn tasks_in(dir: PathBuf) -> PathBuf {
    let below = dir.join("tasks");
    if disk::kind(&below).is_some_and(|kind| kind.dir) { below } else { dir }
}

fn bytes_of(read: Read, path: &Path) -> Result<Vec<u8>> {
    match read.as_text() {
        Read::Bytes(bytes) => Ok(bytes),
        Read::Missing => Err(unreadable(path, "no such file")),
        Read::TooLarge(_) => Err(unreadable(path, "it has more than 1 MiB, alone or with the other files")),
        other => Err(unreadable(path, &other.trouble().unwrap_or_default())),
    }
}

fn unreadable(path: &Path, why: &str) -> Failure {
    Failure::no(format!("`{}` cannot be read", path.display()), why, "steadfast import --help")
}
