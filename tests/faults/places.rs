//! What is gone, full, closed or damaged: the state directory, the plan's, and single files of both.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::play::{play, taken};
use crate::scenes::{Run, stopping};
use crate::stage::{Answer, PLAN, Ran, Stage};

const EVENTS: [&str; 8] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "SubagentStop",
    "Stop",
    "SessionEnd",
];

fn fields(stage: &Stage) -> Value {
    let input = json!({ "file_path": stage.project.join("x"), "content": "" });
    json!({ "source": "startup", "prompt": "x", "tool_name": "Write", "tool_use_id": "t", "tool_input": input,
        "stop_hook_active": false, "trigger": "auto", "reason": "other" })
}

/// Root may do what permission bits forbid, unless it gives up the right to.
pub(crate) fn bound() -> Vec<String> {
    if rustix::process::geteuid().is_root() {
        vec!["setpriv".into(), "--bounding-set=-dac_override,-dac_read_search".into()]
    } else {
        Vec::new()
    }
}

/// Takes the right to write away from all that stands beneath a directory.
pub(crate) fn close(root: &Path) {
    // From within outwards, so that what is closed is not entered any more.
    for path in crate::tree::take(&[root]).keys().rev() {
        let mode = if path.is_dir() { 0o500 } else { 0o400 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn stop(stage: &Stage) -> Answer {
    Answer::of(&play(stage, &Run::Hook("main", "Stop", stopping), &[]))
}

fn head_dir(stage: &Stage) -> PathBuf {
    fs::read_dir(stage.state.join("plans")).unwrap().next().unwrap().unwrap().path()
}

fn session_file(stage: &Stage) -> PathBuf {
    fs::read_dir(stage.state.join("sessions")).unwrap().next().unwrap().unwrap().path()
}

/// Whatever is taken away between two stops, a session is not held once more for it: what is missing is no first stop.
#[test]
fn deleting_any_state_between_stops_holds_nobody_again() {
    type Which = fn(&Stage) -> Vec<PathBuf>;
    // What is deleted, and whether something is left that knows of the run and says so.
    let rows: [(&str, Which, bool); 8] = [
        ("the run state", |s| vec![s.plan_dir().join(".run")], true),
        ("the counter", |s| vec![s.plan_dir().join(".stop_blocks")], true),
        ("both", |s| [".run", ".stop_blocks"].map(|n| s.plan_dir().join(n)).to_vec(), true),
        ("the session", |s| vec![session_file(s)], true),
        ("the head", |s| vec![head_dir(s)], true),
        ("the ledger", |s| vec![s.plan_dir().join("ledger-claude-code.jsonl")], true),
        ("the state directory", |s| vec![s.state.clone()], true),
        ("everything", |s| vec![s.state.clone(), s.plan_dir().join(".run"), s.plan_dir().join(".stop_blocks")], false),
    ];
    for (what, which, said) in rows {
        let stage = Stage::gated();
        let paths = which(&stage);
        let mut answers = Vec::new();
        for n in 0..10 {
            // The same stop delivered twice would be answered alike twice.
            let fields = json!({ "stop_hook_active": false, "last_assistant_message": format!("Finished {n}.") });
            answers.push(stage.hook_with("main", "Stop", fields, &[("CLAUDE_CODE_SESSION_ATTENDED", "0")]));
            for path in &paths {
                let _ = fs::remove_dir_all(path);
                let _ = fs::remove_file(path);
            }
        }
        assert!(answers[0].held().is_some(), "{what}");
        assert_eq!(answers.iter().filter(|answer| answer.held().is_some()).count(), 1, "{what}");
        assert_eq!(!answers[1].notice().is_empty(), said, "{what}: {:?}", answers[1]);
    }
}

/// Persist the count first, block second.
#[test]
fn a_count_that_cannot_be_kept_holds_nobody() {
    let files: [(&str, fn(&Stage) -> PathBuf); 4] = [
        ("the run state", |s| s.plan_dir().join(".run")),
        ("the counter", |s| s.plan_dir().join(".stop_blocks")),
        ("the ledger", |s| s.plan_dir().join("ledger-claude-code.jsonl")),
        ("the session", session_file),
    ];
    for (what, file) in files {
        let stage = Stage::gated();
        let path = file(&stage);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        for n in 0..5 {
            let answer = stop(&stage);
            assert!(answer.held().is_none() && !answer.notice().is_empty(), "{what}, stop {n}: {answer:?}");
        }
    }
    for closed in [".planning", "state"] {
        let stage = Stage::gated();
        let root = if closed == "state" { stage.state.clone() } else { stage.project.join(closed) };
        let before = stage.tree(&root);
        close(&root);
        for n in 0..5 {
            let answer = Answer::of(&play(&stage, &Run::Hook("main", "Stop", stopping), &bound()));
            assert!(answer.held().is_none() && !answer.notice().is_empty(), "{closed}, stop {n}: {answer:?}");
        }
        assert_eq!(stage.tree(&root), before, "{closed}");
    }
}

/// What cannot be read or understood is not written over with what one would begin with.
#[test]
fn a_read_error_is_no_empty_store() {
    let log: &'static [&'static str] = &["log", "note", "x"];
    // A damaged head approves nothing and is left for a person to look at; so is the settings file of a host.
    let stage = Stage::gated();
    let head = head_dir(&stage).join("head.json");
    fs::write(&head, "}{").unwrap();
    for args in [&["attest"], &["attach"], &["restore"]] {
        let ran = stage.agent("main", args);
        assert!(ran.code == 3 && ran.err.contains("fix: steadfast doctor"), "{args:?}: {ran:?}");
    }
    assert_eq!(stage.read(&head), "}{");
    let settings = stage.home.join(".claude/settings.json");
    fs::create_dir(stage.home.join(".claude")).unwrap();
    fs::write(&settings, "}{").unwrap();
    assert_eq!(stage.verb(&["install", "claude-code", "--user"]).code, 1);
    assert_eq!(stage.read(&settings), "}{");

    // A run state that is damaged is put together from the ledgers, not begun anew.
    let stage = Stage::gated();
    stage.agent("main", &["skip", "survey", "--why", "known"]).fine();
    let run = stage.plan_dir().join(".run");
    let phases = stage.status()["phases"].clone();
    fs::write(&run, "}{").unwrap();
    stage.agent("main", log).fine();
    assert_eq!(stage.status()["phases"], phases);
    assert_eq!(stage.status()["session"]["attached"], "main");

    // Nor is it put together from half of them, nor taken for damaged because it cannot be read just now.
    let ledger = stage.plan_dir().join("ledger-claude-code.jsonl");
    for (gone, closed) in [(Some(&run), &ledger), (None, &run), (None, &stage.plan_file())] {
        let whole = fs::read(closed).unwrap();
        if let Some(gone) = gone {
            fs::write(gone, "}{").unwrap();
        }
        let before = taken(&stage);
        fs::set_permissions(closed, fs::Permissions::from_mode(0o000)).unwrap();
        // Where the run state is whole and only the plan cannot be read, a line can be logged; a status cannot be written.
        let args: &'static [&'static str] =
            if gone.is_none() && closed != &run { &["step", "build", "1"] } else { log };
        let run: Ran = play(&stage, &Run::Agent("main", args), &bound());
        fs::set_permissions(closed, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(run.code, 3, "{}: {run:?}", closed.display());
        assert!(["error: ", "why: ", "fix: "].iter().all(|part| run.err.contains(part)), "{run:?}");
        assert_eq!(fs::read(closed).unwrap(), whole);
        assert!(taken(&stage) == before, "{}: nothing was written", closed.display());
        stage.agent("main", log).fine();
        assert_eq!(stage.status()["phases"], phases, "{}", closed.display());
    }

    // A plan file that cannot be read is not replaced by what is approved: nobody could keep what stood there.
    fs::write(stage.plan_file(), vec![b'x'; 1024 * 1024 + 1]).unwrap();
    let refused = stage.agent("main", &["restore"]);
    assert!(refused.code == 1 && refused.err.contains("cannot be read"), "{refused:?}");
    assert_eq!(fs::metadata(stage.plan_file()).unwrap().len(), 1024 * 1024 + 1);
}

/// Readers need no lock, and a hook that can write nothing still answers.
#[test]
fn closed_directories_and_a_missing_home_stop_no_hook() {
    for what in ["state", "project", "no home"] {
        for event in EVENTS {
            let mut stage = Stage::gated();
            let closed = if what == "state" { stage.state.clone() } else { stage.project.clone() };
            let before = stage.tree(&closed);
            if what == "no home" {
                stage.env.retain(|(name, _)| name != "HOME" && name != "STEADFAST_HOME");
            } else {
                close(&closed);
            }
            let answer = Answer::of(&play(&stage, &Run::Hook("main", event, fields), &bound()));
            assert_eq!(answer.held(), None, "{what} {event}");
            let said = !answer.notice().is_empty();
            match (what, event) {
                ("state", "UserPromptSubmit" | "Stop") | ("project", "Stop") => assert!(said, "{what} {event}"),
                ("project", "UserPromptSubmit") => {
                    assert!(said && answer.context().contains("Survey"), "{what} {event}: {answer:?}");
                }
                ("no home", _) => assert_eq!(answer.raw, "", "{event}"),
                _ => {}
            }
            assert!(stage.tree(&closed) == before, "{what} {event}: nothing is written");
        }
    }
}

#[test]
fn a_state_directory_that_vanished_between_two_hooks_holds_nobody_and_can_be_made_anew() {
    for event in EVENTS {
        let stage = Stage::gated();
        fs::remove_dir_all(&stage.state).unwrap();
        let answer = Answer::of(&play(&stage, &Run::Hook("main", event, fields), &[]));
        assert_eq!(answer.held(), None, "{event}");
        assert_eq!(answer.context(), "", "{event}: nothing is approved here any more");
        let stop = stop(&stage);
        assert!(stop.held().is_none() && stop.notice().contains("steadfast attach"), "{event}: {stop:?}");
        // The way that was named; then a person approves the plan again.
        stage.agent("main", &["attach"]).fine();
        assert_eq!(stage.status()["plan"]["attestation"], "unapproved", "{event}");
        assert_eq!(stage.agent("main", &["attest"]).code, 1, "{event}: not the agent");
        stage.approves(&["attest"]);
        assert_eq!(stage.status()["plan"]["attestation"], "approved", "{event}");
    }
    let stage = Stage::gated();
    fs::remove_dir_all(stage.plan_dir()).unwrap();
    let stop = stop(&stage);
    assert!(stop.held().is_none() && stop.notice().contains("was deleted"), "{stop:?}");
}

#[test]
fn a_full_disk_leaves_old_files_and_whole_lines() {
    let mount = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(mount.path())
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        // Without the right to mount there is no small disk to fill; the faults above have all its errors.
        return;
    }
    let mut stage = Stage::new();
    stage.project = mount.path().join("project");
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    stage.write("plan.md", PLAN);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let filler = mount.path().join("filler");
    let room = fs::write(&filler, vec![0; 64 * 1024]).is_err();
    let ledger = stage.plan_dir().join("ledger-claude-code.jsonl");
    let (plan, lines) = (stage.read(stage.plan_file()), stage.read(&ledger));
    let mut refused = 0;
    for n in 0..40 {
        let prompt = stage.prompt("main", &format!("x{n}"));
        assert!(prompt.context().contains("Survey"), "{prompt:?}");
        refused += usize::from(stage.agent("main", &["log", "note", &"x".repeat(200)]).code == 3);
    }
    assert!(room && refused > 0, "the disk is full");
    let answer = stop(&stage);
    assert!(answer.held().is_none() && !answer.notice().is_empty(), "{answer:?}");
    assert_eq!(stage.agent("main", &["step", "survey", "1"]).code, 3);
    assert_eq!(stage.read(stage.plan_file()), plan);
    let now = stage.read(&ledger);
    assert!(now.starts_with(&lines) && now.ends_with('\n'), "no half line");
    assert_eq!(stage.count("note"), 40 - refused, "what was acknowledged is there, and nothing else");
    for (path, bytes) in stage.tree(&stage.plan_dir()) {
        assert!(!bytes.is_empty(), "{} is not cut to nothing", path.display());
    }
    fs::remove_file(&filler).unwrap();
    stage.agent("main", &["step", "survey", "1"]).fine();
    let _ = Command::new("umount").arg(mount.path()).status();
}
