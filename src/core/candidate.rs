//! A plan file on its way to an approval: its ids written, and judged as strictly as an approval demands.

use crate::core::change::{self, Change};
use crate::core::contract::{Contract, GateOptions, Mode};
use crate::core::differences::{self, Difference};
use crate::core::plan::{Problem, Shape, Status};
use crate::core::view::View;
use crate::core::wait::{self, Condition};
use crate::core::{attest, notes, plan_edit, plan_read, tools};

/// The most phases of an approved plan: what a run knows of each has to be at hand in every hook.
pub const MAX_PHASES: usize = 400;
const HEADING: &str = "write each phase as a heading: ### Phase 1: Title";

/// A plan file that could be approved, and how it stands to what is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The file, with its ids written.
    pub bytes: Vec<u8>,
    /// What it asks for, with the notes behind approved steps left out.
    pub contract: Contract,
    /// How that stands to what is approved. `None`: nothing is.
    pub change: Option<Change>,
}

impl Candidate {
    /// Judges a plan file against what is approved and how far that is.
    ///
    /// # Errors
    /// Every problem the file has.
    pub fn weigh(
        bytes: &[u8],
        mode: Mode,
        gate: GateOptions,
        approved: Option<&Contract>,
        view: &View,
    ) -> Result<Self, Vec<Problem>> {
        let (bytes, mut contract) = strict(bytes, mode, gate)?;
        let finished = |id: &str| view.phases.iter().any(|p| p.id == id && p.status == Status::Complete);
        let change = approved.map(|approved| {
            notes::forget(&mut contract, approved);
            change::change(approved, &contract, &finished)
        });
        Ok(Self { bytes, contract, change })
    }

    /// What differs from what is approved, for the person who decides; all of it where nothing is approved.
    pub fn differences(&self, approved: Option<&Contract>) -> Vec<Difference> {
        let (v, mode, gate) = (self.contract.v, self.contract.mode, self.contract.gate);
        let nothing = Contract { v, mode, gate, ..Contract::default() };
        differences::differences(approved.unwrap_or(&nothing), &self.contract)
    }

    /// Every command it would run, in order.
    pub fn commands(&self) -> impl Iterator<Item = String> {
        self.contract.commands()
    }
}

/// Problems as lines for people, at most `most` of them.
pub fn lines(problems: &[Problem], most: usize) -> Vec<String> {
    let line = |p: &Problem| {
        let place = if p.line == 0 { String::new() } else { format!("line {}: ", p.line) };
        format!("{place}{}: {}", p.what, p.fix)
    };
    let mut lines: Vec<String> = problems.iter().take(most).map(line).collect();
    if problems.len() > most {
        lines.push(format!("and {} more", problems.len() - most));
    }
    lines
}

/// The file with its ids written, and its contract.
///
/// # Errors
/// Every problem it has.
pub fn strict(bytes: &[u8], mode: Mode, gate: GateOptions) -> Result<(Vec<u8>, Contract), Vec<Problem>> {
    let whole = |what: String| vec![Problem { line: 0, what, fix: HEADING.to_owned() }];
    let plan = plan_read::read(bytes);
    if plan.shape == Shape::None {
        return Err(whole("no phase list was found".to_owned()));
    }
    // Before anything that takes a look at the whole for each of them.
    if plan.phases.len() > MAX_PHASES {
        let what = format!("it has {} phases, and a plan has at most {MAX_PHASES}", plan.phases.len());
        return Err(vec![Problem { line: 0, what, fix: "split it into several plans".to_owned() }]);
    }
    let bytes = with_ids(bytes).map_err(whole)?;
    let contract = attest::build(&plan_read::read(&bytes), mode, gate)?;
    let problems = unsupported(&contract);
    if problems.is_empty() { Ok((bytes, contract)) } else { Err(problems) }
}

/// Writes missing ids into the headings, so that they survive a new plan.
///
/// # Errors
/// Why a place cannot be written.
pub fn with_ids(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let ids = attest::missing_ids(&plan_read::read(bytes));
    plan_edit::set_ids(bytes, &ids).map_err(|e| e.to_string())
}

fn unsupported(contract: &Contract) -> Vec<Problem> {
    let mut problems = Vec::new();
    for phase in &contract.phases {
        if let Some(other) = phase.approvals.iter().find(|who| *who != "human") {
            problems.push(Problem {
                line: 0,
                what: format!("phase `{}` asks for the approval of `{other}`", phase.id),
                fix: "write: **Approval:** human".to_owned(),
            });
        }
        for text in &phase.waits_for {
            if let Err(why) = Condition::parse(text) {
                problems.push(Problem {
                    line: 0,
                    what: format!("phase `{}` waits for something nobody can tell: {why}", phase.id),
                    fix: "write: **WaitsFor:** until 2026-03-05T09:00Z, file PATH, human QUESTION or cmd COMMAND"
                        .to_owned(),
                });
            }
        }
        if let Some(every) = phase.every.as_ref().filter(|every| wait::duration(every).is_none()) {
            problems.push(Problem {
                line: 0,
                what: format!("phase `{}` comes every `{every}`, which is no length of time", phase.id),
                fix: "write: **Every:** 7d, or 12h, 30m".to_owned(),
            });
        }
        if phase.every.is_some() && !(phase.receipts.is_empty() && phase.approvals.is_empty()) {
            problems.push(Problem {
                line: 0,
                what: format!("phase `{}` comes again, and a receipt or an approval is given once", phase.id),
                fix: "prove a routine by **Check:** or **Artifact:**".to_owned(),
            });
        }
        if let Some(tool) = phase.tools.iter().find(|tool| !tools::is_tool(tool)) {
            problems.push(Problem {
                line: 0,
                what: format!("phase `{}` may use `{tool}`, which is no name of a tool", phase.id),
                fix: format!("write {}", tools::allowed()),
            });
        }
    }
    problems
}
