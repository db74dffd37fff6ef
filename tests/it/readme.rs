//! The README's commands work.

use crate::stage::Stage;

/// Lines of the fenced `sh` blocks of the README that call the program, as they stand there.
fn commands() -> Vec<String> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside && line == "```sh";
        } else if inside && !line.trim().is_empty() && !line.starts_with('#') {
            found.push(line.to_owned());
        }
    }
    found
}

#[test]
fn every_command_runs() {
    let commands = commands();
    assert!(
        commands.iter().any(|c| c == "cargo run --release -- try") && commands.iter().any(|c| c == "cargo test"),
        "{commands:?}"
    );
    let stage = Stage::new();
    stage.write("plan.md", crate::stage::PLAN);
    let bin = stage.home.join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_steadfast"), bin.join("steadfast")).unwrap();
    let claude = bin.join("claude");
    std::fs::write(&claude, "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(&claude, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for line in commands {
        // `try` through cargo is the binary under test; building and testing are what runs this very test.
        let line = line.replace("cargo run --release -- ", "steadfast ");
        if line.starts_with("cargo ") || line.starts_with("git clone") || line.starts_with("cd ") {
            continue;
        }
        // What a person types is typed in a terminal.
        let agent = line.ends_with("# agent");
        let mut shell = std::process::Command::new(if agent { "sh" } else { "script" });
        if agent {
            shell.args(["-c", &line])
        } else {
            shell.args(["-qec", &line, "/dev/null"])
        };
        shell.current_dir(&stage.project).env_clear().envs(stage.env.iter().map(|(k, v)| (k, v)));
        shell
            .env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()))
            .stdin(std::process::Stdio::null());
        if agent {
            shell.env("CLAUDE_CODE_SESSION_ID", "main").env("CLAUDECODE", "1");
        }
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }
}

#[test]
fn what_the_model_reads_is_what_try_prints() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let turn = text.split("## One turn").nth(1).unwrap().split("\n## ").next().unwrap();
    let shown: Vec<&str> =
        turn.split("```text\n").skip(1).flat_map(|b| b.split("```").next().unwrap().lines()).collect();
    assert!(shown.len() > 8, "{turn}");
    let played = Stage::new().verb(&["try"]).fine().out;
    for line in shown {
        assert!(played.contains(&format!("| {line}\n")), "{line:?} in {played}");
    }
}
