//! What should come of a run, told from what its agent does. Written from `docs/gate.md`, and of nothing else: it knows neither the
//! gate nor the rule for the next work.

use std::collections::BTreeSet;
use std::fmt::Write;

/// The most holds between two prompts of the user.
const TURN: u32 = 5;
/// The budget where no variable sets one.
const BUDGET: u32 = 20;
/// A failed phase that was tried so often needs a person.
const TRIES: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    Pending,
    Working,
    Complete,
    Failed,
    Parked,
    Waits,
}

#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) id: char,
    /// Its boxes: checked, or not.
    pub(crate) boxes: Vec<bool>,
    /// It has a check, which passes where its file is there.
    pub(crate) check: bool,
    pub(crate) after: Option<char>,
    pub(crate) stands: Stands,
    /// The file that its check asks for is there.
    pub(crate) made: bool,
    proven_at: Option<u32>,
    pub(crate) tries: u32,
}

impl Phase {
    pub(crate) fn new(id: char, boxes: usize, check: bool, after: Option<char>) -> Self {
        let boxes = vec![false; boxes];
        Self { id, boxes, check, after, stands: Stands::Pending, made: false, proven_at: None, tries: 0 }
    }

    /// As it stands in a script: `b:2+check>a`.
    pub(crate) fn word(&self) -> String {
        let mut word = format!("{}:{}", self.id, self.boxes.len());
        if self.check {
            word.push_str("+check");
        }
        if let Some(after) = self.after {
            let _ = write!(word, ">{after}");
        }
        word
    }

    fn settled(&self) -> bool {
        matches!(self.stands, Stands::Complete | Stands::Parked)
    }
}

/// Who sits in front of the session, as far as the host says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Nobody,
    Somebody,
    Unsaid,
}

/// What a stop comes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) asks: bool,
    pub(crate) subagent: bool,
    /// A background shell, by its name.
    pub(crate) shell: Option<char>,
    pub(crate) error: bool,
}

/// Highest counts so far: phases settled, boxes checked, phases proven, contents written.
type Mark = [usize; 4];

pub(crate) struct Model {
    pub(crate) phases: Vec<Phase>,
    pub(crate) who: Who,
    /// `--hold`, `--no-hold`, or neither.
    pub(crate) hold: Option<bool>,
    pub(crate) cap: Option<u32>,
    pub(crate) paused: bool,
    /// A person took the gate off.
    pub(crate) released: bool,
    pub(crate) attached: bool,
    written: BTreeSet<(String, String)>,
    mark: Mark,
    /// The mark when this session was last held.
    at_hold: Option<Mark>,
    /// The last stop of this turn was held, which the host tells.
    held_last: bool,
    turn: u32,
    blocks: u32,
    clock: u32,
    edited_at: u32,
    /// Edits up to here were asked about when all was complete.
    asked_at: Option<u32>,
    deferred: Option<char>,
}

impl Model {
    pub(crate) fn new(phases: Vec<Phase>, who: Who, hold: Option<bool>, cap: Option<u32>) -> Self {
        let mut model = Self {
            phases,
            who,
            hold,
            cap,
            paused: false,
            released: false,
            attached: true,
            written: BTreeSet::new(),
            mark: [0; 4],
            at_hold: None,
            held_last: false,
            turn: 0,
            blocks: 0,
            clock: 1,
            edited_at: 0,
            asked_at: None,
            deferred: None,
        };
        model.open();
        model
    }

    pub(crate) fn phase(&mut self, id: char) -> &mut Phase {
        self.phases.iter_mut().find(|p| p.id == id).unwrap()
    }

    fn ready(&self, phase: &Phase) -> bool {
        phase.after.is_none_or(|id| self.phases.iter().any(|p| p.id == id && p.settled()))
    }

    fn first(&self, wanted: impl Fn(&Phase) -> bool) -> Option<char> {
        self.phases.iter().find(|p| wanted(p) && self.ready(p)).map(|p| p.id)
    }

    pub(crate) fn working(&self) -> Option<char> {
        self.first(|p| p.stands == Stands::Working)
    }

    /// A gated run that nobody paused always has a phase at work, where one can be.
    fn open(&mut self) {
        if self.working().is_none()
            && !self.paused
            && let Some(id) = self.first(|p| p.stands == Stands::Pending)
        {
            self.phase(id).stands = Stands::Working;
        }
    }

    fn raise(&mut self) {
        let count = |n: usize, m: usize| n.max(m);
        let now = [
            self.phases.iter().filter(|p| p.settled()).count(),
            self.phases.iter().flat_map(|p| &p.boxes).filter(|b| **b).count(),
            self.phases.iter().filter(|p| p.proven_at.is_some()).count(),
            self.written.len(),
        ];
        // A phase settled for the first time gives a new budget.
        if now[0] > self.mark[0] {
            self.blocks = 0;
        }
        for (mark, now) in self.mark.iter_mut().zip(now) {
            *mark = count(*mark, now);
        }
        self.clock += 1;
    }

