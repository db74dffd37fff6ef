//! What an edit of the plan file would take from what is approved.

use crate::core::change::{Change, change};
use crate::core::contract::{Contract, GateOptions, Mode};
use crate::core::differences::{Difference, Part, differences};
use crate::core::plan::Status;
use crate::core::plan_read;
use crate::core::run::Run;
use crate::core::view::View;
use crate::core::{candidate, notes};

/// What an edit is held against.
#[derive(Clone, Copy, Debug)]
pub struct Approved<'a> {
    /// The approved contract.
    pub contract: &'a Contract,
    /// The mode a new contract would get.
    pub mode: Mode,
    /// The gate options it would get.
    pub gate: GateOptions,
    /// The run state.
    pub run: &'a Run,
}

/// What is weaker in the new file than what is approved, and was not as weak in the old one. Empty where the edit passes: the
/// same, an extension, a way back towards what is approved, or nothing that can be judged.
///
/// Whether a phase is finished is asked of the new file, as the next hook will ask.
pub fn losses(approved: &Approved<'_>, old: &[u8], new: &[u8]) -> Vec<Difference> {
    let plan = plan_read::read(new);
    let view = View::new(approved.contract, Some(&plan), approved.run);
    let finished = |id: &str| view.phases.iter().any(|p| p.id == id && p.status == Status::Complete);
    let weaker = weaknesses(approved, &asked(approved, new, false), &finished);
    if weaker.is_empty() {
        return weaker;
    }
    let was = weaknesses(approved, &asked(approved, old, true), &finished);
    weaker.into_iter().filter(|loss| !was.iter().any(|known| covers(known, loss))).collect()
}

/// What a file asks for. Of one that cannot be approved, what can be told: which approved phases no longer stand in it, and which
/// steps, checks and artifacts of the others. With `goal`, that counts, too: of a file that is there, to know what is
/// lost already.
fn asked(approved: &Approved<'_>, bytes: &[u8], goal: bool) -> Contract {
    if let Ok((_, mut asked)) = candidate::strict(bytes, approved.mode, approved.gate) {
        notes::forget(&mut asked, approved.contract);
        return asked;
    }
    let plan = plan_read::read(bytes);
    // Of a list that is longer than any plan nobody makes up the ids.
    let named = if plan.phases.len() > candidate::MAX_PHASES { None } else { candidate::with_ids(bytes).ok() };
    let plan = named.map_or(plan, |named| plan_read::read(&named));
    let mut asked = approved.contract.clone();
    asked.phases.retain_mut(|phase| {
        let written = plan.phases.iter().find(|p| p.id.as_ref() == Some(&phase.id) && p.title == phase.title);
        if let Some(written) = written {
            phase.steps = written.steps.iter().map(|step| step.text.clone()).collect();
            phase.checks.clone_from(&written.fields.checks);
            phase.artifacts.clone_from(&written.fields.artifacts);
        }
        written.is_some()
    });
    if goal {
        asked.goal = plan.goal;
    }
    notes::forget(&mut asked, approved.contract);
    asked
}

fn weaknesses(approved: &Approved<'_>, asked: &Contract, finished: &dyn Fn(&str) -> bool) -> Vec<Difference> {
    let old = approved.contract;
    if change(old, asked, finished) != Change::Weakens {
        return Vec::new();
    }
    let parts = differences(old, asked).into_iter().flat_map(apart);
    parts.filter(|d| weakens(old, d, finished)).collect()
}

/// What was reworded is gone, and something else has come.
fn apart(difference: Difference) -> Vec<Difference> {
    match difference {
        Difference::Changed { phase, part, old, new } => {
            vec![
                Difference::Removed { phase: phase.clone(), part, text: old },
                Difference::Added { phase, part, text: new },
            ]
        }
        other => vec![other],
    }
}

/// Whether a difference is one that [`change`] does not allow.
fn weakens(old: &Contract, difference: &Difference, finished: &dyn Fn(&str) -> bool) -> bool {
    let known = |id: &str| old.phase(id);
    match difference {
        Difference::PhaseAdded { .. } => false,
        // A cadence of a new phase is part of it.
        Difference::Every { phase, .. } | Difference::DependsOn { phase, .. } => known(phase).is_some(),
        Difference::Added { phase, part, .. } => known(phase)
            .is_some_and(|p| finished(phase) || *part == Part::Wait || (*part == Part::Tool && !p.tools.is_empty())),
        Difference::Mode { old, new } => new < old,
        Difference::Hold { old, new } => *new == Some(false) || *old == Some(true),
        _ => true,
    }
}

