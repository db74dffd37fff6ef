//! `init`: make a plan.

use std::path::{Path, PathBuf};

use crate::commands::args::{Init, Template};
use crate::commands::ctx::Ctx;
use crate::commands::{attest, templates, use_plan};
use crate::core::contract::{Contract, GateOptions, Mode};
use crate::core::ledger::date;
use crate::core::plan_read;
use crate::core::request::{Request, What};
use crate::error::{Failure, Result};
use crate::output::quote;
use crate::store::approval::Trouble;
use crate::store::disk::{self, Read};
use crate::store::head::Head;
use crate::store::locate::is_name;
use crate::store::{Place, approval, layout, leftovers};

/// The longest task, in characters: it is shown to the model while the plan is a draft.
const TASK: usize = 300;
/// The most of what git is told that is read, in bytes.
const MAX_ATTRIBUTES: u64 = 64 * 1024;

/// What a new plan begins with.
pub(super) struct Begin {
    pub(super) mode: Mode,
    pub(super) gate: GateOptions,
    /// What the person calls it; empty: as the finished plan calls itself.
    pub(super) task: String,
    /// A finished plan with its ids, judged; it is approved at once.
    pub(super) ready: Option<(Vec<u8>, Contract)>,
    /// What is written where there is no finished plan.
    pub(super) template: Template,
    /// Where the finished plan comes from, where there is something to say of it.
    pub(super) origin: String,
}

pub(super) fn run(ctx: &Ctx, args: &Init) -> Result<()> {
    ctx.may_leave(None)?;
    let (mode, gate) = (mode(args.gated, args.autonomous), hold(args.hold, args.no_hold));
    let ready = args.from.as_deref().map(|file| finished(file, mode, gate)).transpose()?;
    let task = args.task.join(" ");
    begin(ctx, Begin { mode, gate, task, ready, template: args.template, origin: String::new() })
}

/// The mode that flags ask for.
pub(super) fn mode(gated: bool, autonomous: bool) -> Mode {
    match (gated, autonomous) {
        (true, _) => Mode::Gate,
        (false, true) => Mode::Autonomous,
        (false, false) => Mode::Plain,
    }
}

/// The gate options that flags ask for.
pub(super) fn hold(hold: bool, no_hold: bool) -> GateOptions {
    GateOptions { hold: if hold || no_hold { Some(hold) } else { None } }
}

/// Makes a plan, and approves it where it is finished.
pub(super) fn begin(ctx: &Ctx, new: Begin) -> Result<()> {
    let Begin { mode, gate, ready, template, origin, .. } = new;
    let task = task(&new.task, ready.as_ref());
    let place = make(ctx, &task)?;
    let bytes =
        ready.as_ref().map_or_else(|| templates::plan(template, &task).into_bytes(), |(bytes, _)| bytes.clone());
    let mut desk = ctx.desk(&place)?;
    leftovers::remove(&leftovers::of_begun(&place.root));
    let failed =
        |error: std::io::Error| Failure::fault("the plan could not be written", error.to_string(), "steadfast doctor");
    desk.create(layout::PLAN, &bytes).map_err(failed)?;
    desk.create(layout::FINDINGS, templates::findings(&task).as_bytes()).map_err(failed)?;
    desk.create(layout::PROGRESS, templates::progress(&task).as_bytes()).map_err(failed)?;
    desk.set_blocks(0).map_err(failed)?;
    tell_git(&place).map_err(failed)?;
    use_plan::point(&place)?;
    let state = ctx.state_for(&place)?;
    let goal = ready.as_ref().map_or_else(|| task.clone(), |(_, c)| c.goal.clone());
    let asked = Request { what: What::Init, goal, mode, gate, ..Request::default() };
    match approval::publish(&state, &desk, &Head::draft(&place, &asked)) {
        Err(Trouble::NotApproved(error)) if ctx.hands_over(&error) => ctx.hand_over(&place, asked)?,
        other => attest::published(other)?,
    }
    let mut records = vec![ctx.record("init", "", &task)];
    records.extend(ctx.attach(&mut desk, true)?);
    ctx.commit(&mut desk, records)?;
    let approved = match ready {
        Some(_) => {
            drop(desk);
            let text = attest::approve(ctx, &place, attest::Word::May)?;
            desk = ctx.desk(&place)?;
            Some(text)
        }
        None => None,
    };
    if !origin.is_empty() && !ctx.out.json {
        ctx.out.plain(&origin);
    }
    report(ctx, &place, mode, approved.is_some());
    if let Some(text) = approved {
        let told = if origin.is_empty() || !ctx.out.json { text } else { format!("{origin}; {text}") };
        ctx.say(&desk, &told);
    }
    if ctx.who.is_none() && !ctx.out.json {
        ctx.out.line("start it here: steadfast run claude");
    }
    Ok(())
}