    pub(crate) fn prompt(&mut self) {
        (self.turn, self.blocks, self.held_last) = (0, 0, false);
    }

    /// The session goes on under another id, in the same host process.
    pub(crate) fn clears(&mut self) {
        (self.turn, self.at_hold, self.held_last) = (0, None, false);
    }

    /// Its host is gone. The next session takes the plan up by the prompt `continue`, where there is something to go on with.
    pub(crate) fn crashes(&mut self) {
        self.clears();
        self.attached = self.attached && !self.phases.iter().all(Phase::settled);
    }

    pub(crate) fn writes(&mut self, file: &str, text: &str) {
        self.written.insert((file.to_owned(), text.to_owned()));
        for phase in &mut self.phases {
            phase.made |= file == format!("{}.ok", phase.id);
        }
        self.raise();
        self.edited_at = self.clock;
    }

    pub(crate) fn checks_box(&mut self, id: char, at: usize) {
        self.phase(id).boxes[at] = true;
        self.raise();
    }

    /// `done`, or a word in the file where no proof is asked for.
    pub(crate) fn completes(&mut self, id: char) {
        let clock = self.clock;
        let phase = self.phase(id);
        phase.stands = Stands::Complete;
        if phase.check {
            phase.proven_at = Some(clock);
            phase.tries += 1;
        }
        self.raise();
        self.open();
    }

    /// A check that is run and does not pass. One that failed on the very same files is not run again, unless asked for.
    pub(crate) fn check_fails(&mut self, id: char) {
        self.phase(id).tries += 1;
        self.clock += 1;
    }

    /// `check --all`: every file is there.
    pub(crate) fn all_checks_pass(&mut self) {
        let clock = self.clock;
        for phase in self.phases.iter_mut().filter(|p| p.check && p.stands != Stands::Pending) {
            phase.proven_at = Some(clock);
            phase.tries += 1;
        }
        self.raise();
    }

    pub(crate) fn becomes(&mut self, id: char, stands: Stands) {
        let phase = self.phase(id);
        phase.stands = stands;
        phase.tries += u32::from(stands == Stands::Failed && !phase.check);
        self.raise();
        self.open();
    }

    /// Files changed after a proof of what is complete.
    pub(crate) fn is_old(&self) -> bool {
        let old =
            |p: &Phase| p.check && p.stands == Stands::Complete && p.proven_at.is_none_or(|at| at < self.edited_at);
        self.phases.iter().any(old)
    }

    /// Such a phase was not asked about since it was proven.
    fn stale(&self) -> bool {
        let Some(asked) = self.asked_at else { return self.is_old() };
        self.is_old()
            && self.phases.iter().any(|p| p.check && p.proven_at.is_some_and(|at| asked <= at && at < self.edited_at))
    }

    /// What a stop comes to: `held`, or the verdict by which it is let go. The rows of the table, one after the other.
    pub(crate) fn stop(&mut self, stop: Stop) -> &'static str {
        self.open();
        let failed = |p: &Phase| p.stands == Stands::Failed && p.tries < TRIES;
        let open = self.working().is_some() || self.first(failed).is_some();
        let waits = !open && self.first(|p| p.stands == Stands::Waits).is_some();
        let settled = self.phases.iter().all(Phase::settled);
        let parked = self.phases.iter().any(|p| p.stands == Stands::Parked);
        let stale = settled && !parked && self.stale();
        let again = self.hold.unwrap_or(self.who == Who::Nobody);
        let behind = stop.subagent || stop.shell.is_some_and(|name| self.deferred != Some(name));
        let verdict = if self.released || !self.attached {
            "silence"
        } else if self.paused {
            "paused"
        } else if settled && !parked && !stale {
            "done"
        } else if !open && !waits && !stale {
            "needs-you"
        } else if self.held_last && !again {
            "forced"
        } else if behind {
            self.deferred = stop.shell;
            "background"
        } else if waits {
            "waiting"
        } else if stop.asks && self.who != Who::Nobody {
            "question"
        } else if self.blocks >= self.cap.unwrap_or(BUDGET) {
            "cap"
        } else if self.turn >= TURN {
            "turn-limit"
        } else if self.at_hold.is_some_and(|old| !self.mark.iter().zip(old).any(|(now, old)| *now > old)) {
            "no-progress"
        } else if stop.error {
            "error"
        } else {
            "held"
        };
        self.held_last = verdict == "held";
        if self.held_last {
            self.turn += 1;
            self.blocks += 1;
            self.at_hold = Some(self.mark);
            if stale {
                self.asked_at = Some(self.edited_at);
            }
        }
        verdict
    }

    /// The very same stop once more, of a held one: the same answer once, where the gate would still hold.
    pub(crate) fn stop_again(&mut self, second: bool) -> &'static str {
        let room = self.turn < TURN && self.blocks < self.cap.unwrap_or(BUDGET);
        match (second, room) {
            (true, true) => {
                self.turn += 1;
                "held"
            }
            _ => "duplicate",
        }
    }
}
