//! The command line. Hooks never come here.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Keeps a coding agent on its plan.
#[derive(Debug, Parser)]
#[command(name = "steadfast", version, disable_help_subcommand = true, max_term_width = 100)]
#[command(
    about = "Keeps a coding agent on its plan",
    long_about = "Keeps a coding agent on its plan: the plan lives on disk, hooks put an approved summary of it in front of the model, and a gate refuses a premature stop.",
    after_help = "Example: steadfast init --gated \"Replace the parser\""
)]
pub struct Cli {
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// The plan, by id, instead of the one in use
    #[arg(long, global = true, value_name = "ID")]
    pub plan: Option<String>,
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Make a plan
    #[command(
        after_help = "Example: steadfast init --gated \"Replace the parser\"\nExample: steadfast init --gated --from plan.md"
    )]
    Init(Init),
    /// Approve what the plan asks for
    #[command(after_help = "Example: steadfast attest --diff\nExample: steadfast attest --log")]
    Attest(Attest),
    /// Show where the run stands
    #[command(after_help = "Example: steadfast status --json")]
    Status,
    /// Show what comes next
    #[command(after_help = "Example: steadfast next\nExample: steadfast next --all")]
    Next(Next),
    /// Begin a phase, or try a failed one again
    #[command(after_help = "Example: steadfast start build")]
    Start(Start),
    /// Finish a phase: runs its checks, and completes it if they pass
    #[command(after_help = "Example: steadfast done build")]
    Done(Done),
    /// Record that a phase could not be achieved
    #[command(after_help = "Example: steadfast fail build --why \"the grammar is ambiguous\"")]
    Fail(Reason),
    /// Park a phase, so that what depends on it can go on
    #[command(after_help = "Example: steadfast skip docs --why \"the owner writes them\"")]
    Skip(Reason),
    /// Hand a phase off to a time, a file or a person, so that the run may stop
    #[command(
        after_help = "Example: steadfast wait deploy --file out/report.csv --for 6h\nExample: steadfast wait deploy --human \"Which region?\""
    )]
    Wait(Wait),
    /// Make ready what need not wait any longer, in all plans; exit code 1 where nothing woke
    #[command(after_help = "Example: steadfast wake")]
    Wake,
    /// Check off a step of a phase
    #[command(after_help = "Example: steadfast step 2\nExample: steadfast step build 2")]
    Step(Step),
    /// Run the checks of a phase and record the proof
    #[command(after_help = "Example: steadfast check build\nExample: steadfast check --all")]
    Check(Check),
    /// Record that a side effect happened, once
    #[command(after_help = "Example: steadfast receipt deploy --ref https://ci.example.org/runs/7")]
    Receipt(Receipt),
    /// Open a finished phase again
    #[command(after_help = "Example: steadfast reopen build --why \"it fails on the other machine\"")]
    Reopen(Reason),
    /// Approve what a phase came to, where the plan asks for a person
    #[command(after_help = "Example: steadfast approve design")]
    Approve(Approve),
    /// Write a line into the ledger
    #[command(
        after_help = "Example: steadfast log decision \"tables instead of recursion\" --files src/table.rs\nExample: steadfast log handoff --status needs_input \"which tables stay?\"\nExample: steadfast log --verify"
    )]
    Log(Log),
    /// Keep a change of the plan for the person who decides
    #[command(
        after_help = "Example: steadfast propose --why \"tables are out of scope\"\nExample: steadfast propose new-plan.md --why \"tables are out of scope\""
    )]
    Propose(Propose),
    /// Choose the plan in use, or the order in which plans are worked on
    #[command(
        name = "use",
        after_help = "Example: steadfast use 2026-03-01-replace-the-parser\nExample: steadfast use --rank 2026-03-02-write-the-manual 2026-03-01-replace-the-parser"
    )]
    Use(Use),
    /// List the plans of this project
    #[command(after_help = "Example: steadfast plans")]
    Plans,
    /// List what is approved on this machine, or remove approvals of plans that are gone
    #[command(after_help = "Example: steadfast approvals\nExample: steadfast approvals --prune")]
    Approvals(Approvals),
    /// Show which session is bound to which plan, and whether it lives, or forget those nobody comes back to
    #[command(after_help = "Example: steadfast sessions\nExample: steadfast sessions --prune")]
    Sessions(Sessions),
    /// Attach this session to the plan, or let the next session attach
    #[command(after_help = "Example: steadfast attach")]
    Attach,
    /// Start a host that is attached to the plan
    #[command(after_help = "Example: steadfast run claude -p \"continue\"")]
    Run(Run),
    /// Let every stop go until resumed
    #[command(after_help = "Example: steadfast pause")]
    Pause,
    /// Go on after a pause
    #[command(after_help = "Example: steadfast resume")]
    Resume,
    /// Take the gate off this plan
    #[command(after_help = "Example: steadfast release")]
    Release,
    /// Write the approved plan and its recorded statuses back to the plan file
    #[command(after_help = "Example: steadfast restore")]
    Restore,
    /// Look for what is wrong, and say what to do
    #[command(after_help = "Example: steadfast doctor")]
    Doctor,
    /// List the hosts and what each lets a hook do
    #[command(after_help = "Example: steadfast hosts")]
    Hosts,
    /// Write the hooks into a host's settings
    #[command(after_help = "Example: steadfast install claude-code --project")]
    Install(Install),
    /// Take the hooks out of a host's settings again
    #[command(after_help = "Example: steadfast uninstall claude-code --project")]
    Uninstall(Uninstall),
    /// Show a whole gated run, with nothing installed
    #[command(after_help = "Example: steadfast try")]
    Try,
    /// Make a plan of another tool's file
    #[command(
        after_help = "Example: steadfast import --gated .taskmaster/tasks/tasks.json\nExample: steadfast import --dry-run specs/001-login/tasks.md"
    )]
    Import(Import),
    /// Tell how a run went and what it needs
    #[command(after_help = "Example: steadfast report\nExample: steadfast report --json")]
    Report,
    /// Print the plan and its history for other programs
    #[command(after_help = "Example: steadfast export --format csv")]
    Export(Export),
}

