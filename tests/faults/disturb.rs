//! One scene against many faults.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use steadfast::store::layout;

use crate::calls::{self, Call, Learned, is_temp};
use crate::judge::{self, Kind, Truth};
use crate::places::{bound, close};
use crate::play::{play, restored, roots, strace, taken};
use crate::scenes::{Run, Scene, stopping};
use crate::stage::{Answer, Ran, Stage};
use crate::tree::{self, Tree};

type Events = BTreeMap<String, usize>;

/// What happens to a run.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// It is killed on its way into this call.
    Kill(Call),
    /// This call fails.
    Error(Call, &'static str),
    /// This call writes nothing and says so.
    Nothing(Call),
    /// Nothing beneath these roots may be written: 0 the project, 1 the state directory, 2 the home.
    Closed(&'static [usize]),
    /// No file may grow beyond this many bytes: a write is cut there, and the next one fails.
    Limit(u64),
}

impl Fault {
    /// The words of the program that brings it about.
    fn wrap(&self, log: &Path, alone: bool) -> Vec<String> {
        let inject = |call: &Call, what: &str| {
            let inject = format!("inject={}:{what}:when={}", call.name, call.nth);
            let trace = format!("trace={}", call.name);
            // Much faster, but with it what the program starts is disturbed as well.
            let quick: &[&str] = if alone { &["-f", "--seccomp-bpf"] } else { &[] };
            strace(log, &[quick, &["-e", &trace, "-e", &inject]].concat())
        };
        match self {
            Self::Kill(call) => inject(call, "signal=KILL"),
            Self::Error(call, error) => inject(call, &format!("error={error}")),
            Self::Nothing(call) => inject(call, "retval=0"),
            Self::Closed(_) => bound(),
            // The signal that comes with the limit would end the run before it sees the short write.
            Self::Limit(bytes) => ["sh", "-c", "trap '' XFSZ; exec prlimit --fsize=$0 \"$@\"", &bytes.to_string()]
                .map(str::to_owned)
                .to_vec(),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Kill(call) => format!("killed at {} {}: {}", call.name, call.nth, call.line),
            Self::Error(call, error) => format!("{error} at {} {}: {}", call.name, call.nth, call.line),
            Self::Nothing(call) => format!("nothing written at {} {}: {}", call.name, call.nth, call.line),
            Self::Closed(which) => format!("closed: {which:?} of project, state, home"),
            Self::Limit(bytes) => format!("no file beyond {bytes} bytes"),
        }
    }
}

/// A scene, and what it comes to when nobody disturbs it.
pub(crate) struct Known<'s> {
    scene: &'s Scene,
    stage: Stage,
    pub(crate) learned: Learned,
    before: Tree,
    after: Tree,
    /// What the plan says after one run, and after a second.
    statuses: Vec<Value>,
    /// Events in the ledgers after one run, and the most after two.
    events: Events,
    most: Events,
    /// The line by which it says that it is done.
    said: String,
    /// A stop is held before or after.
    holds: bool,
    judged: BTreeSet<u64>,
    pub(crate) runs: usize,
}

