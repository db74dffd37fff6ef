//! What users tell of sessions: crashes, reviews beside the run, clean-ups, worktrees; and who is bound where.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use serde_json::{Value, json};

use crate::stage::{Answer, PLAN, Ran, Stage};

const ALONE: (&str, &str) = ("CLAUDE_CODE_SESSION_ATTENDED", "0");

/// A gated plan whose session belongs to a process of its own.
fn with_host() -> (Stage, Child) {
    let stage = Stage::new();
    stage.write("plan.md", PLAN);
    let host = Command::new("sleep").arg("600").spawn().unwrap();
    verb_of(&stage, "main", &host, &["init", "--gated", "--from", "plan.md"]).fine();
    (stage, host)
}

fn verb_of(stage: &Stage, session: &str, host: &Child, args: &[&str]) -> Ran {
    let mut verb = stage.command(args);
    verb.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session).env("CLAUDE_PID", host.id().to_string());
    verb.output().unwrap().into()
}

fn crash(host: &mut Child) {
    host.kill().unwrap();
    host.wait().unwrap();
}

fn owner(stage: &Stage) -> String {
    stage.status()["session"]["attached"].as_str().unwrap_or_default().to_owned()
}

fn sessions(stage: &Stage) -> Vec<Value> {
    stage.verb(&["sessions", "--json"]).fine().json()["sessions"].as_array().unwrap().clone()
}

#[test]
fn a_supervisor_goes_on_after_a_crash_at_the_step_that_was_last() {
    let (stage, mut host) = with_host();
    verb_of(&stage, "main", &host, &["step", "survey", "1"]).fine();
    crash(&mut host);
    assert_eq!(sessions(&stage)[0]["live"], false);
    let env = [ALONE];
    assert_eq!(stage.hook_with("new", "SessionStart", json!({ "source": "startup" }), &env).raw, "");
    let told = stage.hook_with("new", "UserPromptSubmit", json!({ "prompt": "continue" }), &env);
    for part in ["open: 2 Measure the old one", "last work: ", "claude-code: step survey", "`steadfast step survey 2`"]
    {
        assert!(told.context().contains(part), "{part}: {told:?}");
    }
    assert_eq!(owner(&stage), "new");
    assert!(stage.hook_with("new", "Stop", json!({ "stop_hook_active": false }), &env).held().is_some());
}

/// All events of a short session, which have to be answered by nothing and leave nothing.
#[track_caller]
fn is_left_alone(stage: &Stage, session: &str, host: &str, env: &[(&str, &str)]) {
    let before = (stage.tree(&stage.project), stage.tree(&stage.state));
    let tool = json!({ "tool_name": "Bash", "tool_input": { "command": "git diff" }, "tool_use_id": "t" });
    for (event, fields) in [
        ("SessionStart", json!({ "source": "startup" })),
        ("UserPromptSubmit", json!({ "prompt": "Review what changed. Is the lexer right?" })),
        ("PreToolUse", tool.clone()),
        ("PostToolUse", tool),
        ("Stop", json!({ "stop_hook_active": false, "last_assistant_message": "It is right." })),
        ("SessionEnd", json!({ "reason": "other" })),
    ] {
        let mut payload = json!({ "session_id": session, "cwd": stage.project, "hook_event_name": event });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let mut hook = stage.command(&["hook", event, "--host", host]);
        hook.envs(env.iter().copied());
        let input = stage.home.join("payload");
        fs::write(&input, payload.to_string()).unwrap();
        hook.stdin(fs::File::open(&input).unwrap());
        let answer = Answer::of(&hook.output().unwrap().into());
        assert_eq!(answer.raw, "", "{host} {event}");
    }
    assert_eq!((stage.tree(&stage.project), stage.tree(&stage.state)), before, "{host}: nothing is written");
}

#[test]
fn a_one_shot_review_beside_the_run_is_left_alone() {
    let (stage, mut host) = with_host();
    let pid = host.id().to_string();
    // Started by hand, and by the attached session itself, whose environment it inherits.
    let inherited = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "main"), ("CLAUDE_PID", pid.as_str()), ALONE];
    for env in [&[ALONE][..], &inherited] {
        is_left_alone(&stage, "review", "claude-code", env);
        is_left_alone(&stage, "0199-review", "codex", env);
    }
    assert_eq!(owner(&stage), "main");
    // One that crashed leaves its plan to whoever asks for it, not to whoever comes by.
    crash(&mut host);
    is_left_alone(&stage, "review", "claude-code", &[ALONE]);
}

