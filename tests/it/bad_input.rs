//! Whatever comes in: exit 0, valid output, nothing lost, nothing written elsewhere, no hold.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::stage::{Answer, PLAN, Stage};

const EVENTS: [&str; 9] = [
    "session-start",
    "user-prompt",
    "post-tool",
    "tool-failure",
    "pre-compact",
    "subagent-start",
    "subagent-stop",
    "stop",
    "session-end",
];

fn payload(stage: &Stage, event: &str) -> Vec<u8> {
    let value = serde_json::json!({ "session_id": "main", "cwd": stage.project, "prompt": "x", "tool_name": "Read", "hook_event_name": event, "agent_type": "x" });
    value.to_string().into_bytes()
}

#[test]
fn payloads_that_are_none() {
    let stage = Stage::gated();
    let before = stage.tree(&stage.plan_dir());
    let big = format!("{{\"session_id\":\"main\",\"x\":\"{}", "y".repeat(5 << 20));
    let deep = format!("{{\"session_id\":\"main\",\"x\":{}", "[".repeat(100_000));
    let bad: [&[u8]; 11] = [
        b"",
        b"   ",
        b"null",
        b"[1,2]",
        b"\"text\"",
        b"{",
        b"{\"session_id\":\"main\"",
        b"{not json}",
        b"\xff\xfe{\x00}\x00",
        big.as_bytes(),
        deep.as_bytes(),
    ];
    for event in EVENTS {
        for bytes in bad {
            let ran = stage.hook_bytes(event, bytes, &[]);
            assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{event} {:?}", &bytes[..bytes.len().min(40)]);
        }
    }
    assert_eq!(before, stage.tree(&stage.plan_dir()));
}

#[test]
fn a_panic_is_exit_0_and_silence() {
    let stage = Stage::gated();
    for event in EVENTS {
        let ran =
            stage.hook_bytes(event, &payload(&stage, event), &[("STEADFAST_PANIC", "1"), ("RUST_BACKTRACE", "1")]);
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{event}");
        assert!(ran.err.contains("nothing decided"), "{event}: {ran:?}");
    }
}

#[test]
fn payloads_that_are_odd_and_good() {
    let stage = Stage::gated();
    let plain = payload(&stage, "user-prompt");
    let mut bom = vec![0xef, 0xbb, 0xbf];
    bom.extend_from_slice(&plain);
    let mut tail = plain.clone();
    tail.extend_from_slice(b"\n\n trailing");
    let mut big = plain.clone();
    big.pop();
    big.extend_from_slice(format!(",\"tool_response\":\"{}\"}}", "y".repeat(5 << 20)).as_bytes());
    let mut wild = plain.clone();
    wild.pop();
    wild.extend_from_slice(b",\"extra\":\"\xd2\xff\"}");
    for (name, bytes) in [("plain", plain), ("bom", bom), ("tail", tail), ("5 MB", big), ("bad utf-8", wild)] {
        let answer = Answer::of(&stage.hook_bytes("user-prompt", &bytes, &[]));
        assert!(answer.context().contains("Survey"), "{name}: {answer:?}");
    }
}

