//! What a proof is worth, and what a new outcome makes of it.

use crate::core::contract::ContractPhase;
use crate::core::plan::Status;
use crate::core::run::{PhaseRun, Proof};

/// How often a failed check may be run again on an unchanged tree.
pub const AGAIN: u32 = 3;
/// After so many failures of one kind on one tree another try of the same is pointless.
pub const ALIKE: u32 = 3;

/// What `done` has to do about a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The commands have to be run.
    Run,
    /// It passed, and nothing changed since.
    Nothing,
    /// A command failed, and nothing changed since.
    Change,
}

/// How the conditions of a phase came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// [`Proof::Passed`], [`Proof::Failed`] or [`Proof::Interrupted`].
    pub proof: Proof,
    /// Exit code of the last command; `None` where none was run.
    pub exit: Option<i32>,
    /// The working tree it was made on, first 8 hex; empty where nobody looked.
    pub tree: String,
    /// That tree is another one than before the commands began.
    pub moved: bool,
    /// The ledger tick before its commands began.
    pub tick: u64,
    /// It was run again although nothing had changed.
    pub again: bool,
}

/// What a recorded proof is worth now. `tree`: the working tree as it is, where somebody looked.
pub fn need(run: &PhaseRun, phase: &ContractPhase, tree: Option<&str>, edit_tick: u64) -> Need {
    if run.begun || run.blind || run.checks != phase.proof_tag() {
        return Need::Run;
    }
    // An edit that was seen counts although the tree looks the same: git may ignore what was edited.
    if run.proof_tick < edit_tick {
        return Need::Run;
    }
    let same = tree.filter(|_| !run.tree.is_empty()).map(|tree| tree == run.tree);
    match run.proof {
        Proof::Passed if same.unwrap_or(true) && !run.moved => Need::Nothing,
        // What git ignores may have changed: only where a command itself said no is it pointless to ask again.
        Proof::Failed if same == Some(true) && run.exit.is_some_and(|exit| exit != 0) => Need::Change,
        _ => Need::Run,
    }
}

/// Whether a proof that passed stands for another working tree than this; where nobody looked at one, whether something was done
/// since.
pub fn is_stale(run: &PhaseRun, tree: Option<&str>, edit_tick: u64) -> bool {
    let changed = if run.tree.is_empty() {
        run.blind || run.proof_tick < edit_tick
    } else {
        tree.is_some_and(|tree| tree != run.tree)
    };
    run.proof == Proof::Passed && changed
}

/// A shell ran something that is no check: what its session was seen to pass before may hold no longer. A phase that is complete
/// stays so. Whether anything changed by it.
pub fn unsee(run: &mut PhaseRun) -> bool {
    let open = run.status != Some(Status::Complete);
    let seen = open && ((run.proof == Proof::Passed && run.tree.is_empty() && !run.blind) || run.seen != 0);
    if seen {
        run.blind |= run.proof == Proof::Passed && run.tree.is_empty();
        run.seen = 0;
    }
    seen
}

/// Takes an outcome into what is recorded of a phase.
pub fn take(run: &mut PhaseRun, phase: &ContractPhase, outcome: &Outcome) {
    let tag = phase.proof_tag();
    let same_tree = !outcome.tree.is_empty() && outcome.tree == run.tree && run.checks == tag;
    let failed_here = same_tree && run.proof == Proof::Failed;
    if !same_tree {
        (run.alike, run.again, run.flaky) = (0, 0, 0);
    }
    match outcome.proof {
        Proof::Passed => {
            // The same tree failed and passes: what changed lies elsewhere, or the check cannot be relied upon.
            if outcome.again && failed_here {
                run.again += 1;
                run.flaky = run.again;
            }
            run.alike = 0;
        }
        Proof::Failed => {
            let alike = failed_here && run.exit == outcome.exit;
            run.alike = if alike { run.alike.saturating_add(1) } else { 1 };
            run.again += u32::from(outcome.again && failed_here);
            run.flaky = 0;
            run.red = true;
        }
        Proof::Interrupted | Proof::None => {}
    }
    run.proof = outcome.proof;
    run.exit = outcome.exit;
    run.tries = run.tries.saturating_add(1);
    run.proof_tick = outcome.tick;
    run.tree.clone_from(&outcome.tree);
    run.moved = outcome.moved;
    run.checks = tag;
    run.seen = 0;
    run.begun = false;
    run.blind = false;
}

