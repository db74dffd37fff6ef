//! `doctor`: what is wrong, and what to do about it.

use serde_json::json;

use crate::commands::ctx::Ctx;
use crate::core::ledger;
use crate::error::{Failure, Result};
use crate::hosts;
use crate::output::Style;
use crate::store::desk::Found as RunFound;
use crate::store::locate::{self, Found};
use crate::store::{Attestation, Desk, Place, Snapshot, attach, disk, head, layout, leftovers, state_dir};

/// A ledger of this size is worth a word, in bytes.
const LARGE: u64 = 32 * 1024 * 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Grade {
    Fine,
    Note,
    Wrong,
}

struct Finding {
    grade: Grade,
    what: String,
    fix: String,
}

#[derive(Default)]
struct Report {
    findings: Vec<Finding>,
}

impl Report {
    fn fine(&mut self, what: impl Into<String>) {
        self.findings.push(Finding { grade: Grade::Fine, what: what.into(), fix: String::new() });
    }

    fn note(&mut self, what: impl Into<String>, fix: impl Into<String>) {
        self.findings.push(Finding { grade: Grade::Note, what: what.into(), fix: fix.into() });
    }

    fn wrong(&mut self, what: impl Into<String>, fix: impl Into<String>) {
        self.findings.push(Finding { grade: Grade::Wrong, what: what.into(), fix: fix.into() });
    }
}

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let mut report = Report::default();
    state(ctx, &mut report);
    plan(ctx, &mut report);
    super::install::examine(ctx, &mut |good, what, fix| if good { report.fine(what) } else { report.note(what, fix) });
    let wrong = report.findings.iter().filter(|f| f.grade == Grade::Wrong).count();
    if ctx.out.json {
        let grade = |g: Grade| match g {
            Grade::Fine => "fine",
            Grade::Note => "note",
            Grade::Wrong => "wrong",
        };
        let list: Vec<_> =
            report.findings.iter().map(|f| json!({ "grade": grade(f.grade), "what": f.what, "fix": f.fix })).collect();
        ctx.out.value(&json!({ "wrong": wrong, "findings": list }));
    } else {
        for finding in &report.findings {
            print(ctx, finding);
        }
    }
    if wrong == 0 {
        return Ok(());
    }
    if ctx.out.json {
        return Err(Failure::no("", "", ""));
    }
    Err(Failure::no(
        if wrong == 1 { "one thing is wrong".to_owned() } else { format!("{wrong} things are wrong") },
        "they are named above",
        "steadfast doctor  # when what each line says is done",
    ))
}

fn print(ctx: &Ctx, finding: &Finding) {
    let (mark, style) = match finding.grade {
        Grade::Fine => ("ok   ", Style::Green),
        Grade::Note => ("note ", Style::Yellow),
        Grade::Wrong => ("wrong", Style::Red),
    };
    ctx.out.line(&format!("{} {}", ctx.out.paint(style, mark), ctx.out.paint(Style::Plain, &finding.what)));
    if !finding.fix.is_empty() {
        ctx.out.line(&format!("      fix: {}", ctx.out.paint(Style::Cyan, &finding.fix)));
    }
}

fn state(ctx: &Ctx, report: &mut Report) {
    report.fine(format!("steadfast {}", env!("CARGO_PKG_VERSION")));
    match state_dir::find(&|name| ctx.world.var(name)) {
        Err(trouble) => report.wrong(
            format!("nothing can be approved or held: {trouble}"),
            match &trouble {
                state_dir::Trouble::NotOurs(path) => {
                    format!("chmod go-w {0}  # if it is yours: ls -ld {0}", shell(path))
                }
                _ => "export STEADFAST_HOME=\"$HOME/.local/state/steadfast\"".to_owned(),
            },
        ),
        Ok(path) if disk::kind(&path).is_none() => {
            report.fine(format!("state directory {} (made when it is needed)", path.display()));
        }
        Ok(path) => {
            if disk::kind(&path).is_some_and(disk::Kind::can_be_filled) {
                report.fine(format!("state directory {}", path.display()));
            } else {
                report.wrong(
                    format!("the state directory {} cannot be written", path.display()),
                    format!("chmod u+rwx {}", shell(&path)),
                );
            }
        }
    }
    if ctx.world.var("PLANNING_DISABLED").as_deref() == Some("1") {
        report.note("PLANNING_DISABLED=1: every hook is silent", "unset PLANNING_DISABLED");
    }
}