#[test]
fn unknown_words_and_hosts_are_silent() {
    let stage = Stage::gated();
    for args in [
        &["hook"][..],
        &["hook", "no-such-event"],
        &["hook", "stop", "--host", "nobody"],
        &["hook", "--host"],
        &["hook", "stop", "--new-flag"],
    ] {
        let mut child =
            stage.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(b"{\"session_id\":\"nobody\"}");
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
}

/// A host that keeps the pipe open must not keep the hook: seen by the process ending while the pipe is still ours.
#[test]
fn a_pipe_that_is_never_closed() {
    let stage = Stage::gated();
    for bytes in [payload(&stage, "stop"), b"{\"session_id\":".to_vec(), Vec::new()] {
        let mut child = stage
            .command(&["hook", "stop", "--host", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(&bytes).unwrap();
        let mut waited = 0;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(waited < 200, "still there");
            waited += 1;
            std::thread::sleep(Duration::from_millis(50));
        };
        assert!(status.success());
        drop(pipe);
    }
}

/// What can stand where the plan should be.
#[test]
fn things_that_are_no_plan() {
    let make: [(&str, fn(&std::path::Path)); 6] = [
        ("empty", |p| std::fs::write(p, "").unwrap()),
        ("prose", |p| std::fs::write(p, "# Notes\n\nJust prose.\n").unwrap()),
        ("directory", |p| std::fs::create_dir(p).unwrap()),
        ("fifo", |p| assert!(Command::new("mkfifo").arg(p).status().unwrap().success())),
        ("link", |p| std::os::unix::fs::symlink("/etc/passwd", p).unwrap()),
        ("300 MB", |p| std::fs::File::create(p).unwrap().set_len(300 << 20).unwrap()),
    ];
    for (name, make) in make {
        let stage = Stage::gated();
        let file = stage.plan_file();
        std::fs::remove_file(&file).unwrap();
        make(&file);
        for event in EVENTS {
            let answer = Answer::of(&stage.hook_bytes(event, &payload(&stage, event), &[]));
            assert!(!answer.raw.contains("root:"), "{name} {event}");
            if event == "user-prompt" {
                assert!(answer.context().contains("Survey"), "the approved copy goes on: {name} {answer:?}");
            }
        }
        let doctor = stage.verb(&["doctor"]);
        assert_eq!(doctor.code, 1, "{name}: {doctor:?}");
        assert!(doctor.out.contains("task_plan.md"), "{name}: {doctor:?}");
        let status = stage.verb(&["status"]);
        assert_eq!(status.code, 0, "{name}: {status:?}");
    }
}

#[test]
fn no_plan_at_all_and_a_plan_that_is_none() {
    let stage = Stage::new();
    let before = (stage.tree(&stage.project), stage.tree(&stage.home));
    for event in EVENTS {
        assert_eq!(stage.hook_bytes(event, &payload(&stage, event), &[]).out, "", "{event}");
    }
    assert_eq!(before, (stage.tree(&stage.project), stage.tree(&stage.home)));
    assert!(!stage.state.exists());
    stage.write(".planning/a/task_plan.md", "# Notes\n\nJust prose.\n");
    stage.agent("main", &["attach"]).fine();
    for event in EVENTS {
        let answer = Answer::of(&stage.hook_bytes(event, &payload(&stage, event), &[]));
        assert_eq!((answer.context(), answer.held()), ("", None), "{event}");
    }
}

#[test]
fn no_home_and_no_state() {
    let mut stage = Stage::gated();
    stage.env.retain(|(k, _)| k != "HOME" && k != "STEADFAST_HOME");
    for event in EVENTS {
        assert_eq!(stage.hook_bytes(event, &payload(&stage, event), &[]).out, "", "{event}");
    }
    let refused = stage.verb(&["init", "--gated", "x"]);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("STEADFAST_HOME"), "{refused:?}");
}

#[test]
fn damaged_machine_files_hold_nobody_and_doctor_names_them() {
    for name in [".run", ".stop_blocks", "ledger-claude-code.jsonl"] {
        for damage in ["text", "directory", "fifo"] {
            let stage = Stage::gated();
            let path = stage.plan_dir().join(name);
            std::fs::remove_file(&path).unwrap();
            match damage {
                "text" => std::fs::write(&path, "}{ not ours\n").unwrap(),
                "directory" => std::fs::create_dir(&path).unwrap(),
                _ => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
            }
            let readable_ledger = name.starts_with("ledger") && damage == "text";
            for event in EVENTS {
                let answer = Answer::of(&stage.hook_bytes(event, &payload(&stage, event), &[]));
                assert!(readable_ledger || answer.held().is_none(), "{name} {damage} {event}");
                if event == "user-prompt" {
                    assert!(answer.context().contains("Survey"), "{name} {damage}: {answer:?}");
                }
            }
            let doctor = stage.verb(&["doctor"]);
            let named = doctor.out.lines().any(|l| l.contains(name) && !l.starts_with("ok"));
            assert!(named, "{name} {damage}: {doctor:?}");
        }
    }
}

#[test]
fn a_damaged_session_file_is_no_attachment() {
    let stage = Stage::gated();
    for (path, _) in stage.tree(&stage.state.join("sessions")) {
        std::fs::write(path, "}{").unwrap();
    }
    for event in EVENTS {
        let answer = Answer::of(&stage.hook_bytes(event, &payload(&stage, event), &[]));
        assert_eq!(answer.held(), None, "{event}");
    }
}

/// A project on a read-only mount: what root may write by its permission bits, it may not write there.
#[test]
fn a_project_that_cannot_be_written() {
    let stage = Stage::gated();
    let mount = |args: &[&str]| {
        let status = Command::new("mount").args(args).arg(&stage.project).stderr(Stdio::null()).status();
        status.is_ok_and(|s| s.success())
    };
    let project = stage.project.display().to_string();
    if !(mount(&["--bind", &project]) && mount(&["-o", "remount,bind,ro"])) {
        // Without the right to mount, permission bits have to do; they mean something to everybody but root.
        std::fs::set_permissions(stage.plan_dir(), std::fs::Permissions::from_mode(0o555)).unwrap();
        if std::fs::write(stage.plan_dir().join("probe"), "").is_ok() {
            return;
        }
    }
    let before = stage.tree(&stage.project);
    let prompt = stage.prompt("main", "x");
    assert!(prompt.context().contains("Survey"), "{prompt:?}");
    let stop = stage.stop_alone("main", false);
    assert_eq!(stop.held(), None, "{stop:?}");
    assert_ne!(stop.notice(), "", "said, not silent");
    let verb = stage.agent("main", &["step", "1"]);
    assert!(verb.code == 3 && verb.err.contains("fix: "), "{verb:?}");
    assert_eq!(before, stage.tree(&stage.project));
    let _ = Command::new("umount").arg(&stage.project).stderr(Stdio::null()).status();
    std::fs::set_permissions(stage.plan_dir(), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_full_disk_loses_nothing_and_holds_nobody() {
    let mount = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"])
        .arg(mount.path())
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|s| s.success()) {
        // Without the right to mount there is no small disk to fill.
        return;
    }
    let mut stage = Stage::new();
    stage.project = mount.path().join("project");
    std::fs::create_dir_all(stage.project.join(".git")).unwrap();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    stage.write("plan.md", PLAN);
    stage.agent("main", &["init", "--gated", "--from", "plan.md"]).fine();
    let plan = stage.read(stage.plan_file());
    let mut filler = std::fs::File::create(mount.path().join("filler")).unwrap();
    while filler.write_all(&[0; 512]).is_ok() {}
    let ledger = stage.read(stage.plan_dir().join("ledger-claude-code.jsonl"));
    for n in 0..60 {
        let answer = Answer::of(&stage.hook_bytes("user-prompt", &payload(&stage, "user-prompt"), &[]));
        assert!(answer.context().contains("Survey"), "{n}: {answer:?}");
    }
    let stop = stage.stop_alone("main", false);
    assert_eq!(stop.held(), None, "{stop:?}");
    assert_ne!(stage.agent("main", &["step", "1"]).code, 0);
    assert_eq!(stage.read(stage.plan_file()), plan);
    let after = stage.read(stage.plan_dir().join("ledger-claude-code.jsonl"));
    assert!(after.starts_with(&ledger) && after.ends_with('\n'), "no half line");
    drop(filler);
    let _ = Command::new("umount").arg(mount.path()).status();
}

#[test]
fn a_lock_that_is_never_given_back_lets_everything_go() {
    let stage = Stage::gated();
    let mut holder = Command::new("flock")
        .arg("--no-fork")
        .arg(stage.plan_dir().join(".run"))
        .args(["sleep", "30"])
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let prompt = stage.prompt("main", "x");
    assert!(prompt.context().contains("Survey") && prompt.notice().contains("locked"), "{prompt:?}");
    let stop = stage.stop_alone("main", false);
    assert_eq!(stop.held(), None);
    assert!(stop.notice().contains("locked"), "{stop:?}");
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn a_directory_that_is_gone_under_the_shell() {
    let stage = Stage::new();
    let gone = stage.project.join("gone");
    std::fs::create_dir(&gone).unwrap();
    let script =
        format!("cd {} && rmdir {} && exec {} status", gone.display(), gone.display(), env!("CARGO_BIN_EXE_steadfast"));
    let output = Command::new("sh")
        .arg("-c")
        .arg(script)
        .env_clear()
        .envs(stage.env.iter().map(|(k, v)| (k, v)))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
