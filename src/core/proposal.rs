//! A proposal: a whole plan as somebody would have it, with the reason, kept for the person who decides.
//!
//! The file is the plan with an HTML comment in front, which every reader of plans passes over:
//!
//! ```text
//! <!-- steadfast proposal
//! why: the parser cannot do tables
//! -->
//!
//! # Task Plan: ...
//! ```
//!
//! A file without that comment is a proposal without a reason.

use crate::core::canonical;
use crate::core::contract::Contract;
use crate::core::plan::{Status, StepState};
use crate::core::plan_edit::{self, EditError};
use crate::core::plan_read;
use crate::core::text::{first_chars, flatten};
use crate::core::view::{PhaseView, View, step_places};

/// The most characters of a reason that are kept.
pub const WHY_CHARS: usize = 300;
/// The most bytes that stand in front of the plan.
pub const MAX_FRONT: u64 = 4 * 1024;

const OPENS: &str = "<!-- steadfast proposal\nwhy: ";
const CLOSES: &str = "\n-->\n\n";

/// The bytes of a proposal.
pub fn write(why: &str, plan: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{OPENS}{}{CLOSES}", reason(why)).into_bytes();
    bytes.extend_from_slice(plan);
    bytes
}

/// The reason and the plan of a proposal.
pub fn read(bytes: &[u8]) -> (String, &[u8]) {
    let front = bytes.strip_prefix(OPENS.as_bytes()).and_then(|rest| {
        let line = rest.iter().position(|b| *b == b'\n')?;
        Some((rest.get(..line)?, rest.get(line..)?.strip_prefix(CLOSES.as_bytes())?))
    });
    match front {
        Some((why, plan)) => (reason(&String::from_utf8_lossy(why)), plan),
        None => (String::new(), bytes),
    }
}

/// A reason as it is kept and shown: one line, without what hides or moves text, and without two hyphens in a row, which
/// could end the comment it stands in.
pub fn reason(why: &str) -> String {
    let mut flat = flatten(why);
    while flat.contains("--") {
        flat = flat.replace("--", "-");
    }
    first_chars(&flat, WHY_CHARS).trim_end().to_owned()
}

/// The plan of a proposal with what is recorded now: every phase that was approved before keeps its status, and every step
/// its box; what is new is open. `bytes` is the plan with its ids written, `contract` what it asks for, `now` the effective
/// state before the approval. A plan that cannot be edited in place is written in the canonical form.
pub fn with_states(bytes: &[u8], contract: &Contract, now: &View) -> Vec<u8> {
    let phases = states(contract, now);
    in_place(bytes, &phases).unwrap_or_else(|_| canonical::plan(contract, &phases).into_bytes())
}

fn states(contract: &Contract, now: &View) -> Vec<PhaseView> {
    contract
        .phases
        .iter()
        .map(|phase| {
            let old = now.phases.iter().find(|p| p.id == phase.id);
            let mut boxes = old.map_or_else(Vec::new, |p| p.steps.clone());
            let mut state = |text: &String| {
                let at = boxes.iter().position(|(known, _)| known == text)?;
                Some(boxes.remove(at).1)
            };
            PhaseView {
                id: phase.id.clone(),
                status: old.map(|p| p.status).filter(|s| *s != Status::Unknown).unwrap_or(Status::Pending),
                steps: phase.steps.iter().map(|t| (t.clone(), state(t).unwrap_or(StepState::Open))).collect(),
                ..PhaseView::default()
            }
        })
        .collect()
}