impl<'s> Known<'s> {
    /// Prepares a scene and runs it undisturbed.
    pub(crate) fn new(scene: &'s Scene) -> Self {
        let stage = (scene.prepare)();
        let before = taken(&stage);
        let log = stage.dir.path().join("log");
        let ran = play(&stage, &scene.run, &strace(&log, &["-y", "-s", "1048576"]));
        assert_eq!(ran.code, 0, "{}: {ran:?}", scene.name);
        let after = taken(&stage);
        let size = |path: &Path| tree::bytes(&before, path).map_or(0, |bytes| bytes.len() as u64);
        let learned = calls::learn(&std::fs::read_to_string(&log).unwrap(), &size);
        assert!(learned.calls.iter().any(|call| call.fails), "{}", scene.name);
        let once = finished(&stage);
        restored(&stage, &after);
        let second = play(&stage, &scene.run, &[]);
        if second.code == 1 && !scene.then.is_empty() {
            play(&stage, &Run::Agent("main", scene.then), &[]);
        }
        let (events, mut most) = (judge::events(&after), judge::events(&taken(&stage)));
        let statuses = vec![once, finished(&stage)];
        for tree in [&after, &taken(&stage)] {
            for (event, n) in judge::events(tree) {
                let entry = most.entry(event).or_default();
                *entry = (*entry).max(n);
            }
        }
        let mut known = Self {
            scene,
            stage,
            learned,
            before,
            after,
            statuses,
            events,
            most,
            said: ran.out.lines().next().unwrap_or_default().trim().to_owned(),
            holds: false,
            judged: BTreeSet::new(),
            runs: 0,
        };
        known.holds = [known.before.clone(), known.after.clone()].iter().any(|tree| {
            restored(&known.stage, tree);
            stop(&known.stage).held().is_some()
        });
        restored(&known.stage, &known.before);
        let truth = known.truth(false);
        assert_eq!(truth.wrong(&known.after), [""; 0], "{}: the judge knows what it says yes to", scene.name);
        known
    }

    /// How many different states the faults left.
    pub(crate) fn ends(&self) -> usize {
        self.judged.len()
    }