/// Which first plan is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// Survey, build, verify
    #[default]
    Default,
    /// A question answered with data
    Analytics,
    /// Reproduce, find, mend
    Bugfix,
    /// From an old system to a new one
    Migration,
}

/// `init`
#[derive(Args, Debug)]
pub struct Init {
    /// The task, in a few words
    #[arg(value_name = "TASK")]
    pub task: Vec<String>,
    /// Hold a premature stop
    #[arg(long)]
    pub gated: bool,
    /// A long run without a gate
    #[arg(long, conflicts_with = "gated")]
    pub autonomous: bool,
    /// Start from a finished plan and approve it
    #[arg(long, value_name = "FILE")]
    pub from: Option<std::path::PathBuf>,
    /// Which first plan to write
    #[arg(long, value_enum, default_value_t, conflicts_with = "from")]
    pub template: Template,
    /// Hold again where the host says that it is already going on because of a hold
    #[arg(long, conflicts_with = "no_hold")]
    pub hold: bool,
    /// Never hold again in that case
    #[arg(long)]
    pub no_hold: bool,
}

/// `attest`
#[derive(Args, Debug)]
#[group(multiple = false)]
pub struct Attest {
    /// Show what is approved
    #[arg(long)]
    pub show: bool,
    /// Show how the plan differs from what is approved
    #[arg(long)]
    pub diff: bool,
    /// Show who approved what when, and what each version changed
    #[arg(long)]
    pub log: bool,
    /// Take the approval back: nothing of the plan is in force until a person approves it again
    #[arg(long)]
    pub revoke: bool,
    /// Approve a proposal, by its number
    #[arg(long, value_name = "N", conflicts_with_all = ["show", "diff"])]
    pub proposal: Option<u32>,
}

/// `propose`
#[derive(Args, Debug)]
pub struct Propose {
    /// A whole plan as it should become, `-` for standard input; the plan file as it stands where it is left out
    #[arg(value_name = "FILE")]
    pub file: Option<std::path::PathBuf>,
    /// Why
    #[arg(long, value_name = "REASON")]
    pub why: String,
}