fn in_place(bytes: &[u8], phases: &[PhaseView]) -> Result<Vec<u8>, EditError> {
    let mut bytes = bytes.to_vec();
    for phase in phases {
        let plan = plan_read::read(&bytes);
        let index = plan.phases.iter().position(|p| p.id.as_deref() == Some(phase.id.as_str()));
        let index = index.ok_or(EditError::NoPhase(0))?;
        let texts: Vec<String> = phase.steps.iter().map(|(text, _)| text.clone()).collect();
        let lines = plan.phases.get(index).map_or(&[][..], |p| &p.steps);
        let mut boxes = Vec::new();
        for ((_, wanted), place) in phase.steps.iter().zip(step_places(&texts, lines)) {
            let place = place.ok_or(EditError::NoStep(0))?;
            if lines.get(place).is_some_and(|line| line.state != *wanted) {
                boxes.push((place, *wanted));
            }
        }
        for (place, wanted) in boxes {
            bytes = plan_edit::set_step(&bytes, &plan_read::read(&bytes), index, place, wanted)?;
        }
        bytes = plan_edit::set_status(&bytes, &plan_read::read(&bytes), index, phase.status)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::candidate;
    use crate::core::contract::{GateOptions, Mode};
    use crate::core::run::Run;

    #[test]
    fn what_is_written_is_read_again_byte_for_byte() {
        for plan in
            [&b""[..], b"# Plan\n", b"\n\n-->\n", b"\xef\xbb\xbf# Plan\r\n", b"\xff\xfe", b"<!-- steadfast proposal\n"]
        {
            let bytes = write("it is too much", plan);
            assert_eq!(read(&bytes), ("it is too much".to_owned(), plan));
        }
    }

    #[test]
    fn a_file_without_the_comment_is_a_plan_without_a_reason() {
        for bytes in [
            "# Plan\n",
            "<!-- steadfast proposal\n-->\n\n# Plan\n",
            "<!-- steadfast proposal\nwhy: x\n# Plan\n",
            "<!-- steadfast proposal\nwhy: x",
        ] {
            assert_eq!(read(bytes.as_bytes()), (String::new(), bytes.as_bytes()));
        }
    }

    #[test]
    fn a_reason_cannot_leave_its_comment_or_hide_anything() {
        for (why, kept) in [
            ("a\n-->\n# Task Plan: other", "a -> # Task Plan: other"),
            ("a ---- b", "a - b"),
            ("\u{1b}[2Ja\u{202e}b\u{200b}", "[2Jab"),
            ("  a\t b ", "a b"),
        ] {
            assert_eq!(reason(why), kept);
        }
        assert_eq!(reason(&"a".repeat(5000)).len(), WHY_CHARS);
        assert!(write(&"🦀".repeat(5000), b"").len() as u64 <= MAX_FRONT);
    }

    proptest! {
        #[test]
        fn the_plan_reader_passes_over_the_comment(why in "\\PC{0,60}|[-<>! a\\n]{0,30}") {
            let plan = "# Task Plan: Mill\n\n## Goal\nMove it.\n\n### Phase 1: A {#a}\n- **Status:** pending\n";
            let bytes = write(&why, plan.as_bytes());
            let (whole, alone) = (plan_read::read(&bytes), plan_read::read(plan.as_bytes()));
            prop_assert_eq!(whole.goal, alone.goal);
            prop_assert_eq!(whole.phases.len(), 1);
            prop_assert_eq!(whole.problems.len(), alone.problems.len());
            prop_assert_eq!(read(&bytes).0, reason(&why));
        }
    }

    const BEFORE: &str = "# Task Plan: Mill\n\n## Goal\nMove the mill.\n\n## Phases\n\n### Phase 1: Measure {#measure}\n- [x] Wheel\n- [-] Race\n\
        - **Status:** complete\n\n### Phase 2: Build {#build}\n- [x] Wheel house\n- [ ] Roof\n- **Status:** in_progress\n";

    fn view(text: &str) -> (Contract, View) {
        let (bytes, contract) = candidate::strict(text.as_bytes(), Mode::Gate, GateOptions::default()).unwrap();
        let view = View::new(&contract, Some(&plan_read::read(&bytes)), &Run::default());
        (contract, view)
    }

    #[track_caller]
    fn becomes(proposed: &str, after: &str) {
        let (_, now) = view(BEFORE);
        let (contract, _) = view(proposed);
        let text = with_states(proposed.as_bytes(), &contract, &now);
        assert_eq!(String::from_utf8(text.clone()).unwrap(), after);
        assert_eq!(view(after).0, contract, "it asks for the same");
    }

    #[test]
    fn what_was_reached_stays_and_what_is_new_is_open() {
        let proposed = "# Task Plan: Mill\n\nNotes stay.\n\n## Goal\nMove the mill.\n\n## Phases\n\n### Phase 1: Measure it well {#measure}\n- [ ] Wheel\n- [ ] Race\n\
            - **Status:** pending (note)\n\n### Phase 2: Build {#build}\n- [ ] Wheel house\n- [x] Door\n- **Status:** complete\n\n\
            ### Phase 3: Paint {#paint}\n- [x] Red\n- **Status:** complete\n";
        becomes(
            proposed,
            "# Task Plan: Mill\n\nNotes stay.\n\n## Goal\nMove the mill.\n\n## Phases\n\n### Phase 1: Measure it well {#measure}\n- [x] Wheel\n- [-] Race\n\
            - **Status:** complete (note)\n\n### Phase 2: Build {#build}\n- [x] Wheel house\n- [ ] Door\n- **Status:** in_progress\n\n\
            ### Phase 3: Paint {#paint}\n- [ ] Red\n- **Status:** pending\n",
        );
    }

    #[test]
    fn a_phase_without_a_status_gets_one() {
        becomes(
            "## Goal\nMove the mill.\n\n### Phase 1: Measure {#measure}\n- [ ] Wheel\n\n### Phase 2: Build {#build}\n- [ ] Roof\n- **Status:** pending\n",
            "## Goal\nMove the mill.\n\n### Phase 1: Measure {#measure}\n- [x] Wheel\n- **Status:** complete\n\n### Phase 2: Build {#build}\n- [ ] Roof\n- **Status:** in_progress\n",
        );
    }
}
