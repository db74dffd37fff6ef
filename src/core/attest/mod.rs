//! From a leniently read plan to a contract, strictly: what is approved must be unmistakable to the person who reads it.

mod depends;
mod ids;
mod text;

pub use ids::missing_ids;
pub(crate) use ids::slug;

use std::collections::HashMap;

use crate::core::contract::{Contract, ContractPhase, GateOptions, Mode};
use crate::core::plan::{Phase, Plan, Problem};
use crate::core::plan_edit::is_id;
use crate::core::sorted::by_number;
use text::Text;

/// Longest title, step, path or other short text, in characters.
pub(crate) const SHORT: usize = 300;
/// Longest goal or command, in characters.
pub(crate) const LONG: usize = 1000;

/// Builds the contract of a plan. Every phase needs an id: write those of [`missing_ids`] into the file first.
///
/// # Errors
///
/// All that keeps the plan from being approved, in the order of lines.
pub fn build(plan: &Plan, mode: Mode, gate: GateOptions) -> Result<Contract, Vec<Problem>> {
    let mut text = Text { problems: plan.blockers.clone() };
    whole(plan, &mut text.problems);
    let goal = text.take("goal", &plan.goal, 0, LONG, true);
    unique_ids(plan, &mut text.problems);
    let mut phases: Vec<ContractPhase> = plan.phases.iter().map(|phase| content(phase, &mut text)).collect();
    depends::resolve(plan, &mut phases, &mut text.problems);
    let problems = text.problems;
    if problems.is_empty() {
        return Ok(Contract { v: 1, goal, mode, gate, phases });
    }
    Err(by_number(problems, |problem| problem.line as u64))
}

fn whole(plan: &Plan, problems: &mut Vec<Problem>) {
    let problem = |what: &str, fix: &str| Problem { line: 0, what: what.to_owned(), fix: fix.to_owned() };
    if plan.phases.is_empty() {
        problems
            .push(problem("the plan has no phases", "write headings such as `### Phase 1: Survey` below `## Phases`"));
    }
    if plan.ambiguous {
        problems.push(problem(
            "the phases can be read in several ways",
            "keep one list of phases, or move the old one below a heading `## Archived`",
        ));
    }
}

fn unique_ids(plan: &Plan, problems: &mut Vec<Problem>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for phase in &plan.phases {
        let (what, fix) = match phase.id.as_deref() {
            None => {
                ("the phase has no id".to_owned(), "put one at the end of the heading, such as `{#survey}`".to_owned())
            }
            Some(id) if !is_id(id) => {
                ("the id is not 1 to 64 of A-Z a-z 0-9 . _ -".to_owned(), "write an id such as `{#survey}`".to_owned())
            }
            Some(id) => match seen.insert(id, phase.line) {
                Some(first) => (
                    format!("the id `{id}` stands in line {first} already"),
                    "give each phase an id of its own".to_owned(),
                ),
                None => continue,
            },
        };
        problems.push(Problem { line: phase.line, what, fix });
    }
}

fn content(phase: &Phase, text: &mut Text) -> ContractPhase {
    let fields = &phase.fields;
    let line = phase.line;
    let mut all = |what: &str, list: &[String], most: usize| -> Vec<String> {
        list.iter().map(|item| text.take(what, item, line, most, false)).collect()
    };
    let checks = all("check", &fields.checks, LONG);
    let artifacts = all("artifact", &fields.artifacts, SHORT);
    let receipts = all("receipt", &fields.receipts, SHORT);
    let approvals = all("approval", &fields.approvals, SHORT);
    let waits_for = all("wait", &fields.waits_for, LONG);
    let tools = all("tool", &fields.tools, SHORT);
    for path in &artifacts {
        text.path(path, line);
    }
    ContractPhase {
        id: phase.id.clone().unwrap_or_default(),
        title: text.take("title", &phase.title, line, SHORT, true),
        steps: phase.steps.iter().map(|step| text.take("step", &step.text, step.line, SHORT, true)).collect(),
        depends_on: Vec::new(),
        checks,
        artifacts,
        receipts,
        approvals,
        waits_for,
        every: fields.every.as_deref().map(|every| text.take("cadence", every, line, SHORT, false)),
        tools,
    }
}

#[cfg(test)]
mod tests;