    fn truth(&self, torn_slots: bool) -> Truth<'_> {
        Truth { before: &self.before, after: &self.after, versions: &self.learned.versions, torn_slots }
    }

    /// Runs the scene with a fault. What is wrong afterwards.
    pub(crate) fn disturb(&mut self, fault: &Fault) -> Vec<String> {
        self.runs += 1;
        let log = self.stage.dir.path().join("log");
        let closed: &[usize] = if let Fault::Closed(which) = fault { which } else { &[] };
        for which in closed {
            close(roots(&self.stage)[*which]);
        }
        let ran = play(&self.stage, &self.scene.run, &fault.wrap(&log, self.learned.alone));
        for (path, (_, mode)) in &self.before {
            if closed.iter().any(|which| path.starts_with(roots(&self.stage)[*which])) {
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(*mode)).unwrap();
            }
        }
        let found = taken(&self.stage);
        let mut wrong = self.judge(fault, &ran, &found);
        if self.is_new(&found, &ran) {
            wrong.extend(self.afterwards(&found, &ran));
        }
        if found != self.before {
            restored(&self.stage, &self.before);
        }
        wrong
            .iter()
            .map(|wrong| format!("{}, {}\n    {wrong}\n    it said {ran:?}", self.scene.name, fault.words()))
            .collect()
    }

    /// The same state has the same future: each is judged once.
    fn is_new(&mut self, found: &Tree, ran: &Ran) -> bool {
        let mut hasher = DefaultHasher::new();
        for (path, node) in found {
            // A temporary file is named by its process.
            let path = if is_temp(path) { path.with_file_name("temp") } else { path.clone() };
            (path, node).hash(&mut hasher);
        }
        self.acknowledged(ran).hash(&mut hasher);
        self.judged.insert(hasher.finish())
    }

    fn is_hook(&self) -> bool {
        matches!(self.scene.run, Run::Hook(..))
    }

    /// A verb said that it is done.
    fn acknowledged(&self, ran: &Ran) -> bool {
        let handed_over = ran.out.contains("next hook");
        !self.is_hook() && !handed_over && (ran.code == 0 || ran.out.lines().any(|line| line.trim() == self.said))
    }

    /// The run itself, and what it left.
    fn judge(&self, fault: &Fault, ran: &Ran, found: &Tree) -> Vec<String> {
        let killed = matches!(fault, Fault::Kill(_)) && matches!(ran.code, -1 | 137);
        let mut wrong = self.truth(matches!(fault, Fault::Limit(_))).wrong(found);
        if self.is_hook() {
            if !killed && ran.code != 0 {
                wrong.push(format!("a hook ended with {}", ran.code));
            }
            match serde_json::from_str::<Value>(&ran.out) {
                Ok(answer) if answer["decision"] == "block" => {
                    if blocks(found) <= blocks(&self.before) {
                        wrong.push("held, and the count of it is not written".to_owned());
                    }
                    wrong.extend(self.lacks(found));
                }
                Ok(_) => {}
                Err(_) if ran.out.is_empty() => {}
                Err(error) => wrong.push(format!("an answer that is none: {error}")),
            }
        } else if self.acknowledged(ran) {
            wrong.extend(self.lacks(found));
            for (path, bytes) in tree::files(&self.after).filter(|(path, _)| judge::kind(path) == Some(Kind::Whole)) {
                if tree::bytes(found, path) != Some(bytes) {
                    wrong.push(format!("acknowledged, and {} is not written", path.display()));
                }
            }
        } else if !killed {
            let text = format!("{}{}", ran.err, ran.out);
            let parts = ["error: ", "why: ", "fix: "];
            let handed_over = ran.code == 0 && ran.out.contains("next hook");
            // Nobody hears a verb that may not write to its terminal.
            let mute = text.is_empty()
                && matches!(fault, Fault::Error(call, _) | Fault::Nothing(call) if call.name == "write");
            if !mute && !handed_over && (!matches!(ran.code, 1 | 3) || parts.iter().any(|part| !text.contains(part))) {
                wrong.push("neither done nor a clear error".to_owned());
            }
        }
        wrong
    }

    /// Records that an undisturbed run writes and that are not there.
    fn lacks(&self, found: &Tree) -> Vec<String> {
        let there = judge::events(found);
        self.missing(&there).map(|event| format!("acknowledged, and no record of `{event}`")).collect()
    }

    fn missing<'a>(&'a self, there: &'a Events) -> impl Iterator<Item = &'a String> {
        let lacking = self.events.iter().filter(|(event, n)| there.get(*event).copied().unwrap_or(0) < **n);
        lacking.map(|(event, _)| event)
    }

    /// What comes after the fault: stops; and the same once more.
    fn afterwards(&self, found: &Tree, ran: &Ran) -> Vec<String> {
        let mut wrong = self.stops();
        restored(&self.stage, found);
        wrong.extend(self.again(found, ran));
        restored(&self.stage, found);
        wrong
    }

    /// Nobody is held that is not held otherwise, and nobody for ever.
    fn stops(&self) -> Vec<String> {
        for _ in 0..3 {
            if stop(&self.stage).held().is_none() {
                return Vec::new();
            }
            if !self.holds {
                return vec!["a stop was held that is let go otherwise".to_owned()];
            }
        }
        vec!["every stop is held".to_owned()]
    }

    /// The next run does what this one was to do.
    fn again(&self, found: &Tree, ran: &Ran) -> Vec<String> {
        let mut wrong = Vec::new();
        let torn = tree::files(found).any(|(path, bytes)| {
            judge::kind(path) == Some(Kind::Slot) && !bytes.is_empty() && judge::slot(bytes).is_err()
        });
        if torn {
            // Whoever meets a lost run state says that this is to be done.
            play(&self.stage, &Run::Agent(self.session(), &["attach"]), &[]);
        }
        let mut again = play(&self.stage, &self.scene.run, &[]);
        let goes_on = again.code == 1 && !self.scene.then.is_empty();
        if goes_on {
            again = play(&self.stage, &Run::Agent(self.session(), self.scene.then), &[]);
        }
        if again.code != 0 {
            wrong.push(format!("the next run ended with {}: {again:?}", again.code));
        }
        let now = finished(&self.stage);
        if !torn && !self.statuses.contains(&now) {
            wrong.push(format!("the next run comes to\n      {now}, not to\n      {}", self.statuses[0]));
        }
        // The next verb of every plan.
        for plan in plans(&self.stage) {
            play(
                &self.stage,
                &Run::Agent("nobody", &["log", "note", "after the fault"]),
                &["env".to_owned(), format!("PLAN_ID={plan}")],
            );
        }
        // An append looks at nothing else. Any other verb takes away what lies about, also one that is refused.
        for plan in plans(&self.stage) {
            play(
                &self.stage,
                &Run::Agent("nobody", &["receipt", "nobody-asks", "--ref", "x"]),
                &["env".to_owned(), format!("PLAN_ID={plan}")],
            );
        }
        let end = taken(&self.stage);
        if let Some((left, _)) = tree::files(&end).find(|(path, _)| is_temp(path)) {
            wrong.push(format!("{} lies about for ever", left.display()));
        }
        if judge::double_ticks(&end) > judge::double_ticks(&self.before) {
            wrong.push("two records have one tick".to_owned());
        }
        let there = judge::events(&end);
        for event in self.missing(&there) {
            // A phase that the file says is in progress needs no record; an attachment is in force without one; and so is what
            // `init` made, where something else goes on with it.
            let spared =
                event == "phase_start" || (event == "attach" && self.is_hook()) || (event == "init" && goes_on);
            if self.acknowledged(ran) || !spared {
                wrong.push(format!("after the next run there is no record of `{event}`"));
            }
        }
        // What was recorded and not acknowledged is done again, and so recorded again. A receipt is not: it says that something
        // was done out there.
        let (old, left) = (judge::events(&self.before), judge::events(found));
        let n = |events: &Events, event: &str| events.get(event).copied().unwrap_or(0);
        for (event, count) in &there {
            let once = event == "receipt" || self.acknowledged(ran);
            let unheard = if once { 0 } else { n(&left, event) - n(&old, event) };
            let by_the_judge = ["note", "prompt", "gate_allow", "gate_block"].contains(&event.as_str());
            if *count > n(&self.most, event) + unheard && !by_the_judge && !torn {
                wrong.push(format!("`{event}` is recorded once too often: {count}"));
            }
        }
        let doctor = play(&self.stage, &Run::Agent(self.session(), &["doctor"]), &[]);
        if let Some(line) = doctor.out.lines().find(|line| line.starts_with("wrong") || line.contains("left over")) {
            wrong.push(format!("doctor: {line}"));
        }
        wrong
    }

    fn session(&self) -> &'static str {
        match self.scene.run {
            Run::Agent(session, _) | Run::Hook(session, ..) => session,
            Run::Person(_) => "main",
        }
    }
}

