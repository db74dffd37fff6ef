//! Running a scene: undisturbed, or under a program that disturbs it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::scenes::Run;
use crate::stage::{Ran, Stage};
use crate::tree::{self, Tree};

/// Runs something on a stage. `wrap`: the words of a program that starts it.
pub(crate) fn play(stage: &Stage, run: &Run, wrap: &[String]) -> Ran {
    let program = env!("CARGO_BIN_EXE_steadfast").to_owned();
    let own: &[&str] = match run {
        Run::Agent(_, args) | Run::Person(args) => args,
        Run::Hook(_, event, _) => &["hook", event, "--host", "claude-code"],
    };
    let mut words: Vec<String> = wrap.to_vec();
    words.push(program);
    words.extend(own.iter().map(|word| (*word).to_owned()));
    if let Run::Person(_) = run {
        let line: Vec<String> = words.iter().map(|word| steadfast::output::quote(word)).collect();
        words = vec!["script".into(), "-qec".into(), line.join(" "), "/dev/null".into()];
    }
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(&stage.project).env_clear().envs(stage.env.iter().map(|(k, v)| (k, v)));
    command.env("NO_COLOR", "1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let pid = std::process::id().to_string();
    let mut input = Vec::new();
    match run {
        Run::Agent(session, _) => {
            command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session).env("CLAUDE_PID", pid);
        }
        Run::Person(_) => {}
        Run::Hook(session, event, fields) => {
            command.env("CLAUDE_PID", pid).env("CLAUDE_PROJECT_DIR", &stage.project);
            command.env("CLAUDE_CODE_SESSION_ATTENDED", "0");
            let mut payload = json!({ "session_id": session, "cwd": stage.project, "hook_event_name": event });
            payload.as_object_mut().unwrap().extend(fields(stage).as_object().unwrap().clone());
            input = payload.to_string().into_bytes();
        }
    }
    let mut child = command.spawn().unwrap();
    // It may be killed before it reads.
    let _ = child.stdin.take().unwrap().write_all(&input);
    child.wait_with_output().unwrap().into()
}

/// The words of a strace that writes to this log.
pub(crate) fn strace(log: &Path, options: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = vec!["strace".into(), "-qq".into(), "-o".into(), log.display().to_string()];
    words.extend(options.iter().map(|option| (*option).to_owned()));
    words
}

/// Where a stage keeps what can be disturbed.
pub(crate) fn roots(stage: &Stage) -> [&Path; 3] {
    [&stage.project, &stage.state, &stage.home]
}

/// Takes a stage as it is.
pub(crate) fn taken(stage: &Stage) -> Tree {
    tree::take(&roots(stage))
}

/// Puts a stage back.
pub(crate) fn restored(stage: &Stage, tree: &Tree) {
    tree::put(&roots(stage), tree);
}

/// Whether strace is here. It has to be in CI.
pub(crate) fn has_strace() -> bool {
    let here = Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(here || std::env::var_os("CI").is_none(), "strace is needed in CI");
    here
}