fn plan(ctx: &Ctx, report: &mut Report) {
    let place = match locate::find(&ctx.from()) {
        Found::Plan(place) => place,
        Found::None => return report.note("no plan lies here", "steadfast init --gated \"what is to be done\""),
        Found::Several(_, ids) => {
            return report.note(
                format!("several plans and none in use: {}", ids.join(", ")),
                format!("steadfast use {}", ids.first().map_or("ID", String::as_str)),
            );
        }
        Found::BrokenPin(why) => {
            return report.wrong(format!("the pin is broken: {why}"), "unset PLAN_ID PWF_PLAN_ROOT");
        }
    };
    pointer(&place, report);
    if place.id.is_empty() {
        return report.note(
            "the plan lies in the project root: shown as data, never held",
            "steadfast init --from task_plan.md",
        );
    }
    let desk = match Desk::look(&place) {
        Ok(desk) => desk,
        Err(trouble) => {
            return report.wrong(
                format!("the plan {} cannot be used: {trouble}", place.id),
                "move it away, or make it a directory of yours",
            );
        }
    };
    report.fine(format!("plan {} in {}", place.id, place.root.display()));
    if let Ok(state) = ctx.state()
        && let Err(trouble) =
            state_dir::outside(&state, &place.root, ctx.world.home().as_deref(), state_dir::Depth::Repository)
    {
        return report.wrong(format!("nothing is approved or held here: {trouble}"), "unset STEADFAST_HOME");
    }
    plan_file(ctx, &desk, report);
    run_state(&desk, report);
    ledgers(&desk, report);
    left_over(ctx, &place, report);
    requests(ctx, &place, report);
    match ctx.state().ok().and_then(|s| attach::owner(&s, &desk)) {
        Some(owner) if attach::is_live(&owner) => report.fine(format!("attached: {} {}", owner.host, owner.session)),
        Some(owner) => report.note(
            format!("attached to a session that ended: {} {}", owner.host, owner.session),
            format!("steadfast run {}", hosts::find(&owner.host).map_or("claude", |host| host.program)),
        ),
        None if desk.run.claim_until > ctx.world.now() => {
            report.fine("the next session that starts here will be attached");
        }
        None => report.note("no session is attached, so nobody is held", "steadfast attach"),
    }
}

fn pointer(place: &Place, report: &mut Report) {
    let path = place.root.join(layout::PLANNING).join(layout::POINTER);
    let Some(kind) = disk::kind(&path) else { return };
    if !kind.file {
        report.wrong(format!("{} is not a regular file", path.display()), format!("rm -r -- {}", shell(&path)));
    } else if locate::pointer(&place.root)
        .is_none_or(|id| disk::kind(&place.root.join(layout::PLANNING).join(id)).is_none())
    {
        report.wrong(format!("{} names no plan", path.display()), format!("steadfast use {}", place.id));
    }
}

fn plan_file(ctx: &Ctx, desk: &Desk, report: &mut Report) {
    let snapshot = ctx.snapshot(desk);
    let file = desk.place.file();
    if let (Some(why), Ok(state)) = (&snapshot.head_trouble, ctx.state()) {
        report
            .wrong(format!("the approval of this plan cannot be used: {why}"), aside(&head::dir(&state, &desk.path())));
    }
    match (&snapshot.plan_trouble, &snapshot.plan) {
        (Some(why), _) => report.wrong(
            format!("{file} cannot be read: {why}"),
            format!("put a regular file in UTF-8 of at most 1 MiB there: {file}"),
        ),
        (None, None) => {
            report.wrong(format!("{file} is missing or empty; what is approved goes on"), "steadfast attest --show");
        }
        (None, Some(plan)) => {
            if plan.phases.is_empty() {
                report.wrong(format!("{file} has no phase list"), "write each phase as a heading: ### Phase 1: Title");
            }
            for problem in plan.problems.iter().take(10) {
                report.note(format!("{file} line {}: {}", problem.line, problem.what), problem.fix.clone());
            }
        }
    }
    mirrors(desk, &snapshot, report);
    match snapshot.attestation {
        Attestation::Approved => {
            report.fine(format!("approved, version {}", snapshot.head.as_ref().map_or(0, |h| h.version)));
        }
        Attestation::Changed if snapshot.plan.is_some() => {
            report.note("the file asks for something else than what is approved", "steadfast attest --diff");
        }
        Attestation::Changed => {}
        Attestation::Draft => report.note("a draft: nothing is approved yet", "steadfast attest"),
        Attestation::Unapproved => report.note("this plan was approved somewhere else, not here", "steadfast attest"),
        Attestation::Revoked => report.note("the approval of this plan was revoked", "steadfast attest"),
        Attestation::None if snapshot.head_trouble.is_none() => report.note("nothing is approved", "steadfast attest"),
        Attestation::None => {}
    }
}