/// What is said beside the word of a proof: `flaky 1/3`, `files changed while it ran`, `green, never red`.
pub fn remark(run: &PhaseRun) -> Option<String> {
    match run.proof {
        Proof::Passed if run.flaky > 0 => Some(format!("flaky {}/{AGAIN}", run.flaky)),
        Proof::Passed if run.moved => Some("files changed while it ran".to_owned()),
        Proof::Passed if !run.red => Some("green, never red".to_owned()),
        _ => None,
    }
}

/// The attached session's own shell ran a command of this phase, in the project root: `Some` where that settles the proof.
pub fn observe(run: &mut PhaseRun, phase: &ContractPhase, command: &str, exit: i32, tick: u64) -> Option<Outcome> {
    let at = phase.checks.iter().position(|check| check == command).filter(|at| *at < 32)?;
    if exit != 0 {
        return Some(Outcome { proof: Proof::Failed, exit: Some(exit), tick, ..Outcome::default() });
    }
    if run.seen == 0 {
        run.seen_tick = tick;
    }
    run.seen |= 1 << at;
    let all = phase.checks.len() <= 32 && run.seen.count_ones() as usize == phase.checks.len();
    let only = phase.artifacts.is_empty() && phase.receipts.is_empty() && phase.approvals.is_empty();
    (all && only).then(|| Outcome { proof: Proof::Passed, exit: Some(0), tick: run.seen_tick, ..Outcome::default() })
}