/// `start`
#[derive(Args, Debug)]
pub struct Start {
    /// Id or number of the phase; the next one where it is left out
    pub phase: Option<String>,
    /// Although another phase is in progress
    #[arg(long)]
    pub also: bool,
    /// Run its check first: one that passes before the work says nothing about the work
    #[arg(long)]
    pub baseline: bool,
}

/// `done`
#[derive(Args, Debug)]
pub struct Done {
    /// Id or number of the phase; the current one where it is left out
    pub phase: Option<String>,
    /// Although steps are open
    #[arg(long, requires = "why")]
    pub anyway: bool,
    /// Why
    #[arg(long, value_name = "REASON")]
    pub why: Option<String>,
}

/// A phase and a reason.
#[derive(Args, Debug)]
pub struct Reason {
    /// Id or number of the phase; the current one where it is left out
    pub phase: Option<String>,
    /// Why
    #[arg(long, value_name = "REASON")]
    pub why: String,
}

/// `step`
#[derive(Args, Debug)]
pub struct Step {
    /// The phase, then number or beginning of the step; the current phase and its first open step where they are left out
    #[arg(value_name = "[PHASE] STEP", num_args = 0..=2)]
    pub words: Vec<String>,
    /// Open it again
    #[arg(long, conflicts_with = "drop")]
    pub undo: bool,
    /// Drop it
    #[arg(long, requires = "why")]
    pub drop: bool,
    /// Why it is dropped
    #[arg(long, value_name = "REASON")]
    pub why: Option<String>,
}

/// `check`
#[derive(Args, Debug)]
pub struct Check {
    /// Id or number of the phase; the current one where it is left out
    pub phase: Option<String>,
    /// All phases
    #[arg(long, conflicts_with = "phase")]
    pub all: bool,
    /// The most a command may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub timeout: u64,
    /// Run it again although nothing changed since it failed; three times at most
    #[arg(long)]
    pub again: bool,
    /// Ask nothing: commands that no person approved are refused
    #[arg(long)]
    pub yes: bool,
}

/// `wait`
#[derive(Args, Debug)]
pub struct Wait {
    /// Id or number of the phase; the current one where it is left out
    pub phase: Option<String>,
    /// Until this time: 2026-03-05T09:00Z, or with an offset
    #[arg(long, value_name = "TIME", conflicts_with = "duration")]
    pub until: Option<String>,
    /// For this long: 30m, 2h, 1h30m
    #[arg(long = "for", value_name = "DURATION")]
    pub duration: Option<String>,
    /// Until this file beneath the project root is there
    #[arg(long, value_name = "PATH", conflicts_with = "human")]
    pub file: Option<String>,
    /// Until the user answers
    #[arg(long, value_name = "QUESTION")]
    pub human: Option<String>,
    /// Why
    #[arg(long, value_name = "REASON")]
    pub why: Option<String>,
}

/// `receipt`
#[derive(Args, Debug)]
pub struct Receipt {
    /// The key, as the plan names it
    pub key: String,
    /// Where it can be seen: a URL, a number
    #[arg(long = "ref", value_name = "REF")]
    pub reference: String,
}

/// `approve`
#[derive(Args, Debug)]
pub struct Approve {
    /// Id or number of the phase; the current one where it is left out
    pub phase: Option<String>,
}

/// `log`
#[derive(Args, Debug)]
pub struct Log {
    /// progress, note, error, decision or handoff
    #[arg(value_name = "EVENT", required_unless_present = "verify")]
    pub event: Option<String>,
    /// One line
    #[arg(required_unless_present = "verify")]
    pub summary: Option<String>,
    /// Say of each ledger whether it is whole: chain, ticks, JSON
    #[arg(long, conflicts_with_all = ["event", "summary", "agent", "phase", "status", "files"])]
    pub verify: bool,
    /// Whose ledger
    #[arg(long)]
    pub agent: Option<String>,
    /// The phase it belongs to
    #[arg(long)]
    pub phase: Option<String>,
    /// Of a handoff, how far the work is
    #[arg(long, value_name = "STATUS", value_parser = clap::builder::PossibleValuesParser::new(crate::core::ledger::HANDOFFS))]
    pub status: Option<String>,
    /// Files it is about, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub files: Vec<String>,
}

