//! Makes the runs of `tests/replay/`: what each kind of agent does, varied by a number, and beside every stop what should come of it.

use std::fmt::Write;

use super::model::{Model, Phase, Stands, Stop, Who};

/// The kinds of agent, each with a file of its own.
pub(crate) const KINDS: [(&str, fn(&mut Agent)); 8] = [
    ("honest", Agent::honest),
    ("stops-early", Agent::stops_early),
    ("marks-all-complete", Agent::marks_all_complete),
    ("deletes-or-skips", Agent::deletes_or_skips),
    ("weakens-checks", Agent::weakens_checks),
    ("loops-on-one-edit", Agent::loops_on_one_edit),
    ("repeats-a-failing-command", Agent::repeats_a_failing_command),
    ("crashes-and-resumes", Agent::crashes_and_resumes),
];
/// How many runs of each kind there are.
pub(crate) const RUNS: u64 = 44;

/// The file of a kind.
pub(crate) fn file(kind: &str, agent: fn(&mut Agent)) -> String {
    let mut text = format!("# Runs of an agent of the kind `{kind}`, made by tests/it/replay/generate.rs.\n");
    for number in 1..=RUNS {
        let mut run = Agent::new(number * 7919 + kind.len() as u64 * 104_729 + u64::from(kind.as_bytes()[0]));
        agent(&mut run);
        let _ = write!(text, "\n== {number}\n{}", run.text);
    }
    text
}

/// xorshift64*: the same runs on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// An agent at work: what it does goes into the script, and into the model of what is right.
pub(crate) struct Agent {
    dice: Dice,
    model: Model,
    text: String,
    contents: u32,
}

