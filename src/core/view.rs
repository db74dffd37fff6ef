//! The effective state of a run: the approved contract, joined with the statuses in the file and what the runtime recorded.
//! `next`, `gate`, `inject` and `status` all look at this one value.

use std::collections::{BTreeSet, HashMap};

use crate::core::contract::{Contract, ContractPhase};
use crate::core::plan::{Plan, Status, Step, StepState};
use crate::core::run::{Mark, PhaseRun, Proof, Run, phase_key};
use crate::core::wait::{self, Condition};

/// A phase as it counts now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseView {
    /// The contract's id.
    pub id: String,
    /// Position in the contract, from 1.
    pub number: usize,
    /// The approved title.
    pub title: String,
    /// The effective status.
    pub status: Status,
    /// The file (or, where it is out of sight, the record) says `complete`, but a check the contract asks for has not passed: open.
    pub claimed: bool,
    /// The phase is in the contract but no longer in the file.
    pub vanished: bool,
    /// Approved steps with the state of their boxes.
    pub steps: Vec<(String, StepState)>,
    /// Ids of phases that come first.
    pub depends_on: Vec<String>,
    /// Whether the contract asks for a proof.
    pub needs_proof: bool,
    /// It comes again after this many seconds; it never finishes the plan.
    pub every: Option<u64>,
    /// What it waits for, in words; empty where it does not.
    pub waits: String,
    /// The tools it may use; empty: any.
    pub tools: Vec<String>,
    /// What the runtime recorded.
    pub run: PhaseRun,
}

impl PhaseView {
    /// Finished for good or parked: nothing to do here.
    pub fn settled(&self) -> bool {
        matches!(self.status, Status::Complete | Status::Skipped)
    }

    /// The first open step.
    pub fn open_step(&self) -> Option<(usize, &str)> {
        self.steps
            .iter()
            .enumerate()
            .find(|(_, (_, state))| *state == StepState::Open)
            .map(|(i, (text, _))| (i, text.as_str()))
    }
}

/// A whole run as it counts now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The approved goal.
    pub goal: String,
    /// Phases in contract order.
    pub phases: Vec<PhaseView>,
}

impl View {
    /// Joins what is approved with what is on disk. `plan` is `None` where the file is missing or unreadable: then the
    /// last recorded statuses count.
    pub fn new(contract: &Contract, plan: Option<&Plan>, run: &Run) -> Self {
        let phases =
            contract.phases.iter().enumerate().map(|(index, phase)| phase_view(index + 1, phase, plan, run)).collect();
        Self { goal: contract.goal.clone(), phases }
    }

    /// A plan that nothing approves, as it is written: for people, never for the model.
    pub fn unapproved(plan: &Plan) -> Self {
        let phases = plan
            .phases
            .iter()
            .enumerate()
            .map(|(index, phase)| PhaseView {
                id: phase.id.clone().unwrap_or_else(|| (index + 1).to_string()),
                number: index + 1,
                title: phase.title.clone(),
                status: phase.status,
                steps: phase.steps.iter().map(|s| (s.text.clone(), s.state)).collect(),
                depends_on: phase.fields.depends_on.clone(),
                needs_proof: !phase.fields.checks.is_empty(),
                ..PhaseView::default()
            })
            .collect();
        Self { goal: plan.goal.clone(), phases }
    }

    /// The phase in progress.
    pub fn current(&self) -> Option<&PhaseView> {
        self.phases.iter().find(|p| p.status == Status::InProgress)
    }

    /// The phase with this id, or with this number.
    pub fn find(&self, name: &str) -> Option<&PhaseView> {
        self.phases
            .iter()
            .find(|p| p.id == name)
            .or_else(|| name.parse::<usize>().ok().and_then(|n| self.phases.iter().find(|p| p.number == n)))
    }

    /// How far the run is, for people: `2 of 5 phases done, 1 parked`.
    pub fn progress(&self) -> String {
        let parked = self.count(Status::Skipped);
        let parked = if parked == 0 { String::new() } else { format!(", {parked} parked") };
        format!("{} of {} phases done{parked}", self.count(Status::Complete), self.phases.len())
    }

    /// How many phases have this status.
    pub fn count(&self, status: Status) -> usize {
        self.phases.iter().filter(|p| p.status == status).count()
    }