fn run_state(desk: &Desk, report: &mut Report) {
    match desk.found {
        RunFound::Whole => report.fine("run state"),
        RunFound::Missing => report.wrong("the run state .run is missing, so nobody is held", "steadfast attach"),
        RunFound::Torn => report.wrong("the run state .run is damaged, so nobody is held", "steadfast attach"),
    }
    if desk.blocks().is_none() {
        report.wrong(
            "the block counter .stop_blocks cannot be read, so it counts as full",
            format!("rm -r -- {}", shell(&desk.path().join(layout::BLOCKS))),
        );
    }
}

fn ledgers(desk: &Desk, report: &mut Report) {
    for agent in desk.agents().unwrap_or_default() {
        let name = layout::ledger(&agent);
        let path = desk.path().join(&name);
        let Some(kind) = disk::kind(&path).filter(|k| k.file) else {
            report.wrong(format!("{name} is not a regular file"), format!("rm -r -- {}", shell(&path)));
            continue;
        };
        if kind.size > LARGE {
            report.note(
                format!("{name} has {} MiB", kind.size / (1024 * 1024)),
                format!("mv {} /tmp/  # when the run is over", shell(&path)),
            );
        }
        let Ok(bytes) = desk.ledger(&agent, LARGE) else {
            report.wrong(format!("{name} cannot be read"), format!("chmod u+rw {}", shell(&path)));
            continue;
        };
        let folded = ledger::fold([(agent.as_str(), bytes.as_slice())]);
        let troubles = [
            (folded.bad_lines, "unreadable lines, which are skipped and never deleted"),
            (folded.conflict_markers, "lines that a merge left"),
            (folded.torn_ends, "torn ends, which a crash leaves and the next line closes"),
            (
                if kind.size > LARGE { 0 } else { folded.broken_links },
                "places where a line was changed, removed or put between",
            ),
            (folded.double_ticks, "ticks that stand twice"),
        ];
        let named: Vec<String> =
            troubles.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        if named.is_empty() {
            report.fine(name);
        } else {
            report.note(format!("{name} has {}", named.join("; ")), "steadfast log --verify");
        }
    }
}

fn mirrors(desk: &Desk, snapshot: &Snapshot, report: &mut Report) {
    let Some(head) = snapshot.head.as_ref().filter(|h| h.contract.is_some()) else { return };
    let contract = layout::contract(head.version);
    for (name, wanted) in [
        (contract.as_str(), head.contract.clone()),
        (layout::ATTESTATION, Some(format!("{}  {contract}\n", head.digest))),
    ] {
        let there = desk.file(name, layout::MAX_HEAD).bytes();
        if there != wanted.map(String::into_bytes) {
            report.note(format!("the mirror {name} is missing or changed; nobody decides by it"), "steadfast attest");
        }
    }
}

fn left_over(ctx: &Ctx, place: &Place, report: &mut Report) {
    let left: Vec<String> = leftovers::find(place, ctx.state().ok().as_deref())
        .iter()
        .chain(&leftovers::of_begun(&place.root))
        .map(|path| shell(path))
        .collect();
    if !left.is_empty() {
        report.note(format!("left over after a crash: {}", left.join(", ")), format!("rm -- {}", left.join(" ")));
    }
}

/// What verbs asked hooks to do and no hook has done yet.
fn requests(ctx: &Ctx, place: &Place, report: &mut Report) {
    let own = ctx.who.as_ref().map(|(_, who)| layout::request(&who.key()));
    let planning = place.root.join(layout::PLANNING);
    for name in disk::names(&planning, 10_000).into_iter().filter(|n| n.starts_with(layout::REQUEST)) {
        if own.as_ref() == Some(&name) {
            report.note(
                "what verbs of this session asked for waits for its next hook",
                "steadfast status  # in a command of its own",
            );
        } else {
            report.note(
                format!("{name} is a request of another session, which no hook of this one acts on"),
                format!("rm -- {}  # if that session is over", shell(&planning.join(&name))),
            );
        }
    }
}

/// Puts a head out of the way; then the plan is unapproved, and a person can approve it anew.
fn aside(dir: &std::path::Path) -> String {
    let head = dir.join(layout::HEAD);
    format!(
        "mv -- {} {}  # then, in a terminal: steadfast attest",
        shell(&head),
        shell(&head.with_extension("damaged"))
    )
}

/// A path as a shell reads it.
fn shell(path: &std::path::Path) -> String {
    crate::output::quote(&path.display().to_string())
}