fn report(ctx: &Ctx, place: &Place, mode: Mode, approved: bool) {
    if ctx.out.json {
        if !approved {
            ctx.out.value(&serde_json::json!({
                "plan": place.id, "dir": place.dir(), "mode": mode.word(), "next": "write the phases, then: steadfast attest",
            }));
        }
        return;
    }
    let kind = match mode {
        Mode::Gate => "gated plan",
        Mode::Autonomous => "autonomous plan",
        Mode::Plain => "plan",
    };
    ctx.out.line(&format!("made {kind} {}", place.id));
    let who = if ctx.waits_for_a_hook(place) {
        "this session is attached at its next hook, when this command ends"
    } else if ctx.who.is_some() {
        "this session is attached"
    } else {
        "the next session that starts here within 24 hours will be attached"
    };
    ctx.out.line(&format!("  {who}"));
    if !approved {
        ctx.out.line(&format!(
            "  1. write the goal and the phases into {}, in place of what stands in brackets",
            place.file()
        ));
        ctx.out.line("  2. steadfast attest");
    }
}

/// A finished plan, with ids written and judged as for an approval. Nothing is made where it cannot be approved.
fn finished(file: &Path, mode: Mode, gate: GateOptions) -> Result<(Vec<u8>, Contract)> {
    let shown = file.display();
    let bytes = match disk::read(&absolute(file), layout::MAX_PLAN).as_text() {
        Read::Bytes(bytes) => bytes,
        Read::Missing => {
            return Err(Failure::no(
                format!("`{shown}` is not there"),
                "no such file",
                "steadfast init --gated \"what is to be done\"",
            ));
        }
        other => {
            return Err(Failure::no(
                format!("`{shown}` cannot be read"),
                other.trouble().unwrap_or_default(),
                "steadfast init --gated \"what is to be done\"  # or another FILE, in UTF-8 and of at most 1 MiB",
            ));
        }
    };
    attest::strict(&bytes, mode, gate, &shown.to_string()).map_err(|failure| Failure {
        fix: format!(
            "steadfast init {}--from {}  # with the same words, when these places are mended",
            match mode {
                Mode::Gate => "--gated ",
                Mode::Autonomous => "--autonomous ",
                Mode::Plain => "",
            },
            quote(&shown.to_string())
        ),
        ..failure
    })
}

/// A path that an open directory takes as it is meant.
pub(super) fn absolute(file: &Path) -> PathBuf {
    if file.is_absolute() { file.to_path_buf() } else { Path::new(".").join(file) }
}

fn task(words: &str, ready: Option<&(Vec<u8>, Contract)>) -> String {
    let text = crate::output::clean(words).replace('\n', " ");
    let text = text.trim();
    if !text.is_empty() {
        return text.chars().take(TASK).collect();
    }
    let named = ready.map(|(bytes, contract)| {
        let title = crate::output::clean(&plan_read::read(bytes).title);
        if title.is_empty() || title.starts_with('[') { contract.goal.clone() } else { title }
    });
    named.map_or_else(|| "Untitled".to_owned(), |text| text.chars().take(TASK).collect())
}

