//! Verbs: one file for each that a person or an agent types.

mod approvals;
mod approve;
pub mod args;
mod attach;
mod attest;
mod check;
mod condition;
mod ctx;
mod doctor;
mod edit;
mod export;
mod finish;
mod hand_off;
mod hosts;
mod import;
mod init;
mod install;
mod log;
mod next;
mod pause;
mod plans;
mod progress;
mod proposals;
mod propose;
mod prove;
mod rank;
mod receipt;
mod release;
mod render;
mod report;
mod restore;
mod run;
mod sessions;
mod settings;
mod start;
mod status;
mod step;
mod templates;
mod trial;
mod uninstall;
mod use_plan;
mod verify;
mod wait;
mod wake;

use clap::Parser;
use clap::error::ErrorKind;

use crate::commands::args::{Cli, Verb};
use crate::commands::ctx::Ctx;
use crate::error::{FINE, Failure, USAGE};
use crate::output::Output;
use crate::world::World;

/// Runs a verb and gives its exit code.
pub fn main(world: World) -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misread(&error, world),
    };
    let out = Output::real(cli.json);
    let ctx = Ctx::new(world, out, cli.plan);
    match run(&ctx, cli.verb) {
        Ok(()) => FINE,
        Err(failure) => out.failure(&failure),
    }
}

fn run(ctx: &Ctx, verb: Verb) -> Result<(), Failure> {
    match verb {
        Verb::Init(args) => init::run(ctx, &args),
        Verb::Attest(args) => attest::run(ctx, &args),
        Verb::Status => status::run(ctx),
        Verb::Next(args) => next::run(ctx, &args),
        Verb::Start(args) => start::run(ctx, &args),
        Verb::Done(args) => finish::done(ctx, &args),
        Verb::Fail(args) => finish::fail(ctx, &args),
        Verb::Skip(args) => finish::skip(ctx, &args),
        Verb::Step(args) => step::run(ctx, &args),
        Verb::Check(args) => check::run(ctx, &args),
        Verb::Wait(args) => wait::run(ctx, &args),
        Verb::Wake => wake::run(ctx),
        Verb::Receipt(args) => receipt::run(ctx, &args),
        Verb::Reopen(args) => finish::reopen(ctx, &args),
        Verb::Approve(args) => approve::run(ctx, &args),
        Verb::Propose(args) => propose::run(ctx, &args),
        Verb::Log(args) => log::run(ctx, &args),
        Verb::Use(args) if args.rank => rank::run(ctx, &args.ids),
        Verb::Use(args) => use_plan::run(ctx, &args.ids),
        Verb::Plans => plans::run(ctx),
        Verb::Approvals(args) => approvals::run(ctx, &args),
        Verb::Sessions(args) => sessions::run(ctx, &args),
        Verb::Report => report::run(ctx),
        Verb::Attach => attach::run(ctx),
        Verb::Run(args) => run::run(ctx, &args),
        Verb::Pause => pause::run(ctx, true),
        Verb::Resume => pause::run(ctx, false),
        Verb::Release => release::run(ctx),
        Verb::Restore => restore::run(ctx),
        Verb::Doctor => doctor::run(ctx),
        Verb::Hosts => hosts::run(ctx),
        Verb::Install(args) => install::run(ctx, &args),
        Verb::Uninstall(args) => uninstall::run(ctx, &args),
        Verb::Try => trial::run(ctx),
        Verb::Import(args) => import::run(ctx, &args),
        Verb::Export(args) => export::run(ctx, args.format),
    }
}

/// Help and version are no errors; anything else is said in our form.
fn misread(error: &clap::Error, world: World) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A closed pipe is no fault.
        let _ = error.print();
        return FINE;
    }
    let json = world.args().iter().any(|a| a == "--json");
    let text = error.to_string();
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let what = lines.next().unwrap_or("the command line").trim_start_matches("error: ").to_owned();
    let why =
        lines.take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more")).collect::<Vec<_>>().join(" ");
    let fix = if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        "steadfast --help".to_owned()
    } else {
        usage_of(world)
    };
    let what = if what.starts_with("Keeps a coding agent") { "no verb was given".to_owned() } else { what };
    let why = if what == "no verb was given" { String::new() } else { why };
    Output::real(json).failure(&Failure { code: USAGE, what, why, fix })
}

fn usage_of(world: World) -> String {
    use clap::CommandFactory;
    let first = world.args().into_iter().find(|a| !a.starts_with('-')).unwrap_or_default();
    let known = Cli::command().get_subcommands().any(|c| c.get_name() == first);
    if known { format!("steadfast {first} --help") } else { "steadfast --help".to_owned() }
}
