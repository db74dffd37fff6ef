//! stub
use crate::core::contract::{Contract, ContractPhase, GateOptions, Mode};
use crate::core::plan::{Plan, Problem};
pub fn build(p: &Plan, mode: Mode, gate: GateOptions) -> Result<Contract, Vec<Problem>> {
    let mut problems = p.problems.clone();
    let mut bad =
        |line: usize, what: &str| problems.push(Problem { line, what: what.to_owned(), fix: "change it".to_owned() });
    if p.goal.is_empty() {
        bad(0, "the goal is missing");
    }
    let mut ids = std::collections::BTreeSet::new();
    for ph in &p.phases {
        if !ids.insert(ph.id.clone()) {
            bad(ph.line, "duplicate id");
        }
        if ph.title.starts_with('[') {
            bad(ph.line, "placeholder");
        }
        for s in ph.steps.iter().map(|s| &s.text).chain([&ph.title]) {
            if s.chars().any(crate::core::text::is_hidden) {
                bad(ph.line, "hidden character");
            }
        }
        for a in &ph.fields.artifacts {
            if a.contains("..") {
                bad(ph.line, "outside");
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Contract {
        v: 1,
        goal: p.goal.clone(),
        mode,
        gate,
        phases: p
            .phases
            .iter()
            .map(|ph| ContractPhase {
                id: ph.id.clone().unwrap_or_default(),
                title: ph.title.clone(),
                steps: ph.steps.iter().map(|s| s.text.clone()).collect(),
                depends_on: ph.fields.depends_on.clone(),
                checks: ph.fields.checks.clone(),
                artifacts: ph.fields.artifacts.clone(),
                receipts: ph.fields.receipts.clone(),
                approvals: ph.fields.approvals.clone(),
                waits_for: ph.fields.waits_for.clone(),
                every: ph.fields.every.clone(),
                tools: ph.fields.tools.clone(),
            })
            .collect(),
    })
}
pub fn missing_ids(p: &Plan) -> Vec<(usize, String)> {
    p.phases
        .iter()
        .enumerate()
        .filter(|(_, p)| p.id.is_none())
        .map(|(i, p)| (i, p.title.to_lowercase().replace(' ', "-")))
        .collect()
}
