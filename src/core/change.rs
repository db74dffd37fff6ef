//! What an edit of the plan does to what was approved: an agent may extend its contract, and may not weaken it.

use crate::core::contract::{Contract, ContractPhase};

/// How a new contract stands to the approved one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Nothing differs.
    Same,
    /// Everything in the old one is still there, in order, unchanged, and nothing was added to a finished phase.
    Extends,
    /// Anything else.
    Weakens,
}

/// Compares two contracts. `finished` says of the id of an old phase whether it is done.
pub fn change(old: &Contract, new: &Contract, finished: &dyn Fn(&str) -> bool) -> Change {
    if old == new {
        return Change::Same;
    }
    let keeps = old.v == new.v
        && old.goal == new.goal
        && new.mode >= old.mode
        && hold(new) >= hold(old)
        && phases_kept(&old.phases, &new.phases, finished);
    if keeps { Change::Extends } else { Change::Weakens }
}

/// How much the gate holds: never, where nobody attends, always.
fn hold(contract: &Contract) -> u8 {
    match contract.gate.hold {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    }
}

fn phases_kept(old: &[ContractPhase], new: &[ContractPhase], finished: &dyn Fn(&str) -> bool) -> bool {
    let mut rest = new.iter();
    old.iter().all(|phase| {
        let found = rest.find(|other| other.id == phase.id);
        found.is_some_and(|found| phase == found || (phase_kept(phase, found) && !finished(&phase.id)))
    })
}

fn phase_kept(old: &ContractPhase, new: &ContractPhase) -> bool {
    old.title == new.title
        && old.depends_on == new.depends_on
        && old.waits_for == new.waits_for
        && old.every == new.every
        && (old.tools == new.tools || old.tools.is_empty())
        && within(&old.steps, &new.steps)
        && within(&old.checks, &new.checks)
        && within(&old.artifacts, &new.artifacts)
        && within(&old.receipts, &new.receipts)
        && within(&old.approvals, &new.approvals)
}