/// A stop of the attached session where nobody attends.
fn stop(stage: &Stage) -> Answer {
    Answer::of(&play(stage, &Run::Hook("main", "Stop", stopping), &[]))
}

/// How far the run is when what stands in the file and not in the ledger was taken over by the next hooks.
fn finished(stage: &Stage) -> Value {
    play(stage, &Run::Hook("main", "UserPromptSubmit", |_| serde_json::json!({ "prompt": "x" })), &[]);
    stop(stage);
    status(stage)
}

/// The ids of the plans of a stage.
fn plans(stage: &Stage) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(stage.project.join(layout::PLANNING)) else { return Vec::new() };
    let dirs = entries.map(|entry| entry.unwrap().path()).filter(|path| path.join(layout::PLAN).exists());
    dirs.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// What of `status --json` says how far the run is.
fn status(stage: &Stage) -> Value {
    let ran = play(stage, &Run::Agent("main", &["status", "--json"]), &[]);
    let Ok(mut value) = serde_json::from_str::<Value>(&ran.out) else { return Value::String(ran.err) };
    if value.get("error").is_some() {
        return value["error"].take();
    }
    let mut plan = value["plan"].take();
    plan.as_object_mut().unwrap().retain(|key, _| !["id", "dir"].contains(&key.as_str()));
    let [phases, counts, next, session] = ["phases", "counts", "next", "session"].map(|key| value[key].take());
    serde_json::json!({ "plan": plan, "phases": phases, "counts": counts, "next": next, "session": session })
}

/// The largest block counter of a tree.
fn blocks(tree: &Tree) -> u32 {
    let mirrors = tree::files(tree).filter(|(path, _)| path.file_name().is_some_and(|name| name == layout::BLOCKS));
    mirrors.filter_map(|(_, bytes)| std::str::from_utf8(bytes).ok()?.trim().parse().ok()).max().unwrap_or(0)
}
