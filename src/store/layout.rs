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
/// What stood in the plan file before `restore`.
pub const BEFORE_RESTORE: &str = "task_plan.md.before-restore";

/// A folder for each plan, in the state directory.
pub const PLANS: &str = "plans";
/// The record of what is approved, in a plan's folder there.
pub const HEAD: &str = "head.json";
/// Digests of the working tree, in a plan's folder there.
pub const TREE: &str = "tree";
/// What was shown in a chat and waits for its code, in a plan's folder there.
pub const PENDING: &str = "pending.json";
/// Session files, in the state directory.
pub const SESSIONS: &str = "sessions";
/// When `wake` ran, in the state directory.
pub const WAKES: &str = "wake.json";

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

/// What is known of a file: a row of `docs/state.md`, in Markdown.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Where it lies. In angle brackets what differs from one to the next.
    pub path: &'static str,
    /// What it is for.
    pub what: &'static str,
    /// Who writes it.
    pub writer: &'static str,
    /// Under which lock.
    pub lock: &'static str,
    /// How, and whether it is on the disk when the writer ends.
    pub how: &'static str,
    /// What it means where it is missing or torn.
    pub broken: &'static str,
}

/// Every file in a project. `<id>` is a plan's directory in [`PLANNING`].
pub const IN_PROJECT: &[Entry] = &[
    Entry {
        path: "`.planning/.active_plan`",
        what: "id of the plan in use",
        writer: "`init`, `use`",
        lock: "none",
        how: "replaced",
        broken: "ignored: the only plan counts, of several none; `doctor` names it",
    },
    Entry {
        path: "`.planning/priorities`",
        what: "in which order the plans are worked on: an id a line, `#` begins a note; for people and git, written by hand too",
        writer: "`use --rank`, typed by a person",
        lock: "none",
        how: "replaced",
        broken: "no plan comes before another by it",
    },
    Entry {
        path: "`.planning/priorities.proposed`",
        what: "the order that an agent proposed",
        writer: "`use --rank` in an agent's shell; removed when a person confirms one",
        lock: "none",
        how: "replaced",
        broken: "nothing is proposed",
    },
    Entry {
        path: "`.planning/.gitignore`",
        what: "keeps machine files out of git",
        writer: "`init`, once",
        lock: "none",
        how: "created",
        broken: "machine files may be committed",
    },
    Entry {
        path: "`.planning/.gitattributes`",
        what: "tells git to keep both sides of a ledger in a merge (`merge=union`)",
        writer: "`init`, where the line is missing",
        lock: "none",
        how: "replaced",
        broken: "a merge of two histories leaves conflict markers in them, which are skipped",
    },
    Entry {
        path: "`.planning/.request.<session key>`",
        what: "what verbs of one session ask its next hook to do, where their shell cannot write the state directory: `attach`, `init`, `attest` with the digest they saw; JSON lines, at most 64 KiB, mode 600",
        writer: "those verbs; the hook removes it",
        lock: "its own",
        how: "appended",
        broken: "nothing was asked; a torn line is closed and skipped; an unreadable file is removed by the hook",
    },
    Entry {
        path: "`<id>/task_plan.md`",
        what: "the plan people and agents edit; read up to 1 MiB",
        writer: "everybody; verbs change single words in it",
        lock: "the plan's, among verbs and hooks; editors know none",
        how: "replaced, synced",
        broken: "the approved copy goes on, with the last recorded statuses",
    },
    Entry {
        path: "`<id>/findings.md`, `<id>/progress.md`",
        what: "notes; never read by the program",
        writer: "`init`, then people and agents",
        lock: "none",
        how: "created",
        broken: "nothing",
    },
    Entry {
        path: "`<id>/task_plan.md.before-restore`",
        what: "what stood in the plan file before `restore` wrote the approved plan back",
        writer: "`restore`",
        lock: "the plan's",
        how: "replaced, synced",
        broken: "nothing",
    },
    Entry {
        path: "`<id>/proposals/<n>.md`, `<n>.approved.md`, `<n>.rejected.md`",
        what: "plans proposed by `propose`, see [plan format](plan-format.md#proposals)",
        writer: "`propose`; renamed by an answer",
        lock: "the plan's",
        how: "created, never overwritten",
        broken: "no proposal; what cannot be approved is named by `status`",
    },
    Entry {
        path: "`<id>/task_plan.md.before-proposal`",
        what: "what stood in the plan file before an approved proposal took its place",
        writer: "`approve plan CODE`, `attest --proposal`",
        lock: "the plan's",
        how: "replaced, synced",
        broken: "nothing",
    },
    Entry {
        path: "`<id>/.run`",
        what: "run state and lock: tick, blocks, mark, owner, phases, ends of ledgers",
        writer: "hooks of the attached session, verbs",
        lock: "the plan's, which is this file's",
        how: "one write of 4,096 bytes (of several such slots, at most 65,536, for plans of many phases), with a checksum; not synced",
        broken: "nobody is held, and the user is told; the next verb that changes the plan rebuilds it from the ledgers, and proofs have to be shown again",
    },
    Entry {
        path: "`<id>/.stop_blocks`",
        what: "mirror of the block counter",
        writer: "hooks, verbs",
        lock: "the plan's",
        how: "rewritten in place; not synced",
        broken: "missing or empty: `.run` counts; unreadable: counts as full, so nobody is held",
    },
    Entry {
        path: "`<id>/ledger-<agent>.jsonl`",
        what: "history, see below",
        writer: "hooks, verbs",
        lock: "the plan's",
        how: "appended by one write; not synced",
        broken: "missing: begins anew, ticks go on; a torn end is closed by the next append; bad lines are skipped, counted by `doctor`, named by `log --verify`, never deleted",
    },
    Entry {
        path: "`<id>/contract-v<N>.json`",
        what: "mirror of an approved contract",
        writer: "every approval: `init --from`, `attest`, `release`, a hook",
        lock: "the plan's",
        how: "created, never overwritten",
        broken: "nothing: no decision reads it",
    },
    Entry {
        path: "`<id>/.attestation`",
        what: "digest of the newest mirror, for `sha256sum -c`",
        writer: "the same; a revocation removes it",
        lock: "the plan's",
        how: "replaced, synced",
        broken: "nothing, on the machine that approved",
    },
    Entry {
        path: "`<id>/.mode`",
        what: "`autonomous` or `autonomous gate`",
        writer: "`init`, `attest`, `release`",
        lock: "the plan's",
        how: "replaced, synced",
        broken: "nothing, on the machine that approved",
    },
    Entry {
        path: "`<id>/proofs/<phase>.log`",
        what: "the last 200 lines of each check's output, for the person; mode 600",
        writer: "`check`, `done`",
        lock: "none",
        how: "replaced",
        broken: "nothing",
    },
    Entry {
        path: "`.<name>.<pid>-<n>.tmp`",
        what: "a replace that was cut short, beside what it was to replace",
        writer: "whoever was killed",
        lock: "that of its target",
        how: "",
        broken: "nobody reads it; `doctor` names it, and the next verb but `log` takes it away once its process is gone",
    },
];

