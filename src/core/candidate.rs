//! A plan file on its way to an approval: its ids written, and judged as strictly as an approval demands.

use crate::core::contract::{Contract, GateOptions, Mode};
use crate::core::plan::{Problem, Shape};
use crate::core::{attest, plan_edit, plan_read};

/// The most phases of an approved plan: what a run knows of each has to be at hand in every hook.
pub const MAX_PHASES: usize = 400;
/// Keys of the format that this version does not act on yet: approving one would promise what nobody does.
const UNSUPPORTED: [&str; 5] = ["Receipt", "Approval", "WaitsFor", "Every", "Tool"];
const HEADING: &str = "write each phase as a heading: ### Phase 1: Title";

/// The file with its ids written, and its contract.
///
/// # Errors
/// Every problem it has.
pub fn strict(bytes: &[u8], mode: Mode, gate: GateOptions) -> Result<(Vec<u8>, Contract), Vec<Problem>> {
    let whole = |what: String| vec![Problem { line: 0, what, fix: HEADING.to_owned() }];
    let bytes = with_ids(bytes).map_err(whole)?;
    let plan = plan_read::read(&bytes);
    if plan.shape == Shape::None {
        return Err(whole("no phase list was found".to_owned()));
    }
    if plan.phases.len() > MAX_PHASES {
        let what = format!("it has {} phases, and a plan has at most {MAX_PHASES}", plan.phases.len());
        return Err(vec![Problem { line: 0, what, fix: "split it into several plans".to_owned() }]);
    }
    let contract = attest::build(&plan, mode, gate)?;
    let problems = unsupported(&contract);
    if problems.is_empty() { Ok((bytes, contract)) } else { Err(problems) }
}

/// Writes missing ids into the headings, so that they survive a new plan.
///
/// # Errors
/// Why a place cannot be written.
pub fn with_ids(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = bytes.to_vec();
    for (index, id) in attest::missing_ids(&plan_read::read(&bytes)) {
        bytes = plan_edit::set_id(&bytes, &plan_read::read(&bytes), index, &id).map_err(|e| e.to_string())?;
    }
    Ok(bytes)
}

/// Whether this version acts on a contract key.
pub fn acts_on(key: &str) -> bool {
    !UNSUPPORTED.contains(&key)
}

fn unsupported(contract: &Contract) -> Vec<Problem> {
    let mut problems = Vec::new();
    for phase in &contract.phases {
        let fields = [
            ("Receipt", !phase.receipts.is_empty()),
            ("Approval", !phase.approvals.is_empty()),
            ("WaitsFor", !phase.waits_for.is_empty()),
            ("Every", phase.every.is_some()),
            ("Tool", !phase.tools.is_empty()),
        ];
        for (key, _) in fields.into_iter().filter(|(key, used)| *used && !acts_on(key)) {
            problems.push(Problem {
                line: 0,
                what: format!("phase `{}` has `{key}`, which this version does not act on", phase.id),
                fix: "take the line out, or write it as a note under another name".to_owned(),
            });
        }
    }
    problems
}