/// Whether something that is lost already is at least as much as what would be lost.
fn covers(known: &Difference, loss: &Difference) -> bool {
    match (known, loss) {
        (Difference::PhasesReordered { .. }, Difference::PhasesReordered { .. }) => true,
        (Difference::PhaseRemoved { phase, .. }, Difference::PhasesReordered { new, .. }) => new.contains(phase),
        (Difference::PhaseRemoved { phase, .. }, loss) if loss.phase() == Some(phase.as_str()) => true,
        (Difference::Reordered { phase, part, .. }, Difference::Reordered { phase: other, part: another, .. }) => {
            phase == other && part == another
        }
        // Nothing is less than another goal.
        (Difference::Goal { new, .. }, Difference::Goal { .. }) if new.is_empty() => true,
        _ => known == loss,
    }
}

/// The title of an approved phase; its id where it has none.
pub(super) fn title<'a>(contract: &'a Contract, id: &'a str) -> &'a str {
    contract.phase(id).map_or(id, |p| p.title.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::attest;
    use crate::core::change::tests::any_contract;

    const PLAN: &str = "# Task Plan: Mill\n\n## Goal\nMove the mill.\n\n## Phases\n\n### Phase 1: Measure {#measure}\n\
        - [x] Wheel\n- **Status:** complete\n\n### Phase 2: Build {#build}\n- [ ] Frame\n- [ ] Roof\n\
        - **Status:** in_progress\n- **Check:** `make`\n\n### Phase 3: Open {#open}\n- **Status:** pending\n\
        - **DependsOn:** build\n";

    /// The losses of an edit from `old` to `new`, in words, against `PLAN`.
    fn lost(old: &str, new: &str) -> Vec<String> {
        let contract = attest::build(&plan_read::read(PLAN.as_bytes()), Mode::Gate, GateOptions::default()).unwrap();
        let run = Run::default();
        let approved = Approved { contract: &contract, mode: contract.mode, gate: contract.gate, run: &run };
        losses(&approved, old.as_bytes(), new.as_bytes()).iter().map(ToString::to_string).collect()
    }

    fn with(edits: &[(&str, &str)]) -> String {
        edits.iter().fold(PLAN.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        })
    }

    #[test]
    fn what_passes() {
        let phase = "\n### Phase 4: Feast {#feast}\n- [ ] Bake\n- **Status:** pending\n- **Check:** `true`\n";
        for (what, new) in [
            ("the same", PLAN.to_owned()),
            ("a status", with(&[("in_progress", "complete")])),
            ("a status of any word", with(&[("in_progress", "skipped")])),
            ("a box", with(&[("[ ] Frame", "[x] Frame")])),
            ("a note on a step", with(&[("[ ] Frame", "[x] Frame (in oak)")])),
            ("a note on a phase", with(&[("- [ ] Frame", "- **Owner:** me\n- [ ] Frame")])),
            ("a section of notes", with(&[("## Phases", "## Notes\nIt rains.\n\n## Phases")])),
            ("another title of the whole", with(&[("Task Plan: Mill", "Task Plan: The mill")])),
            ("ids left out where the titles make them", with(&[(" {#measure}", ""), (" {#build}", "")])),
            ("a phase more", PLAN.to_owned() + phase),
            ("a step more", with(&[("- [ ] Roof", "- [ ] Roof\n- [ ] Door")])),
            ("a check more", with(&[("- **Check:** `make`", "- **Check:** `make`\n- **Check:** `make test`")])),
            ("a phase between", with(&[("### Phase 3", &format!("{}\n### Phase 3", phase.trim_start()))])),
            ("a conflict marker, all still there", with(&[("## Phases", "<<<<<<< HEAD\n## Phases")])),
            ("a template's placeholder, all still there", PLAN.to_owned() + "\n### Phase 4: [Title]\n"),
        ] {
            assert_eq!(lost(PLAN, &new), [""; 0], "{what}\n{new}");
        }
    }

    #[test]
    fn what_is_lost() {
        let gone = |text: &str| PLAN.replacen(text, "", 1);
        for (new, right) in [
            (with(&[("Move", "Burn")]), "goal: Move the mill. -> Burn the mill."),
            (gone("- [ ] Roof\n"), "build: - step: Roof"),
            (with(&[("Roof", "Tent")]), "build: - step: Roof"),
            (gone("- **Check:** `make`\n"), "build: - check: make"),
            (with(&[("`make`", "`true`")]), "build: - check: make"),
            (with(&[("Phase 2: Build", "Phase 2: Think")]), "build: title: Build -> Think"),
            (
                with(&[("DependsOn:** build", "DependsOn:** build, measure")]),
                "open: depends on: build -> build, measure",
            ),
            (gone("- **DependsOn:** build\n"), "open: - depends on: build"),
            (with(&[("- [ ] Frame\n- [ ] Roof", "- [ ] Roof\n- [ ] Frame")]), "build: order of steps changed"),
            (with(&[("- [x] Wheel", "- [x] Wheel\n- [ ] Axle")]), "measure: + step: Axle"),
            (PLAN.split("\n### Phase 3").next().unwrap().to_owned(), "- phase open: Open"),
        ] {
            assert_eq!(lost(PLAN, &new), [right], "{new}");
        }
        let all = ["- phase measure: Measure", "- phase build: Build", "- phase open: Open"];
        for new in ["", " \n", "# Nothing here\n", "no plan at all"] {
            assert_eq!(lost(PLAN, new), all, "{new:?}");
        }
        // A placeholder keeps nobody from seeing what goes with it.
        let hidden = with(&[("- **Check:** `make`\n", "")]) + "\n### Phase 4: [Title]\n";
        assert_eq!(lost(PLAN, &hidden), ["build: - check: make"]);
        // What cannot be approved can still be seen to lack phases.
        let marked = format!("<<<<<<< HEAD\n{}", PLAN.split("\n### Phase 3").next().unwrap());
        assert_eq!(lost(PLAN, &marked), ["- phase open: Open"]);
        assert_eq!(lost(PLAN, &with(&[("Phase 2: Build", "<<<<<<< HEAD\n### Phase 2: Think")])).len(), 1);
    }

    #[test]
    fn a_way_back_passes_and_a_way_further_does_not() {
        let short = PLAN.split("\n### Phase 3").next().unwrap().replace("- [ ] Roof\n", "");
        assert_eq!(lost(&short, &short), [""; 0], "as weak as it is");
        assert_eq!(lost(&short, &short.replace("in_progress", "complete")), [""; 0], "a status in it");
        assert_eq!(lost(&short, &with(&[("- [ ] Roof\n", "")])), [""; 0], "the phase comes back");
        assert_eq!(lost(&short, PLAN.split("\n### Phase 3").next().unwrap()), [""; 0], "the step comes back");
        assert_eq!(lost(&short, PLAN), [""; 0], "all of it comes back");
        let bare = "\n### Phase 3: Open {#open}\n- **Status:** pending\n";
        assert_eq!(lost(&short, &(short.clone() + bare)), [""; 0], "half of a phase comes back");
        assert_eq!(lost(&short, &short.replace("Move", "Burn")), ["goal: Move the mill. -> Burn the mill."]);
        assert_eq!(lost(&short, &short.replace("- [ ] Frame\n", "")), ["build: - step: Frame"]);
        let unclear = format!("<<<<<<< HEAD\n{short}");
        assert_eq!(lost(&unclear, &short), [""; 0], "what keeps it from being read goes");
        assert_eq!(lost(&unclear, &with(&[("- [ ] Roof\n", "")])), [""; 0]);
        assert_eq!(lost(&unclear, &with(&[("- [ ] Frame\n", "")])), ["build: - step: Frame"]);
        assert_eq!(lost(&short, ""), ["- phase measure: Measure", "- phase build: Build"]);
        for empty in ["", "\n", "# Nothing\n"] {
            assert_eq!(lost(empty, &short), [""; 0], "after an empty file, some of it");
            assert_eq!(lost(empty, empty), [""; 0]);
        }
        let burnt = with(&[("Move", "Burn")]);
        assert_eq!(lost(&burnt, &with(&[("Move", "Sell")])), ["goal: Move the mill. -> Sell the mill."]);
    }

    proptest! {
        #[test]
        fn what_weakens_has_a_loss_to_name(old in any_contract(), new in any_contract(), done in any::<bool>(), near in any::<bool>(), at in any::<prop::sample::Index>()) {
            // Contracts that have most in common as well as any two.
            let new = if near {
                let mut near = old.clone();
                let index = at.index(near.phases.len());
                near.phases[index] = new.phases[at.index(new.phases.len())].clone();
                near.phases[index].id.clone_from(&old.phases[index].id);
                near
            } else {
                new
            };
            let run = Run::default();
            let approved = Approved { contract: &old, mode: old.mode, gate: old.gate, run: &run };
            let weak = weaknesses(&approved, &new, &|_| done);
            prop_assert_eq!(weak.is_empty(), change(&old, &new, &|_| done) != Change::Weakens);
        }
    }
}