    /// Present counts, to be compared with the high-water mark. `files` is taken from the caller: it only ever grows.
    pub fn counts(&self, files: u32) -> Mark {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Mark {
            phases: count(self.phases.iter().filter(|p| p.settled()).count()),
            boxes: count(self.phases.iter().flat_map(|p| &p.steps).filter(|(_, s)| *s == StepState::Done).count()),
            proofs: count(self.phases.iter().filter(|p| p.run.proof == Proof::Passed && p.run.flaky == 0).count()),
            files,
        }
    }
}

fn phase_view(number: usize, phase: &ContractPhase, plan: Option<&Plan>, run: &Run) -> PhaseView {
    let recorded = run.phases.get(&phase_key(&phase.id)).cloned().unwrap_or_default();
    let written = plan.and_then(|plan| {
        plan.phases.iter().find(|p| p.id.as_deref() == Some(phase.id.as_str()) && p.title == phase.title)
    });
    let needs_proof = phase.needs_proof();
    let proven =
        !needs_proof || (recorded.proof == Proof::Passed && !recorded.blind && recorded.checks == phase.proof_tag());
    let last = recorded.status.unwrap_or_default();
    let said = match written.map(|p| p.status) {
        // These need a reason, which only a verb records. What was recorded before goes on: such a word does not unfinish a
        // finished phase either.
        Some(Status::Skipped | Status::Waiting | Status::Failed) if last == Status::Unknown => Status::Pending,
        // Out of sight is not out of the contract.
        None | Some(Status::Skipped | Status::Waiting | Status::Failed) => last,
        // A list of boxes has no word for these: what a verb recorded stands while the box is open.
        Some(Status::Pending)
            if written.is_some_and(|p| !p.explicit)
                && matches!(last, Status::InProgress | Status::Failed | Status::Skipped | Status::Waiting) =>
        {
            last
        }
        Some(status) => status,
    };
    let declared = if recorded.met { String::new() } else { declared(phase) };
    // What is not to begin yet is not in progress, whatever the file says, and not complete either.
    let held_off = !declared.is_empty() && !matches!(said, Status::Skipped | Status::Failed);
    let claimed = said == Status::Complete && !proven && !held_off;
    let every = phase.every.as_deref().and_then(wait::duration);
    let status = match said {
        _ if held_off => Status::Waiting,
        Status::Complete if claimed => Status::InProgress,
        // A routine that was done comes again; until it is due it waits.
        Status::Complete if every.is_some() && recorded.wait.is_some() => Status::Waiting,
        said => said,
    };
    let waits = match (&recorded.wait, status) {
        _ if held_off => declared,
        (Some(wait), Status::Waiting) if recorded.why.is_empty() => wait.words(),
        (Some(wait), Status::Waiting) => format!("{} ({})", wait.words(), recorded.why),
        _ => String::new(),
    };
    let lines = written.map_or(&[][..], |p| p.steps.as_slice());
    let places = step_places(&phase.steps, lines);
    let state = |place: Option<usize>| place.and_then(|at| lines.get(at)).map_or(StepState::Open, |line| line.state);
    let steps = phase.steps.iter().zip(places).map(|(text, place)| (text.clone(), state(place))).collect();
    PhaseView {
        id: phase.id.clone(),
        number,
        title: phase.title.clone(),
        status,
        claimed,
        vanished: written.is_none(),
        steps,
        depends_on: phase.depends_on.clone(),
        needs_proof,
        every,
        waits,
        tools: phase.tools.clone(),
        run: recorded,
    }
}

/// What the plan says a phase waits for, in words; empty where it waits for nothing.
fn declared(phase: &ContractPhase) -> String {
    let conditions = phase.waits_for.iter().filter_map(|text| Condition::parse(text).ok());
    conditions.map(|c| c.words()).collect::<Vec<_>>().join(", ")
}