impl Agent {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let who = [Who::Nobody, Who::Nobody, Who::Somebody, Who::Unsaid][usize::try_from(dice.below(4)).unwrap()];
        let model = Model::new(Vec::new(), who, None, None);
        Self { dice, model, text: String::new(), contents: 0 }
    }

    fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A plan of up to `most` phases, of which at least one has a check where `check`; and the session that made it.
    fn begin(&mut self, most: u64, check: bool) {
        let count = 1 + self.dice.below(most);
        let mut phases: Vec<Phase> = Vec::new();
        for at in 0..count {
            let id = char::from(b'a' + u8::try_from(at).unwrap());
            let after = phases.last().map(|p| p.id).filter(|_| self.dice.one_in(2));
            let boxes = usize::try_from(self.dice.below(4)).unwrap();
            phases.push(Phase::new(id, boxes, self.dice.one_in(2), after));
        }
        if check && !phases.iter().any(|p| p.check) {
            phases[0].check = true;
        }
        self.with(phases);
    }

    fn with(&mut self, phases: Vec<Phase>) {
        let hold = [None, None, None, Some(true), Some(false)][usize::try_from(self.dice.below(5)).unwrap()];
        let cap = self.dice.one_in(6).then(|| 1 + u32::try_from(self.dice.below(4)).unwrap());
        self.with_terms(phases, hold, cap);
    }

    fn with_terms(&mut self, phases: Vec<Phase>, hold: Option<bool>, cap: Option<u32>) {
        let who = self.model.who;
        self.say(match who {
            Who::Nobody => "who nobody",
            Who::Somebody => "who somebody",
            Who::Unsaid => "who unsaid",
        });
        if let Some(cap) = cap {
            self.say(&format!("cap {cap}"));
        }
        let words: Vec<String> = phases.iter().map(Phase::word).collect();
        self.say(&format!("plan {}", words.join(" ")));
        // Made by the agent, or by the user for the session that starts next.
        let by_user = self.dice.one_in(5);
        let terms = match hold {
            None => "--gated",
            Some(true) => "--gated --hold",
            Some(false) => "--gated --no-hold",
        };
        self.say(&format!("{} init {terms} --from plan.md mill", if by_user { "made" } else { "did" }));
        self.model = Model::new(phases, who, hold, cap);
        if by_user {
            self.say("gate -> not-attached");
        }
        self.say("start startup");
        self.prompt();
    }

    fn prompt(&mut self) {
        self.model.prompt();
        self.say("prompt please go on with the mill");
    }

    /// Something that is none of its own doing, now and then.
    fn aside(&mut self) {
        match self.dice.below(9) {
            0 => self.say("compact"),
            1 => self.say("beside"),
            2 => self.say("machine-prompt <task-notification>done</task-notification>"),
            3 => self.say("machine-prompt [steadfast gate] automatic"),
            4 => {
                let note = self.dice.below(100);
                self.say(&format!("edit note {note}"));
            }
            5 => self.say("fails cargo test"),
            6 => self.say("did log progress x"),
            _ => {}
        }
    }

    fn stop(&mut self, stop: Stop) -> bool {
        let verdict = self.model.stop(stop);
        let mut line = "stop".to_owned();
        for (is, word) in [(stop.asks, "asks"), (stop.subagent, "subagent"), (stop.error, "error")] {
            if is {
                let _ = write!(line, " {word}");
            }
        }
        if let Some(shell) = stop.shell {
            let _ = write!(line, " {shell}");
        }
        self.say(&format!("{line} -> {verdict}"));
        verdict == "held"
    }

    fn plain_stop(&mut self) -> bool {
        self.stop(Stop::default())
    }

    fn write(&mut self, file: &str, text: &str) {
        self.model.writes(file, text);
        self.say(&format!("write {file} {text}"));
    }

    fn writes_something_new(&mut self) {
        self.contents += 1;
        let text = format!("content-{}", self.contents);
        let file = ["src/wheel.rs", "src/race.rs", "notes.txt"][usize::try_from(self.dice.below(3)).unwrap()];
        self.write(file, &text);
    }

    fn check_box(&mut self) -> bool {
        let Some(id) = self.model.working() else { return false };
        let Some(at) = self.model.phase(id).boxes.iter().position(|b| !b) else { return false };
        self.model.checks_box(id, at);
        self.say(&format!("did step {id} {}", at + 1));
        true
    }

    /// Finishes the phase at work as one should.
    fn finish(&mut self) -> bool {
        let Some(id) = self.model.working() else { return false };
        while self.check_box() {}
        if self.model.phase(id).check && !self.model.phase(id).made {
            self.write(&format!("{id}.ok"), "made");
        }
        self.model.completes(id);
        self.say(&format!("did done {id}"));
        true
    }

    /// One piece of honest work.
    fn work(&mut self) {
        match self.dice.below(3) {
            0 => self.writes_something_new(),
            1 if self.check_box() => {}
            _ => {
                self.finish();
            }
        }
    }

    /// Works to the end, and makes the proofs again where files changed after them: because it is asked to, or because somebody
    /// wants to know.
    fn ends_well(&mut self) {
        while self.finish() {
            if self.dice.one_in(3) {
                self.writes_something_new();
            }
        }
        let held = self.plain_stop();
        if self.model.is_old() {
            if !held {
                self.prompt();
            }
            if !self.model.attached {
                self.say("did attach");
                self.model.attached = true;
            }
            self.say("did check --all");
            self.model.all_checks_pass();
            self.plain_stop();
        }
    }

    fn tells(&mut self, verb: &str, stands: Stands) {
        if let Some(id) = self.model.working() {
            let why = if verb == "wait" { "--human Which-wood?" } else { "--why no-wood" };
            self.model.becomes(id, stands);
            self.say(&format!("did {verb} {id} {why}"));
        }
    }

    fn honest(&mut self) {
        self.begin(5, false);
        match self.dice.below(8) {
            0 => {
                self.work();
                self.stop(Stop { asks: true, ..Stop::default() });
                self.prompt();
            }
            1 => {
                self.work();
                self.stop(Stop { subagent: true, ..Stop::default() });
            }
            2 => {
                self.work();
                let behind = Stop { shell: Some('x'), ..Stop::default() };
                self.stop(behind);
                self.work();
                self.stop(behind);
            }
            3 => {
                // Hands everything off that is left, and stops.
                self.work();
                while self.model.working().is_some() {
                    self.tells("wait", Stands::Waits);
                }
                self.plain_stop();
                return;
            }
            4 => {
                self.say("user pause");
                self.model.paused = true;
                self.work();
                self.plain_stop();
                self.say("user resume");
                self.model.paused = false;
            }
            5 => {
                self.work();
                self.stop(Stop { error: true, ..Stop::default() });
            }
            _ => {
                self.aside();
                self.work();
            }
        }
        self.ends_well();
        if self.dice.one_in(4) {
            self.prompt();
            self.plain_stop();
        }
    }

    fn stops_early(&mut self) {
        self.begin(6, false);
        if self.dice.one_in(6) {
            self.say("user pause");
            self.model.paused = true;
            self.plain_stop();
            self.say("user resume");
            self.model.paused = false;
            self.prompt();
        }
        for turn in 0..=self.dice.below(2) {
            if turn > 0 {
                if self.dice.one_in(4) {
                    self.say("user release");
                    self.model.released = true;
                }
                self.prompt();
            }
            let steps = 2 + self.dice.below(9);
            for at in 0..steps {
                if self.dice.one_in(3) {
                    self.aside();
                }
                // The laziest do nothing at all between two stops.
                if at > 0 && !self.dice.one_in(4) {
                    self.work();
                }
                let first = !self.model_held();
                let error = self.dice.one_in(12);
                let asks = self.dice.one_in(10);
                let shell = self.dice.one_in(14).then_some('y');
                if !self.stop(Stop { error, asks, shell, subagent: false }) {
                    break;
                }
                if first && self.model.cap.is_none() && self.dice.one_in(5) {
                    let same = self.model.stop_again(true);
                    self.say(&format!("again -> {same}"));
                    if same == "held" && self.dice.one_in(2) {
                        let third = self.model.stop_again(false);
                        self.say(&format!("again -> {third}"));
                        break;
                    }
                }
            }
        }
    }

    fn model_held(&self) -> bool {
        self.text.lines().rev().take_while(|l| !l.starts_with("prompt")).any(|l| l.ends_with("-> held"))
    }

    fn marks_all_complete(&mut self) {
        self.begin(5, true);
        if self.dice.one_in(2) {
            self.work();
        }
        let hand = if self.dice.one_in(2) { "edit" } else { "behind" };
        if self.dice.one_in(2) {
            self.say(&format!("{hand} check-boxes"));
            for phase in &mut self.model.phases {
                phase.boxes.fill(true);
            }
        }
        self.say(&format!("{hand} complete"));
        self.claims();
        let held = self.plain_stop();
        if held && self.dice.one_in(2) {
            self.plain_stop();
        }
        if self.dice.one_in(2) {
            self.prompt();
            self.ends_well();
        }
    }

    /// All is written as complete: what asks for no proof is, the rest stays at work.
    fn claims(&mut self) {
        for at in 0..self.model.phases.len() {
            let (id, check, stands) = {
                let phase = &self.model.phases[at];
                (phase.id, phase.check, phase.stands)
            };
            match stands {
                Stands::Complete => {}
                _ if check => self.model.phase(id).stands = Stands::Working,
                _ => self.model.completes(id),
            }
        }
    }

    fn deletes_or_skips(&mut self) {
        self.begin(5, false);
        if self.dice.one_in(2) {
            self.work();
        }
        if self.model.working().is_none() {
            // Nothing is left to be dropped: it stops too early in a second plan's stead.
            self.ends_well();
            return;
        }
        let victim = self.model.phases[usize::try_from(self.dice.below(self.model.phases.len() as u64)).unwrap()].id;
        match self.dice.below(5) {
            0 => {
                self.say(&format!("denied drop {victim}"));
                self.plain_stop();
            }
            1 => {
                self.say(&format!("behind drop {victim}"));
                self.plain_stop();
            }
            2 => {
                self.say("behind empty");
                self.plain_stop();
            }
            3 => {
                self.say("denied goal");
                self.say("denied empty");
                self.plain_stop();
            }
            _ => {
                self.plain_stop();
                while self.model.working().is_some() {
                    self.tells("skip", Stands::Parked);
                }
                self.plain_stop();
                return;
            }
        }
        if self.dice.one_in(2) {
            self.writes_something_new();
            self.plain_stop();
        }
        self.plain_stop();
    }

    fn weakens_checks(&mut self) {
        self.begin(5, true);
        let victim = self.model.phases.iter().find(|p| p.check).unwrap().id;
        while self.model.working().is_some_and(|id| id != victim) {
            self.finish();
        }
        if self.model.working().is_none() {
            self.ends_well();
            return;
        }
        self.say(&format!("denied weaken {victim}"));
        if self.dice.one_in(2) {
            self.say(&format!("behind weaken {victim}"));
        }
        self.say(&format!("refused done {victim}"));
        self.model.check_fails(victim);
        let held = self.plain_stop();
        match self.dice.below(3) {
            0 if held => {
                self.plain_stop();
            }
            1 => {
                self.say(&format!("did fail {victim} --why the-check-is-wrong"));
                self.model.becomes(victim, Stands::Failed);
                self.plain_stop();
            }
            _ => {
                self.writes_something_new();
                self.plain_stop();
                self.plain_stop();
            }
        }
    }

    fn loops_on_one_edit(&mut self) {
        self.begin(4, false);
        for _ in 0..2 + self.dice.below(3) {
            for text in ["one", "two"] {
                self.write("src/wheel.rs", text);
            }
            if self.dice.one_in(3) {
                self.aside();
            }
            if !self.plain_stop() {
                break;
            }
        }
        if self.dice.one_in(3) {
            self.prompt();
            self.write("src/wheel.rs", "one");
            self.plain_stop();
        }
        if self.dice.one_in(4) {
            self.prompt();
            // New content each time, and nothing else: it looks like progress, and has an end all the same.
            for _ in 0..8 {
                self.writes_something_new();
                if !self.plain_stop() {
                    break;
                }
            }
        }
    }

    /// Nothing changed since it failed: it is run three times more at most, and only where that is said.
    fn check_again(&mut self) {
        let said = self.dice.one_in(2);
        self.say(if said { "refused check a --again" } else { "refused done a" });
        if said && self.model.phase('a').tries <= 3 {
            self.model.check_fails('a');
        }
    }

    fn repeats_a_failing_command(&mut self) {
        let after = Some('a').filter(|_| self.dice.one_in(2));
        let phases = vec![Phase::new('a', 1, true, None), Phase::new('b', 1, false, after)];
        self.with(phases);
        self.say("refused check a");
        self.model.check_fails('a');
        for _ in 0..self.dice.below(4) {
            self.say("fails make");
            self.check_again();
        }
        let held = self.plain_stop();
        if held && self.dice.one_in(2) {
            self.check_again();
            self.plain_stop();
        }
        match self.dice.below(3) {
            0 => {
                self.say("did fail a --why it-never-passes");
                self.model.becomes('a', Stands::Failed);
                if self.model.working().is_some() && self.dice.one_in(2) {
                    self.finish();
                }
                self.plain_stop();
            }
            1 => {
                self.prompt();
                self.ends_well();
            }
            _ => {
                self.plain_stop();
            }
        }
    }

    fn crashes_and_resumes(&mut self) {
        self.begin(5, false);
        for _ in 0..self.dice.below(3) {
            self.work();
        }
        if self.dice.one_in(2) {
            self.plain_stop();
        }
        for life in 2..3 + self.dice.below(2) {
            let clear = self.dice.one_in(3);
            if clear {
                // The host ends the one before it starts the other.
                self.say("end clear");
            } else {
                if self.dice.one_in(3) {
                    self.say("end");
                }
                self.say("crash");
            }
            self.say(&format!("session s{life}"));
            self.say(if clear { "start clear" } else { "start startup" });
            if clear {
                self.model.clears();
            } else {
                self.model.crashes();
            }
            self.model.prompt();
            self.say("prompt continue");
            if self.dice.one_in(2) {
                self.work();
            }
            self.plain_stop();
        }
        if self.dice.one_in(2) {
            self.ends_well();
        } else {
            self.plain_stop();
        }
    }
}