#[test]
fn a_second_terminal_with_an_unrelated_question_is_left_alone() {
    let (stage, mut host) = with_host();
    is_left_alone(&stage, "second", "claude-code", &[("CLAUDE_CODE_SESSION_ATTENDED", "1")]);
    crash(&mut host);
    // Nobody live works on it: offered once, and no more than that.
    let attended = [("CLAUDE_CODE_SESSION_ATTENDED", "1")];
    let offer = stage.hook_with("third", "SessionStart", json!({ "source": "startup" }), &attended);
    assert_eq!(offer.context().lines().count(), 1, "{offer:?}");
    assert!(offer.context().contains("Unrelated prompt: ignore this line"), "{offer:?}");
    let question = stage.hook_with("third", "UserPromptSubmit", json!({ "prompt": "what time is it?" }), &attended);
    assert_eq!(question.raw, "");
    assert_eq!(stage.hook_with("third", "Stop", json!({ "stop_hook_active": false }), &attended).raw, "");
}

#[test]
fn sessions_of_one_process_are_told_apart_by_id() {
    let stage = Stage::gated();
    // The same process serves another conversation: an editor, or a fork of this one.
    for (session, source) in [("tab", "startup"), ("fork", "resume"), ("late", "clear")] {
        assert_eq!(stage.start(session, source).raw, "", "{source}");
        assert_eq!(stage.prompt(session, "what is this?").raw, "");
        assert_eq!(stage.stop(session, false).raw, "");
    }
    assert_eq!(owner(&stage), "main");
    assert!(stage.stop("main", false).held().is_some());
    // After the end of one by /clear, the next of that process is its heir; of two that come the first.
    stage.hook("main", "SessionEnd", json!({ "reason": "clear" }));
    assert!(stage.start("heir", "clear").context().contains("Survey"));
    assert_eq!(stage.start("other", "clear").raw, "");
    assert_eq!(owner(&stage), "heir");
    let all = sessions(&stage);
    let bonds: Vec<_> = all.iter().map(|s| (s["session"].as_str().unwrap(), s["bond"].as_str().unwrap())).collect();
    assert_eq!(bonds, [("heir", "attached"), ("main", "former")]);
}

fn git(stage: &Stage, dir: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=Mill", "-c", "user.email=mill@example.org", "-c", "protocol.file.allow=always"]);
    let ran = git.args(args).current_dir(dir).env("HOME", &stage.home).output().unwrap();
    assert!(ran.status.success(), "{args:?}: {ran:?}");
}

/// A gated plan that is committed, in a real repository.
fn committed() -> Stage {
    let stage = Stage::new();
    fs::remove_dir_all(stage.project.join(".git")).unwrap();
    git(&stage, &stage.project, &["init", "-q", "-b", "main"]);
    stage.write("plan.md", PLAN);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    git(&stage, &stage.project, &["add", "-A"]);
    git(&stage, &stage.project, &["commit", "-qm", "plan"]);
    stage
}

#[test]
fn a_clean_up_by_git_traps_nobody_and_loses_nothing_that_is_approved() {
    let stage = committed();
    stage.agent("main", &["step", "survey", "1"]).fine();
    // The run state is ignored by git, so a thorough clean-up takes it.
    git(&stage, &stage.project, &["clean", "-fdxq"]);
    let stop = stage.stop("main", false);
    assert!(stop.held().is_none() && stop.notice().contains("run state is gone"), "{stop:?}");
    assert!(stage.prompt("main", "go on").context().contains("Survey"), "what is approved is still shown");
    stage.agent("main", &["attach"]).fine();
    assert!(stage.stop("main", false).held().is_some(), "the ledger is in git's view, and rebuilds the run");
    // Everything that is not committed goes: the words of the file, and what the ledger had since.
    git(&stage, &stage.project, &["restore", "."]);
    let told = stage.prompt("main", "go on");
    assert!(told.context().contains("open: 1 List the callers"), "{told:?}");
    assert_eq!(stage.agent("main", &["log", "note", "goes on"]).code, 0);
    assert_eq!(stage.verb(&["log", "--verify"]).code, 0, "the next append went on from what is there");
    // A plan that nobody committed is gone with it, and so is the run.
    let lost = Stage::gated();
    fs::remove_dir_all(lost.project.join(".planning")).unwrap();
    let said = lost.stop("main", false);
    assert!(said.held().is_none() && said.notice().contains("was deleted, so this run is cancelled"), "{said:?}");
    assert_eq!(lost.stop("main", false).raw, "", "said once");
}