/// Whether the command with this index was seen to pass since the last recorded edit, so that nobody needs to run it again.
pub fn was_seen(run: &PhaseRun, index: usize, edit_tick: u64) -> bool {
    index < 32 && run.seen & (1 << index) != 0 && run.seen_tick >= edit_tick
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase() -> ContractPhase {
        ContractPhase { checks: vec!["make".into(), "make test".into()], ..ContractPhase::default() }
    }

    fn outcome(proof: Proof, exit: i32, tree: &str) -> Outcome {
        Outcome { proof, exit: Some(exit), tree: tree.into(), tick: 10, ..Outcome::default() }
    }

    fn after(outcomes: &[Outcome]) -> PhaseRun {
        let mut run = PhaseRun::default();
        for outcome in outcomes {
            take(&mut run, &phase(), outcome);
        }
        run
    }

    #[test]
    fn what_a_proof_is_worth() {
        use Proof::{Failed, Interrupted, Passed};
        for (run, tree, edit, right) in [
            (PhaseRun::default(), Some("t"), 0, Need::Run),
            (after(&[outcome(Passed, 0, "t")]), Some("t"), 10, Need::Nothing),
            (after(&[outcome(Passed, 0, "t")]), Some("t"), 11, Need::Run),
            (after(&[Outcome { moved: true, ..outcome(Passed, 0, "t") }]), Some("t"), 10, Need::Run),
            (after(&[outcome(Passed, 0, "t")]), Some("u"), 0, Need::Run),
            (after(&[outcome(Passed, 0, "t")]), None, 10, Need::Nothing),
            (after(&[outcome(Passed, 0, "t")]), None, 11, Need::Run),
            (after(&[outcome(Passed, 0, "")]), Some("t"), 10, Need::Nothing),
            (after(&[outcome(Passed, 0, "")]), Some("t"), 11, Need::Run),
            (after(&[outcome(Failed, 1, "t")]), Some("t"), 10, Need::Change),
            (after(&[outcome(Failed, 1, "t")]), Some("t"), 11, Need::Run),
            (after(&[outcome(Failed, 1, "t")]), Some("u"), 0, Need::Run),
            (after(&[outcome(Failed, 1, "")]), Some("t"), 0, Need::Run),
            (after(&[outcome(Failed, 0, "t")]), Some("t"), 0, Need::Run),
            (after(&[outcome(Interrupted, 130, "t")]), Some("t"), 0, Need::Run),
        ] {
            assert_eq!(need(&run, &phase(), tree, edit), right, "{run:?} {tree:?} {edit}");
            let other = ContractPhase { checks: vec!["make all".into()], ..phase() };
            assert_eq!(need(&run, &other, tree, edit), Need::Run, "another check: {run:?}");
        }
    }

    #[test]
    fn failures_alike_are_counted_on_one_tree() {
        use Proof::{Failed, Passed};
        let counts = |list: &[(Proof, i32, &str)]| {
            after(&list.iter().map(|(p, x, t)| outcome(*p, *x, t)).collect::<Vec<_>>()).alike
        };
        assert_eq!(counts(&[(Failed, 1, "t"), (Failed, 1, "t"), (Failed, 1, "t")]), 3);
        assert_eq!(counts(&[(Failed, 1, "t"), (Failed, 2, "t")]), 1);
        assert_eq!(counts(&[(Failed, 1, "t"), (Failed, 1, "u")]), 1);
        assert_eq!(counts(&[(Failed, 1, ""), (Failed, 1, "")]), 1, "nobody looked at the tree");
        assert_eq!(counts(&[(Failed, 1, "t"), (Passed, 0, "t"), (Failed, 1, "t")]), 1);
    }

    #[test]
    fn a_pass_on_the_tree_that_failed_is_flaky_and_a_pass_that_never_failed_is_named() {
        use Proof::{Failed, Passed};
        let again = |mut o: Outcome| {
            o.again = true;
            o
        };
        let fail = || outcome(Failed, 1, "t");
        let pass = || outcome(Passed, 0, "t");
        for (list, right) in [
            (vec![pass()], Some("green, never red")),
            (vec![fail(), outcome(Passed, 0, "u")], None),
            (vec![fail(), again(pass())], Some("flaky 1/3")),
            (vec![fail(), again(fail()), again(pass())], Some("flaky 2/3")),
            (vec![fail(), again(fail()), again(fail()), again(pass())], Some("flaky 3/3")),
            (vec![fail(), again(pass()), outcome(Passed, 0, "u")], None),
            (vec![fail()], None),
            (vec![fail(), Outcome { moved: true, ..pass() }], Some("files changed while it ran")),
            (vec![fail(), Outcome { moved: true, ..outcome(Passed, 0, "u") }, outcome(Passed, 0, "u")], None),
        ] {
            assert_eq!(remark(&after(&list)).as_deref(), right, "{list:?}");
        }
        assert_eq!(after(&[fail(), again(fail()), again(fail())]).again, 2);
        assert_eq!(after(&[fail(), again(fail()), outcome(Failed, 1, "u")]).again, 0);
    }

    #[test]
    fn what_the_agents_own_shell_ran_counts_when_all_of_it_passed() {
        let mut run = PhaseRun::default();
        assert_eq!(observe(&mut run, &phase(), "make", 0, 5), None);
        assert_eq!(observe(&mut run, &phase(), "make ", 0, 6), None, "not the very command");
        assert!(was_seen(&run, 0, 5) && !was_seen(&run, 0, 6) && !was_seen(&run, 1, 0));
        let settled = observe(&mut run, &phase(), "make test", 0, 7).unwrap();
        assert_eq!((settled.proof, settled.tick), (Proof::Passed, 5), "as old as its oldest part");
        let failed = observe(&mut run, &phase(), "make test", 2, 8).unwrap();
        assert_eq!((failed.proof, failed.exit), (Proof::Failed, Some(2)));
        take(&mut run, &phase(), &failed);
        assert!(!was_seen(&run, 0, 0));
        let more = ContractPhase { artifacts: vec!["out".into()], ..phase() };
        let mut run = PhaseRun::default();
        for command in ["make", "make test"] {
            assert_eq!(observe(&mut run, &more, command, 0, 5), None, "the artifact is looked at by `done`");
        }
        assert!(was_seen(&run, 0, 5) && was_seen(&run, 1, 5));
    }
}
