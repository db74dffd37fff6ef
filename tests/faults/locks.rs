//! A lock that somebody keeps: asleep, killed, or on a file system that has none. Nothing is measured by a clock: what counts is
//! how long a run asked to sleep, and that it came back while the other one still had the lock.

use std::fs::File;
use std::os::fd::AsFd;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use steadfast::store::lock::{HOOK_PATIENCE, VERB_PATIENCE};

use crate::calls;
use crate::play::{has_strace, play, strace};
use crate::scenes::{Run, stopping};
use crate::stage::{Answer, Ran, Stage};

/// What a plan's lock is kept by.
struct Holder(Child);

impl Holder {
    fn of(stage: &Stage) -> Self {
        let run = stage.plan_dir().join(".run");
        let child = Command::new("flock").arg("--no-fork").arg(run).args(["sleep", "600"]).spawn().unwrap();
        while !is_kept(stage) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Self(child)
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn is_kept(stage: &Stage) -> bool {
    let file = File::open(stage.plan_dir().join(".run")).unwrap();
    rustix::fs::flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive).is_err()
}

/// A run whose attempts to lock and whose sleeps are counted.
struct Waited {
    ran: Ran,
    attempts: usize,
    slept: Duration,
}

fn waited(stage: &Stage, name: &str, run: &Run, options: &[&str]) -> Waited {
    let log = stage.dir.path().join(name);
    let trace = ["-e", "trace=flock,clock_nanosleep,nanosleep"];
    let ran = play(stage, run, &strace(&log, &[&trace, options].concat()));
    let log = std::fs::read_to_string(log).unwrap();
    for line in log.lines().filter(|line| line.starts_with("flock(")) {
        assert!(line.contains("LOCK_NB"), "nobody waits in the kernel: {line}");
    }
    let number = |line: &str, name: &str| -> u64 {
        line.split(name).nth(1).map_or(0, |rest| rest.split(['}', ',']).next().unwrap().parse().unwrap())
    };
    let asked = log.lines().filter(|line| line.contains("nanosleep("));
    let slept = asked.map(|l| Duration::new(number(l, "tv_sec="), u32::try_from(number(l, "tv_nsec=")).unwrap())).sum();
    Waited { ran, attempts: calls::count(&log, "flock"), slept }
}

const PROMPT: Run = Run::Hook("main", "UserPromptSubmit", |_| json!({ "prompt": "x" }));
const STOP: Run = Run::Hook("main", "Stop", stopping);
const LOG: Run = Run::Agent("main", &["log", "note", "x"]);

#[test]
fn hooks_and_verbs_go_on_while_who_has_the_lock_is_asleep_and_after_it_was_killed() {
    assert_eq!((HOOK_PATIENCE, VERB_PATIENCE), (Duration::from_millis(250), Duration::from_secs(10)));
    if !has_strace() {
        return;
    }
    let stage = Stage::gated();
    let holder = Holder::of(&stage);
    holder.send(Signal::STOP);
    let before = stage.tree(&stage.plan_dir());
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd"] {
        let hook = Run::Hook("main", event, |stage| {
            let input = json!({ "file_path": stage.plan_file(), "content": "" });
            json!({ "source": "startup", "prompt": "x", "tool_name": "Write", "tool_use_id": "t", "tool_input": input,
                "stop_hook_active": false, "trigger": "auto", "reason": "other" })
        });
        let waited = waited(&stage, "hook", &hook, &[]);
        let answer = Answer::of(&waited.ran);
        assert!(waited.slept <= HOOK_PATIENCE && waited.attempts > 1, "{event}: {:?}", waited.slept);
        assert_eq!(answer.held(), None, "{event}");
        let (block, said) = (answer.context().contains("Survey"), answer.notice().contains("locked"));
        match event {
            "UserPromptSubmit" | "SessionStart" => assert!(block && said, "{event}: {answer:?}"),
            "Stop" => assert!(said, "{answer:?}"),
            "PreToolUse" => assert!(answer.raw.contains("deny"), "a refusal stands without its record: {answer:?}"),
            _ => assert_eq!(answer.raw, "", "{event}"),
        }
    }
    let verbs: [&'static [&'static str]; 5] = [
        &["log", "note", "x"],
        &["step", "survey", "1"],
        &["skip", "survey", "--why", "x"],
        &["wait", "survey", "--for", "2h"],
        &["attach"],
    ];
    std::thread::scope(|scope| {
        for (n, args) in verbs.into_iter().enumerate() {
            let stage = &stage;
            scope.spawn(move || {
                let waited = waited(stage, &format!("verb{n}"), &Run::Agent("main", args), &[]);
                let ran = waited.ran;
                assert!(waited.slept <= VERB_PATIENCE && waited.slept > HOOK_PATIENCE, "{args:?}: {:?}", waited.slept);
                assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{ran:?}");
                for part in ["error: the plan `", "why: another process holds the plan's lock", "fix: steadfast status"]
                {
                    assert!(ran.err.contains(part), "{ran:?}");
                }
            });
        }
    });
    assert!(is_kept(&stage), "they came back while it was kept");
    stage.agent("main", &["status"]).fine();
    assert_eq!(stage.tree(&stage.plan_dir()), before, "nothing was written without the lock");
    // The system takes the lock back; nobody guesses how old it is.
    holder.kill();
    let next = waited(&stage, "next", &STOP, &[]);
    assert!(Answer::of(&next.ran).held().is_some(), "{:?}", next.ran);
    assert_eq!((next.attempts, next.slept), (1, Duration::ZERO));
}

/// A network mount may refuse to lock at all: then writers go on without, and nothing else differs.
#[test]
fn a_file_system_without_locks_holds_up_nobody() {
    if !has_strace() {
        return;
    }
    for error in ["ENOLCK", "EOPNOTSUPP", "ENOSYS", "EINVAL", "EIO"] {
        let stage = Stage::gated();
        let inject = format!("inject=flock:error={error}");
        let options = ["-e", inject.as_str()];
        let prompt = waited(&stage, "log", &PROMPT, &options);
        assert!(Answer::of(&prompt.ran).context().contains("Survey"), "{error}");
        let verb = waited(&stage, "log", &LOG, &options);
        assert_eq!(verb.ran.code, 0, "{error}: {:?}", verb.ran);
        let stop = waited(&stage, "log", &STOP, &options);
        assert!(Answer::of(&stop.ran).held().is_some(), "{error}: {:?}", stop.ran);
        for waited in [prompt, verb, stop] {
            assert_eq!((waited.attempts, waited.slept), (1, Duration::ZERO), "{error}");
        }
        assert_eq!(["prompt", "note", "gate_block"].map(|event| stage.count(event)), [1, 1, 1], "{error}");
    }
}

/// Interrupted without an end is no lock and no reason to try for ever.
#[test]
fn a_lock_that_is_always_interrupted_is_given_up() {
    if !has_strace() {
        return;
    }
    let stage = Stage::gated();
    let waited = waited(&stage, "log", &STOP, &["-e", "inject=flock:error=EINTR"]);
    let answer = Answer::of(&waited.ran);
    assert!(answer.held().is_none() && answer.notice().contains("locked"), "{answer:?}");
    assert!(waited.slept <= HOOK_PATIENCE && waited.attempts > 1, "{:?}", waited.slept);
}