/// Where each approved step stands among the boxes of the file: the line with the very text, else the first line that begins
/// with it. No line stands for two steps.
pub fn step_places(approved: &[String], lines: &[Step]) -> Vec<Option<usize>> {
    let mut exact: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate().rev() {
        exact.entry(&line.text).or_default().push(at);
    }
    let mut places: Vec<Option<usize>> =
        approved.iter().map(|text| exact.get_mut(text.as_str()).and_then(Vec::pop)).collect();
    // Sorted, so that the lines that begin with a text stand together.
    let mut rest: BTreeSet<(&str, usize)> = BTreeSet::new();
    for (text, places) in exact {
        rest.extend(places.into_iter().map(|at| (text, at)));
    }
    for (text, place) in approved.iter().zip(&mut places).filter(|(_, place)| place.is_none()) {
        let begin = rest.range((text.as_str(), 0)..).copied().take_while(|(line, _)| line.starts_with(text));
        if let Some(found) = begin.filter(|(line, _)| step_matches(line, text)).min_by_key(|(_, at)| *at) {
            rest.remove(&found);
            *place = Some(found.1);
        }
    }
    places
}

/// A step is the approved one while its line still begins with the approved text (agents append notes).
pub fn step_matches(line: &str, approved: &str) -> bool {
    let ends = |c: char| !(c.is_alphanumeric() || c == '_');
    line.strip_prefix(approved).is_some_and(|rest| rest.chars().next().is_none_or(ends))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::attest;
    use crate::core::contract::{GateOptions, Mode};
    use crate::core::plan::StepState::{Done, Dropped, Open};
    use crate::core::plan_read::read;

    const PLAN: &str = "## Goal\nMove the mill.\n## Phases\n### Phase 1: Measure {#measure}\n- [x] Wheel\n- [ ] Race\n\
        - **Status:** complete\n### Phase 2: Build {#build}\n- [ ] Wheel\n- [ ] Wheel house\n- **Status:** in_progress\n\
        - **Check:** make\n### Phase 3: Open {#open}\n- **DependsOn:** build\n- **Status:** pending\n";

    fn contract() -> Contract {
        attest::build(&read(PLAN.as_bytes()), Mode::Gate, GateOptions::default()).unwrap()
    }

    fn with(text: &str, run: &Run) -> View {
        View::new(&contract(), Some(&read(text.as_bytes())), run)
    }

    fn recorded(id: &str, edit: impl FnOnce(&mut PhaseRun)) -> Run {
        let mut run = Run::default();
        edit(run.phases.entry(phase_key(id)).or_default());
        run
    }

    fn statuses(view: &View) -> Vec<Status> {
        view.phases.iter().map(|phase| phase.status).collect()
    }

    #[test]
    fn the_file_says_where_the_work_is() {
        let view = with(PLAN, &Run::default());
        assert_eq!(view.goal, "Move the mill.");
        assert_eq!(statuses(&view), [Status::Complete, Status::InProgress, Status::Pending]);
        assert_eq!(view.current().map(|p| p.number), Some(2));
        assert_eq!(view.find("build"), view.find("2"));
        assert_eq!(view.find("4"), None);
        assert_eq!(view.phases[0].open_step(), Some((1, "Race")));
        assert!(view.phases[1].needs_proof && !view.phases[0].needs_proof);
        assert_eq!(view.phases[2].depends_on, ["build"]);
        assert_eq!((view.count(Status::Complete), view.counts(7).boxes, view.counts(7).files), (1, 1, 7));
    }

    #[test]
    fn complete_without_proof_is_claimed() {
        let text = PLAN.replace("in_progress", "complete");
        let tag = contract().phases[1].proof_tag();
        let passed = |checks: &str| {
            let checks = checks.to_owned();
            recorded("build", |run| (run.proof, run.checks) = (Proof::Passed, checks))
        };
        for (run, claimed) in [
            (Run::default(), true),
            (passed("another"), true),
            (recorded("build", |run| run.proof = Proof::Failed), true),
            (recorded("build", |run| run.status = Some(Status::Complete)), true),
            (passed(&tag), false),
        ] {
            let view = with(&text, &run);
            assert_eq!(view.phases[1].claimed, claimed, "{run:?}");
            assert_eq!(view.phases[1].status, if claimed { Status::InProgress } else { Status::Complete }, "{run:?}");
            assert!(!view.phases[0].claimed);
        }
    }

    #[test]
    fn a_vanished_phase_is_still_there() {
        let gone = PLAN.split("### Phase 2").next().unwrap().to_owned() + "### Phase 3: Open {#open}\n";
        let run = recorded("build", |run| run.status = Some(Status::InProgress));
        let view = with(&gone, &run);
        assert!(view.phases[1].vanished && !view.phases[0].vanished && !view.phases[2].vanished);
        assert_eq!(statuses(&view), [Status::Complete, Status::InProgress, Status::Pending]);
        assert_eq!(
            view.phases[1].steps,
            [("Wheel".to_owned(), StepState::Open), ("Wheel house".to_owned(), StepState::Open)]
        );
        let view = with("", &recorded("measure", |run| run.status = Some(Status::Complete)));
        assert_eq!(statuses(&view), [Status::Complete, Status::Pending, Status::Pending]);
        let view = View::new(&contract(), None, &recorded("build", |run| run.status = Some(Status::Complete)));
        assert_eq!(statuses(&view), [Status::Pending, Status::InProgress, Status::Pending]);
        assert!(view.phases[1].claimed, "recorded as complete, but without its proof");
    }

    #[test]
    fn id_and_title_must_both_match() {
        for (from, to) in
            [("{#build}", "{#built}"), (": Build", ": Built"), ("### Phase 2: Build {#build}", "### Phase 2: Build")]
        {
            let text = PLAN.replace(from, to).replace("in_progress", "complete");
            assert!(with(&text, &Run::default()).phases[1].vanished, "{to}");
        }
        assert!(
            !with(&PLAN.replace("Phase 2:", "Phase 7 -"), &Run::default()).phases[1].vanished,
            "the number is free"
        );
    }

    #[test]
    fn parked_by_hand_does_not_count() {
        for word in ["skipped", "waiting", "failed", "blocked (no wood)"] {
            let text = PLAN.replace("in_progress", word);
            let said = read(text.as_bytes()).phases[1].status;
            let status = |run: &Run| with(&text, run).phases[1].status;
            assert_eq!(status(&Run::default()), Status::Pending, "{word}");
            for last in [Status::InProgress, said, Status::Pending] {
                assert_eq!(status(&recorded("build", |run| run.status = Some(last))), last, "{word}");
            }
            let finished = recorded("build", |run| {
                (run.status, run.proof, run.checks) =
                    (Some(Status::Complete), Proof::Passed, contract().phases[1].proof_tag());
            });
            assert_eq!(status(&finished), Status::Complete, "{word}");
            assert_eq!(status(&recorded("build", |run| run.status = Some(Status::Unknown))), Status::Pending, "{word}");
        }
    }

    #[test]
    fn unknown_words_are_open() {
        let view = with(&PLAN.replace("in_progress", "completely broken"), &Run::default());
        assert_eq!(view.phases[1].status, Status::Unknown);
        assert!(!view.phases[1].settled());
    }

    #[test]
    fn notes_after_a_step_do_not_matter() {
        assert!(step_matches("Wheel (oak)", "Wheel"));
        assert!(step_matches("Wheel: done in May", "Wheel"));
        for line in ["Wheels", "Wheel_2", "A Wheel", "wheel", "Whee"] {
            assert!(!step_matches(line, "Wheel"), "{line}");
        }
        assert!(!step_matches("列出调用者", "列出"));
    }

    #[test]
    fn every_step_has_its_own_line() {
        let states = |text: &str| -> Vec<StepState> {
            with(&PLAN.replace("- [ ] Wheel\n- [ ] Wheel house\n", text), &Run::default()).phases[1]
                .steps
                .iter()
                .map(|(_, state)| *state)
                .collect()
        };
        assert_eq!(states("- [x] Wheel\n- [ ] Wheel house\n"), [Done, Open]);
        assert_eq!(states("- [x] Wheel house\n- [ ] Wheel\n"), [Open, Done]);
        assert_eq!(states("- [x] Wheel house\n"), [Open, Done]);
        assert_eq!(states("- [x] Wheel, in oak\n- [-] Wheel house (no money)\n"), [Done, Dropped]);
        assert_eq!(states("- [x] new\n"), [Open, Open]);
        let twice = vec!["a".to_owned(), "a".to_owned(), "a".to_owned()];
        let line = |text: &str| Step { text: text.to_owned(), ..Step::default() };
        assert_eq!(step_places(&twice, &[line("a"), line("b"), line("a x")]), [Some(0), Some(2), None]);
    }
}