/// `use`
#[derive(Args, Debug)]
pub struct Use {
    /// Id of the plan; with --rank, ids in the order of work
    #[arg(value_name = "ID", required_unless_present = "rank")]
    pub ids: Vec<String>,
    /// Set the order of work; an agent proposes one, which the person confirms. Without ids it is shown
    #[arg(long)]
    pub rank: bool,
}

/// `next`
#[derive(Args, Debug)]
pub struct Next {
    /// Of all unfinished plans of this project
    #[arg(long)]
    pub all: bool,
}

/// `approvals`
#[derive(Args, Debug)]
pub struct Approvals {
    /// Remove the approvals of plans whose directory is gone from a project that is still there
    #[arg(long)]
    pub prune: bool,
}

/// `sessions`
#[derive(Args, Debug)]
pub struct Sessions {
    /// Forget sessions whose host is gone and whose plan counts on another one
    #[arg(long)]
    pub prune: bool,
}

/// `run`
#[derive(Args, Debug)]
pub struct Run {
    /// The host's program, such as `claude`
    pub host: String,
    /// Arguments for it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<String>,
}

/// `install`
#[derive(Args, Debug)]
pub struct Install {
    /// The host
    #[arg(value_name = "HOST")]
    pub host: String,
    /// In your own settings, for all projects
    #[arg(long, conflicts_with = "project")]
    pub user: bool,
    /// In the settings of this project, for everybody who has it
    #[arg(long)]
    pub project: bool,
    /// In the settings of this project, for you alone
    #[arg(long, conflicts_with_all = ["user", "project"])]
    pub local: bool,
    /// Also write the permission rules, without asking
    #[arg(long)]
    pub yes: bool,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
}

/// `uninstall`
#[derive(Args, Debug)]
pub struct Uninstall {
    /// The host
    #[arg(value_name = "HOST")]
    pub host: String,
    /// From your own settings
    #[arg(long, conflicts_with = "project")]
    pub user: bool,
    /// From the settings of this project
    #[arg(long)]
    pub project: bool,
    /// From the settings of this project that are yours alone
    #[arg(long, conflicts_with_all = ["user", "project"])]
    pub local: bool,
}

/// `import`
#[derive(Args, Debug)]
pub struct Import {
    /// The file; for backlog and claude-tasks also a directory of them
    #[arg(value_name = "FILE")]
    pub file: std::path::PathBuf,
    /// The task, in a few words; as the file calls it where it is left out
    #[arg(value_name = "TASK")]
    pub task: Vec<String>,
    /// Whose format it is; found out where it is left out
    #[arg(long, value_name = "KIND", value_parser = clap::builder::PossibleValuesParser::new(crate::core::import::Kind::WORDS))]
    pub format: Option<String>,
    /// Which list of a task-master file
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// Only print the plan that would be made
    #[arg(long, visible_alias = "print")]
    pub dry_run: bool,
    /// Hold a premature stop
    #[arg(long)]
    pub gated: bool,
    /// A long run without a gate
    #[arg(long, conflicts_with = "gated")]
    pub autonomous: bool,
    /// Hold again where the host says that it is already going on because of a hold
    #[arg(long, conflicts_with = "no_hold")]
    pub hold: bool,
    /// Never hold again in that case
    #[arg(long)]
    pub no_hold: bool,
}

/// In which form a plan is exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The plan, what is approved, and where each phase stands
    #[default]
    Json,
    /// All records of the ledgers, by tick, a line each
    Jsonl,
    /// A row a phase
    Csv,
    /// An unsigned in-toto statement over the artifacts and the contract
    InToto,
}

/// `export`
#[derive(Args, Debug)]
pub struct Export {
    /// The form
    #[arg(long, value_enum, default_value_t)]
    pub format: Form,
}
