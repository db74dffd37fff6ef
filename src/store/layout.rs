//! Every file and folder name, once.

/// The folder of plans in a project.
pub const PLANNING: &str = ".planning";
/// The plan people edit.
pub const PLAN: &str = "task_plan.md";
/// Notes on what was found out.
pub const FINDINGS: &str = "findings.md";
/// Notes on what was done.
pub const PROGRESS: &str = "progress.md";
/// Names the plan in use, in [`PLANNING`].
pub const POINTER: &str = ".active_plan";
/// In which order plans are worked on, in [`PLANNING`]: an id a line.
pub const PRIORITIES: &str = "priorities";
/// The order that an agent proposes, until a person confirms one.
pub const PROPOSED_PRIORITIES: &str = "priorities.proposed";
/// The most of such an order that is read, in bytes.
pub const MAX_PRIORITIES: u64 = 64 * 1024;
/// Mirror of the mode, in the format of planning-with-files v3.
pub const MODE: &str = ".mode";
/// The run state, and the lock of a plan.
pub const RUN: &str = ".run";
/// Mirror of the block counter, in the format of planning-with-files v3.
pub const BLOCKS: &str = ".stop_blocks";
/// Mirror of the approved digest, in `sha256sum -c` format.
pub const ATTESTATION: &str = ".attestation";
/// Output of checks, in a plan directory.
pub const PROOFS: &str = "proofs";
/// Proposals that wait for a person, and answered ones, in a plan directory.
pub const PROPOSALS: &str = "proposals";
/// What stood in the plan file before a proposal came into force.
pub const BEFORE_PROPOSAL: &str = "task_plan.md.before-proposal";
/// What git ignores in [`PLANNING`].
pub const IGNORE: &str = ".gitignore";
/// How git merges what is in [`PLANNING`].
pub const ATTRIBUTES: &str = ".gitattributes";
/// Its line: ledgers are only appended to, so both sides of a merge stay.
pub const ATTRIBUTES_LINE: &str = "ledger-*.jsonl merge=union";
/// The record of what is approved, in the state directory.
pub const HEAD: &str = "head.json";

/// The most of `task_plan.md` that is read, in bytes.
pub const MAX_PLAN: u64 = 1024 * 1024;
/// The most of a head that is read, in bytes.
pub const MAX_HEAD: u64 = 4 * 1024 * 1024;
/// The size of a session file and of most run states, in bytes. Longer run states take several.
pub const SLOT: usize = 4096;
/// The most a run state may take, in bytes.
pub const MAX_SLOT: usize = 16 * SLOT;

/// The mirror of version `n` of the contract.
pub fn contract(n: u64) -> String {
    format!("contract-v{n}.json")
}

/// What starts the name of a request file.
pub const REQUEST: &str = ".request.";

/// What the verbs of one session ask its next hook to do, in [`PLANNING`].
pub fn request(key: &str) -> String {
    format!("{REQUEST}{key}")
}

/// The ledger of one agent.
pub fn ledger(agent: &str) -> String {
    format!("ledger-{agent}.jsonl")
}

/// The content of `.planning/.gitignore`: machine files stay out of git, plans and ledgers go in.
pub const IGNORE_TEXT: &str = "# Machine files of steadfast: per checkout, never shared.\n.active_plan\n*/.run\n*/.stop_blocks\n.request.*\npriorities.proposed\n*/proofs/\n*.tmp\n";
