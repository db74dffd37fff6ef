//! A contract written out as a plan file, in the canonical form: how a lost or spoilt file comes back.

use std::fmt::Write;

use crate::core::contract::{Contract, ContractPhase};
use crate::core::plan::{Status, StepState};
use crate::core::view::PhaseView;

/// The plan file of a contract. `phases` are the effective states, in the order of the contract.
pub fn plan(contract: &Contract, phases: &[PhaseView]) -> String {
    let mut text = top(&contract.goal, &contract.goal);
    for (index, phase) in contract.phases.iter().enumerate() {
        let view = phases.iter().find(|p| p.id == phase.id);
        let status = view.map_or(Status::Pending, |v| v.status);
        let boxes: Vec<StepState> = (0..phase.steps.len())
            .map(|at| match view.and_then(|v| v.steps.get(at)).map_or(StepState::Open, |(_, state)| *state) {
                StepState::Open if status == Status::Complete => StepState::Done,
                state => state,
            })
            .collect();
        write(&mut text, index + 1, phase, status.word(), &boxes);
    }
    text
}

/// What stands above the phases.
pub(crate) fn top(title: &str, goal: &str) -> String {
    format!("# Task Plan: {title}\n\n## Goal\n{goal}\n\n## Phases\n")
}

/// A phase: `status` is its word, and a note behind it; `boxes` belong to its steps.
pub(crate) fn write(text: &mut String, number: usize, phase: &ContractPhase, status: &str, boxes: &[StepState]) {
    let mut line = |line: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    };
    line(format_args!("\n### Phase {number}: {} {{#{}}}", phase.title, phase.id));
    for (at, step) in phase.steps.iter().enumerate() {
        let mark = boxes.get(at).copied().unwrap_or(StepState::Open).mark();
        line(format_args!("- [{mark}] {step}"));
    }
    line(format_args!("- **Status:** {status}"));
    if !phase.depends_on.is_empty() {
        line(format_args!("- **DependsOn:** {}", phase.depends_on.join(", ")));
    }
    let lists = [
        ("Check", &phase.checks, true),
        ("Artifact", &phase.artifacts, false),
        ("Receipt", &phase.receipts, false),
        ("Approval", &phase.approvals, false),
        ("WaitsFor", &phase.waits_for, false),
        ("Tool", &phase.tools, false),
    ];
    for (key, values, code) in lists {
        for value in values {
            match (code, value.contains('`')) {
                (true, false) => line(format_args!("- **{key}:** `{value}`")),
                (true, true) => line(format_args!("- **{key}:** `` {value} ``")),
                (false, _) => line(format_args!("- **{key}:** {value}")),
            }
        }
    }
    if let Some(every) = &phase.every {
        line(format_args!("- **Every:** {every}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::contract::{GateOptions, Mode};
    use crate::core::run::Run;
    use crate::core::view::View;
    use crate::core::{attest, plan_read};

    const PLAN: &str = "# Task Plan: Mill\n\n## Goal\nMove the mill.\n\n## Phases\n\n### Phase 1: Measure {#measure}\n- [x] Wheel\n- [-] Race\n\
        - **Status:** complete\n\n### Phase 2: Build it {#build}\n- [ ] Wheel house\n- **Status:** in_progress\n- **DependsOn:** measure\n\
        - **Check:** `make -C mill`\n- **Check:** ``echo `date` ``\n- **Artifact:** out/mill.txt\n";

    #[test]
    fn what_is_written_is_read_as_the_same_contract_and_state() {
        let read = plan_read::read(PLAN.as_bytes());
        let contract = attest::build(&read, Mode::Gate, GateOptions::default()).unwrap();
        let view = View::new(&contract, Some(&read), &Run::default());
        let text = plan(&contract, &view.phases);
        let again = plan_read::read(text.as_bytes());
        assert_eq!(attest::build(&again, Mode::Gate, GateOptions::default()), Ok(contract.clone()), "{text}");
        assert_eq!(View::new(&contract, Some(&again), &Run::default()).phases, view.phases, "{text}");
    }
}