/// Every file in the state directory.
pub const IN_STATE: &[Entry] = &[
    Entry {
        path: "`plans/<sha256 of the plan's path>/head.json`",
        what: "what is approved: version, digest, mode, gate options, goal, contract bytes, digests of the commands a person approved, phases a person gave their word on, all approvals and revocations; mode 600",
        writer: "approvals and revocations, by verb or hook",
        lock: "the plan's",
        how: "replaced, synced",
        broken: "missing: nothing is approved; damaged, of another plan, by a newer version of the program, or with a digest that does not fit: nothing is injected, nobody is held, the user is told",
    },
    Entry {
        path: "`plans/<the same>/tree`",
        what: "digests of the project's files by size and time, so that a check need not read them all again; mode 600",
        writer: "`check`, `done`, `status`",
        lock: "none",
        how: "replaced",
        broken: "everything is read again",
    },
    Entry {
        path: "`plans/<the same>/pending.json`",
        what: "what `approve plan`, `approve phase` or `release plan` showed in the chat, its session and the version it was shown against; mode 600",
        writer: "the hook that showed it; removed by an answer",
        lock: "the plan's",
        how: "replaced",
        broken: "the code approves nothing: ask again",
    },
    Entry {
        path: "`wake.json`",
        what: "when `wake` ran the last two times; mode 600",
        writer: "`wake`",
        lock: "none",
        how: "replaced",
        broken: "nobody is known to wake what waits",
    },
    Entry {
        path: "`sessions/<32 hex>.json`",
        what: "what a session is bound to: plan, host process, holds this turn, mark at the last hold, last stop, last block, the hook that sleeps beside it; behind it a byte for each event that could not be recorded; mode 600",
        writer: "hooks of that session, verbs that attach",
        lock: "the plan's; the bytes behind it none",
        how: "one write of 4,096 bytes, with a checksum; those bytes appended; not synced",
        broken: "the session is not attached: nobody is held",
    },
];