/// Whether all of `old` is in `new`, in order.
fn within(old: &[String], new: &[String]) -> bool {
    let mut rest = new.iter();
    old.iter().all(|text| rest.any(|other| other == text))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::contract::{GateOptions, Mode};

    fn phase(id: &str) -> ContractPhase {
        let text = |word: &str| vec![format!("{word} one"), format!("{word} two")];
        ContractPhase {
            id: id.to_owned(),
            title: format!("The {id}"),
            steps: text("step"),
            depends_on: vec![],
            checks: text("check"),
            artifacts: text("artifact"),
            receipts: text("receipt"),
            approvals: text("approval"),
            waits_for: text("wait"),
            every: Some("7d".to_owned()),
            tools: vec![],
        }
    }

    fn contract() -> Contract {
        let gate = GateOptions { hold: None };
        Contract {
            v: 1,
            goal: "Go".to_owned(),
            mode: Mode::Autonomous,
            gate,
            phases: vec![phase("a"), phase("b"), phase("done")],
        }
    }

    #[track_caller]
    fn is(right: Change, what: &str, edit: impl FnOnce(&mut Contract)) {
        let old = contract();
        let mut new = contract();
        edit(&mut new);
        assert_eq!(change(&old, &new, &|id| id == "done"), right, "{what}");
    }

    #[test]
    fn every_kind_of_change() {
        use Change::{Extends, Same, Weakens};
        is(Same, "nothing", |_| {});
        is(Weakens, "goal", |c| c.goal.push('!'));
        is(Weakens, "version", |c| c.v = 2);
        is(Extends, "mode raised", |c| c.mode = Mode::Gate);
        is(Weakens, "mode lowered", |c| c.mode = Mode::Plain);
        is(Weakens, "hold off", |c| c.gate.hold = Some(false));
        is(Extends, "hold on", |c| c.gate.hold = Some(true));
        is(Extends, "phase added last", |c| c.phases.push(phase("new")));
        is(Extends, "phase added first", |c| c.phases.insert(0, phase("new")));
        is(Weakens, "phase removed", |c| {
            c.phases.remove(1);
        });
        is(Weakens, "finished phase removed", |c| {
            c.phases.remove(2);
        });
        is(Weakens, "phases swapped", |c| c.phases.swap(0, 1));
        is(Weakens, "title reworded", |c| c.phases[0].title.push('!'));
        is(Weakens, "id changed", |c| c.phases[0].id.push('x'));
        is(Weakens, "dependency added", |c| c.phases[1].depends_on.push("a".to_owned()));
        is(Weakens, "wait added", |c| c.phases[1].waits_for.push("human x".to_owned()));
        is(Weakens, "wait removed", |c| {
            c.phases[1].waits_for.pop();
        });
        is(Weakens, "cadence changed", |c| c.phases[0].every = Some("1d".to_owned()));
        is(Weakens, "cadence removed", |c| c.phases[0].every = None);
        is(Extends, "tools set", |c| c.phases[0].tools.push("make".to_owned()));
        is(Weakens, "tools set on a finished phase", |c| c.phases[2].tools.push("make".to_owned()));
        is(Weakens, "a step removed, a phase added", |c| {
            c.phases[0].steps.pop();
            c.phases.push(phase("new"));
        });
        let lists: [fn(&mut ContractPhase) -> &mut Vec<String>; 5] =
            [|p| &mut p.steps, |p| &mut p.checks, |p| &mut p.artifacts, |p| &mut p.receipts, |p| &mut p.approvals];
        for list in lists {
            is(Extends, "added last", |c| list(&mut c.phases[0]).push("new".to_owned()));
            is(Extends, "added between", |c| list(&mut c.phases[0]).insert(1, "new".to_owned()));
            is(Weakens, "added to a finished phase", |c| list(&mut c.phases[2]).push("new".to_owned()));
            is(Weakens, "removed", |c| {
                list(&mut c.phases[0]).remove(0);
            });
            is(Weakens, "reordered", |c| list(&mut c.phases[0]).swap(0, 1));
            is(Weakens, "reworded", |c| list(&mut c.phases[0])[0].push('!'));
        }
    }

    #[test]
    fn a_restriction_of_tools_stays() {
        let mut old = contract();
        old.phases[0].tools = vec!["make".to_owned()];
        let mut new = old.clone();
        new.phases[0].tools.push("cc".to_owned());
        assert_eq!(change(&old, &new, &|_| false), Change::Weakens);
        new.phases[0].tools.clear();
        assert_eq!(change(&old, &new, &|_| false), Change::Weakens);
        old.gate.hold = Some(true);
        let unset = contract();
        assert_eq!(change(&old, &unset, &|_| false), Change::Weakens);
    }

    /// Any small contract with unique ids.
    pub(crate) fn any_contract() -> impl Strategy<Value = Contract> {
        let list = || prop::collection::vec("[a-c]{1,2}", 0..3);
        let lists = (list(), list(), list(), list(), list(), list(), list());
        let phase = ("[a-c]{1,3}", lists, prop::option::of("[1-9]d")).prop_map(|(title, lists, every)| {
            let (steps, checks, artifacts, receipts, approvals, waits_for, tools) = lists;
            let (id, depends_on) = (String::new(), vec![]);
            ContractPhase {
                id,
                title,
                steps,
                depends_on,
                checks,
                artifacts,
                receipts,
                approvals,
                waits_for,
                every,
                tools,
            }
        });
        let mode = prop_oneof![Just(Mode::Plain), Just(Mode::Autonomous), Just(Mode::Gate)];
        let phases = prop::collection::vec(phase, 1..5).prop_map(|mut phases| {
            for (index, phase) in phases.iter_mut().enumerate() {
                phase.id = format!("p{index}");
            }
            phases
        });
        ("[a-c]{1,3}", mode, prop::option::of(any::<bool>()), phases).prop_map(|(goal, mode, hold, phases)| Contract {
            v: 1,
            goal,
            mode,
            gate: GateOptions { hold },
            phases,
        })
    }

    /// The list of a phase with this number; the last two are dependencies and waits.
    fn list(phase: &mut ContractPhase, which: usize) -> &mut Vec<String> {
        match which {
            0 => &mut phase.steps,
            1 => &mut phase.checks,
            2 => &mut phase.artifacts,
            3 => &mut phase.receipts,
            4 => &mut phase.approvals,
            5 => &mut phase.tools,
            6 => &mut phase.depends_on,
            _ => &mut phase.waits_for,
        }
    }

    proptest! {
        #[test]
        fn equal_is_same(contract in any_contract(), done in any::<bool>()) {
            prop_assert_eq!(change(&contract, &contract.clone(), &|_| done), Change::Same);
        }

        #[test]
        fn removing_weakens(old in any_contract(), at in any::<prop::sample::Index>(), which in 0..9_usize, done in any::<bool>()) {
            let mut new = old.clone();
            let index = at.index(new.phases.len());
            if which == 8 {
                new.phases.remove(index);
            } else {
                let list = list(&mut new.phases[index], which);
                prop_assume!(!list.is_empty());
                list.remove(at.index(list.len()));
            }
            prop_assert_eq!(change(&old, &new, &|_| done), Change::Weakens);
        }

        #[test]
        fn adding_extends_an_unfinished_phase(
            old in any_contract(),
            at in any::<prop::sample::Index>(),
            which in 0..9_usize,
            done in any::<bool>(),
        ) {
            let mut new = old.clone();
            let index = at.index(new.phases.len());
            let mut right = if done { Change::Weakens } else { Change::Extends };
            if which == 8 {
                let phase = ContractPhase { id: "new".to_owned(), ..ContractPhase::default() };
                new.phases.insert(at.index(old.phases.len() + 1), phase);
                right = Change::Extends;
            } else {
                let list = list(&mut new.phases[index], which);
                if which > 5 || (which == 5 && !list.is_empty()) {
                    right = Change::Weakens;
                }
                list.insert(at.index(list.len() + 1), "new".to_owned());
            }
            prop_assert_eq!(change(&old, &new, &|_| done), right);
        }

        #[test]
        fn what_extends_is_not_undone_by_extending(a in any_contract(), b in any_contract()) {
            if change(&a, &b, &|_| false) == Change::Extends {
                prop_assert_eq!(change(&b, &a, &|_| false), Change::Weakens);
            }
        }
    }
}