#[test]
fn a_worktree_and_a_submodule_have_plans_of_their_own() {
    let stage = committed();
    let tree = stage.dir.path().join("tree");
    git(&stage, &stage.project, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    // Its copy of the plan is another directory, which nobody approved here.
    let at = |dir: &Path, session: &str, event: &str, fields: Value| {
        let mut payload = json!({ "session_id": session, "cwd": dir, "hook_event_name": event });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        Answer::of(&stage.hook_bytes(
            event,
            payload.to_string().as_bytes(),
            &[("CLAUDE_PROJECT_DIR", dir.to_str().unwrap())],
        ))
    };
    let other = at(&tree, "tree", "UserPromptSubmit", json!({ "prompt": "continue" }));
    assert!(!other.context().contains("Survey"), "{other:?}");
    assert_eq!(at(&tree, "tree", "Stop", json!({ "stop_hook_active": false })).held(), None);
    assert_eq!(owner(&stage), "main");
    // The attached session keeps its plan wherever it goes, also where the directory is gone.
    for dir in [tree.clone(), stage.project.join("gone/for/good")] {
        let held = at(&dir, "main", "UserPromptSubmit", json!({ "prompt": "go on" }));
        assert!(held.context().contains("Survey"), "{held:?}");
    }

    let module = stage.dir.path().join("module");
    fs::create_dir(&module).unwrap();
    git(&stage, &module, &["init", "-q", "-b", "main"]);
    git(&stage, &module, &["commit", "-q", "--allow-empty", "-m", "begin"]);
    git(&stage, &stage.project, &["submodule", "--quiet", "add", module.to_str().unwrap(), "lib"]);
    let inside = stage.project.join("lib");
    let ran = stage.command(&["status"]).current_dir(&inside).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "the plan of the repository around it is none of its own: {ran:?}");
    let made: Ran = stage.command(&["init", "Mend the library"]).current_dir(&inside).output().unwrap().into();
    made.fine();
    assert!(inside.join(".planning").is_dir());
}

#[test]
fn verbs_in_a_directory_that_is_gone_say_so() {
    let stage = Stage::gated();
    let gone = stage.project.join("gone");
    fs::create_dir(&gone).unwrap();
    let words = format!("rmdir {0}; exec {1} status", gone.display(), env!("CARGO_BIN_EXE_steadfast"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &words]).current_dir(&gone).env_clear().envs(stage.env.iter().map(|(k, v)| (k, v)));
    let ran: Ran = shell.output().unwrap().into();
    assert!(ran.code != 0 && ran.err.starts_with("error: ") && ran.err.contains("fix: "), "{ran:?}");
}

#[test]
fn who_is_bound_where_is_shown_and_forgotten_by_a_person_alone() {
    let stage = Stage::new();
    assert!(stage.verb(&["sessions"]).fine().out.contains("no session is bound to a plan"));
    let (stage, mut host) = with_host();
    let pid = host.id();
    let shown = stage.verb(&["sessions"]).fine().out;
    assert!(
        shown.starts_with("attached claude-code main: ") && shown.contains(&format!("(live, process {pid})")),
        "{shown}"
    );
    crash(&mut host);
    stage.agent("second", &["attach"]).fine();
    stage.hook("second", "SessionEnd", json!({ "reason": "other" }));
    let shown = stage.verb(&["sessions"]).fine().out;
    let lines: Vec<&str> = shown.lines().filter(|l| !l.starts_with(' ')).collect();
    assert!(lines[0].starts_with("attached claude-code second: ") && lines[0].ends_with("(ended)"), "{shown}");
    assert!(lines[1].starts_with("former claude-code main: ") && lines[1].ends_with("(not there any more)"), "{shown}");
    assert!(lines[2].contains("nobody comes back to 1 of them"), "{shown}");
    assert_eq!(stage.agent("second", &["sessions", "--prune"]).code, 1);
    assert!(stage.person(&["sessions", "--prune"], "").out.contains("forgot 1 session"));
    assert_eq!(sessions(&stage).len(), 1, "the one the plan counts on stays");
}