/// Creates the plan's directory. One that is there is never touched.
fn make(ctx: &Ctx, task: &str) -> Result<Place> {
    let root = root(ctx)?;
    let planning = root.join(layout::PLANNING);
    let failed = |path: &Path, error: std::io::Error| {
        Failure::fault(
            "the plan directory could not be made",
            format!("{}: {error}", path.display()),
            "ls -ld .  # init again where you may write",
        )
    };
    // Judged, and made, before anything of the plan is: a plan without it would be nobody's.
    let state = ctx.state_for(&Place { root: root.clone(), id: "new".to_owned() })?;
    if let Err(error) = disk::make_private_dir(&state)
        && !ctx.hands_over(&error)
    {
        return Err(Failure::fault(
            "the state directory cannot be made",
            format!("{}: {error}", state.display()),
            "steadfast doctor",
        ));
    }
    match disk::kind(&planning) {
        None => disk::make_dir(&planning).map_err(|e| failed(&planning, e))?,
        Some(kind) if kind.dir && kind.is_ours() => {}
        Some(_) => {
            return Err(Failure::no(
                format!("{} cannot be used", planning.display()),
                "it is a link, a file, or belongs to somebody else",
                "mv .planning .planning.old",
            ));
        }
    }
    let base = format!("{}-{}", date(ctx.world.now()), slug(task));
    for n in 1..1000 {
        let id = if n == 1 { base.clone() } else { format!("{base}-{n}") };
        let dir = planning.join(&id);
        match disk::make_new_dir(&dir) {
            Ok(()) => return Ok(Place { root, id }),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&dir, error)),
        }
    }
    Err(Failure::no(
        "too many plans of this name today",
        format!("{base}-999 is taken"),
        "steadfast init --gated \"another name\"",
    ))
}

/// Where the plan goes: beside plans that are here already, else the repository root, else here.
fn root(ctx: &Ctx) -> Result<PathBuf> {
    let from = ctx.from();
    if let Some(root) = &from.pinned_root {
        return disk::canonical(root).map_err(|error| {
            Failure::no(
                "PWF_PLAN_ROOT names no directory",
                format!("{}: {error}", root.display()),
                "unset PWF_PLAN_ROOT",
            )
        });
    }
    let here = from.cwd.as_ref().and_then(|p| disk::canonical(p).ok()).ok_or_else(|| {
        Failure::no("there is no current directory", "it was deleted, or may not be read", "cd  # then to the project")
    })?;
    let mut repository = None;
    for dir in here.ancestors() {
        if disk::kind(&dir.join(layout::PLANNING)).is_some_and(|k| k.dir && k.is_ours()) {
            return Ok(dir.to_path_buf());
        }
        if disk::is_repository(dir) {
            repository = Some(dir.to_path_buf());
            break;
        }
        if Some(dir) == from.home.as_deref() {
            break;
        }
    }
    Ok(repository.unwrap_or(here))
}

/// At most 40 characters of lower-case letters, digits and dashes.
fn slug(task: &str) -> String {
    let mut slug = String::new();
    for c in task.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= 40 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-').to_owned();
    if is_name(&slug) { slug } else { "task".to_owned() }
}

/// What git is told of the plans: what it ignores, and how it merges. What stands there already stays.
fn tell_git(place: &Place) -> std::io::Result<()> {
    let dir = disk::open_dir(&place.root.join(layout::PLANNING))?;
    match disk::create_at(&dir, layout::IGNORE, layout::IGNORE_TEXT.as_bytes(), disk::Readers::All) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        other => other?,
    }
    let there = disk::read_at(&dir, layout::ATTRIBUTES, MAX_ATTRIBUTES);
    if there.trouble().is_some() {
        // What cannot be read is somebody's, and no plan fails for it.
        return Ok(());
    }
    let mut text = there.bytes().unwrap_or_default();
    if text.split(|b| *b == b'\n').any(|line| line.trim_ascii() == layout::ATTRIBUTES_LINE.as_bytes()) {
        return Ok(());
    }
    if text.last().is_some_and(|b| *b != b'\n') {
        text.push(b'\n');
    }
    text.extend_from_slice(layout::ATTRIBUTES_LINE.as_bytes());
    text.push(b'\n');
    disk::replace_at(&dir, layout::ATTRIBUTES, &text, disk::Readers::All, false)
}
