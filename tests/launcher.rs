//! The launcher of the plugin's hooks and `scripts/init-session.sh`, under the system's `sh`.

#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests make files and start programs")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A private home with a space in its name, and stubs of the program that say where they are and what they were given.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { dir: tempfile::Builder::new().prefix("a place ").tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A stub that prints its path and arguments by builtins only.
    fn stub(&self, name: &str) -> PathBuf {
        self.script(name, "#!/bin/sh\necho \"$0\" \"$#\" \"$@\"\n", 0o755)
    }

    fn script(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// A command with nothing in its environment but the private home and a PATH without any program.
    fn command(&self, script: &Path, args: &[&str]) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg(script).args(args).env_clear().current_dir(self.dir.path());
        command.env("HOME", self.path("home")).env("PATH", self.path("on path"));
        command
    }

    fn hook(&self, word: &str) -> Command {
        self.command(&launcher(), &[word, "--host", "claude-code"])
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn launcher() -> PathBuf {
    root().join("hooks/steadfast")
}

#[track_caller]
fn said(mut command: Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert_eq!(status.code(), Some(0), "{}", String::from_utf8_lossy(&stderr));
    assert_eq!(String::from_utf8(stderr).unwrap(), "");
    String::from_utf8(stdout).unwrap()
}

#[test]
fn the_program_is_found_by_order() {
    let place = Place::new();
    let data = place.path("data dir");
    let names = [
        "on path/steadfast",
        "home/.local/bin/steadfast",
        "home/.cargo/bin/steadfast",
        "data dir/bin/steadfast",
        "data dir/steadfast",
    ];
    for name in names {
        let stub = place.stub(name);
        let mut hook = place.hook("stop");
        hook.env("CLAUDE_PLUGIN_DATA", &data);
        assert_eq!(said(hook), format!("{} 4 hook stop --host claude-code\n", stub.display()));
    }
}

#[test]
fn arguments_arrive_as_they_are() {
    let place = Place::new();
    let stub = place.stub("home/.cargo/bin/steadfast");
    let hook = place.command(&launcher(), &["a b", "*", "", "$HOME"]);
    assert_eq!(said(hook), format!("{} 5 hook a b *  $HOME\n", stub.display()));
}

#[test]
fn what_is_no_program_is_passed_over() {
    let place = Place::new();
    fs::create_dir_all(place.path("home/.cargo/bin/steadfast")).unwrap();
    place.script("home/.local/bin/steadfast", "#!/bin/sh\necho not executable\n", 0o644);
    let stub = place.stub("on path/steadfast");
    assert_eq!(said(place.hook("stop")), format!("{} 4 hook stop --host claude-code\n", stub.display()));
}

#[test]
fn the_current_folder_is_not_searched() {
    let place = Place::new();
    place.stub("steadfast");
    for path in ["", ".", ":", "::.", "sub/.."] {
        let mut hook = place.hook("stop");
        hook.env("PATH", path).env_remove("HOME");
        assert_eq!(said(hook), "", "PATH={path:?}");
    }
}

#[test]
fn without_a_program_only_a_session_start_speaks() {
    let place = Place::new();
    let words = [
        "user-prompt",
        "post-tool",
        "tool-failure",
        "pre-compact",
        "subagent-start",
        "subagent-stop",
        "stop",
        "session-end",
        "",
    ];
    for word in words {
        assert_eq!(said(place.hook(word)), "", "{word}");
    }
    assert_eq!(said(place.command(&launcher(), &[])), "");
    for (plugin, how) in [
        (None, "cargo install --locked steadfast".to_owned()),
        (Some(place.path("plugin")), "cargo install --locked steadfast".to_owned()),
        (Some(root()), format!("cargo install --locked --path '{}'", root().display())),
    ] {
        let mut hook = place.hook("session-start");
        hook.envs(plugin.map(|plugin| ("CLAUDE_PLUGIN_ROOT", plugin)));
        let said = said(hook);
        let value: serde_json::Value = serde_json::from_str(&said).unwrap();
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["systemMessage"]);
        assert!(value["systemMessage"].as_str().unwrap().ends_with(&how), "{said}");
    }
}

#[test]
fn a_hostile_plugin_path_cannot_break_the_message() {
    let place = Place::new();
    let plugin = place.path("a\"b\\c'$(d)");
    fs::create_dir_all(&plugin).unwrap();
    fs::write(plugin.join("Cargo.toml"), "").unwrap();
    let mut hook = place.hook("session-start");
    hook.env("CLAUDE_PLUGIN_ROOT", plugin);
    let said = said(hook);
    assert!(serde_json::from_str::<serde_json::Value>(&said).is_ok(), "{said}");
    assert!(said.contains("cargo install --locked steadfast"));
}

#[test]
fn it_never_starts_itself() {
    let place = Place::new();
    let cargo = place.path("home/.cargo/bin");
    fs::create_dir_all(&cargo).unwrap();
    symlink(launcher(), cargo.join("steadfast")).unwrap();
    let mut hook = place.hook("stop");
    hook.env("PATH", launcher().parent().unwrap());
    assert_eq!(said(hook), "");
    let stub = place.stub("on path/steadfast");
    assert_eq!(said(place.hook("stop")), format!("{} 4 hook stop --host claude-code\n", stub.display()));
}

#[test]
fn a_copy_of_it_does_not_make_a_loop() {
    let place = Place::new();
    let text = fs::read_to_string(launcher()).unwrap();
    place.script("home/.cargo/bin/steadfast", &text, 0o755);
    place.script("home/.local/bin/steadfast", &text, 0o755);
    assert_eq!(said(place.hook("stop")), "");
}

#[test]
fn a_program_that_cannot_run_does_not_fail_the_host() {
    let place = Place::new();
    place.script("home/.cargo/bin/steadfast", "#!/no/such/interpreter\n", 0o755);
    let output = place.hook("stop").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
}

/// Every program that is started, where `strace` is at hand: the shell, then ours, and nothing in between.
#[test]
fn no_other_program_is_started() {
    let strace = Path::new("/usr/bin/strace");
    let place = Place::new();
    place.stub("on path/steadfast");
    let trace = place.path("trace");
    let mut command = Command::new(strace);
    command.args(["-f", "-qq", "-e", "trace=process", "-o"]).arg(&trace).arg("/bin/sh").arg(launcher()).arg("stop");
    command.env_clear().env("HOME", place.path("home")).env("PATH", place.path("on path"));
    if !command.output().is_ok_and(|output| output.status.success()) {
        return;
    }
    let trace = fs::read_to_string(trace).unwrap();
    assert_eq!(trace.matches("execve(").count(), 2, "{trace}");
    assert_eq!(trace.matches("fork(").count() + trace.matches("clone").count(), 0, "{trace}");
}

#[test]
fn verbs_find_the_program_too() {
    let place = Place::new();
    let script = root().join("bin/steadfast");
    let copy = fs::read_to_string(&script).unwrap();
    place.script("on path/steadfast", &copy, 0o755);
    place.script("home/.local/bin/steadfast", &copy, 0o755);
    let plugin = place.script("older plugin/bin/steadfast", &copy, 0o755);
    place.script("older plugin/.claude-plugin/plugin.json", "{}", 0o644);
    let verb = || {
        let mut verb = place.command(&script, &["log", "note", "a b"]);
        let path = [plugin.parent().unwrap(), script.parent().unwrap(), &place.path("on path")];
        verb.env("PATH", std::env::join_paths(path).unwrap());
        verb
    };
    let output = verb().output().unwrap();
    assert_eq!(output.status.code(), Some(1), "only copies of the launcher are there");
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: steadfast is not installed\n  why: "));
    let stub = place.stub("home/.cargo/bin/steadfast");
    assert_eq!(said(verb()), format!("{} 3 log note a b\n", stub.display()));
    // What the program starts is another process: its launchers look again.
    let mut nested = verb();
    nested.env("STEADFAST_LAUNCHED", "1");
    assert_eq!(said(nested), format!("{} 3 log note a b\n", stub.display()));
}

#[test]
fn the_old_script_is_init() {
    let place = Place::new();
    let script = root().join("scripts/init-session.sh");
    let stub = place.stub("home/.cargo/bin/steadfast");
    let init = place.command(&script, &["--gated", "Replace the parser"]);
    assert_eq!(said(init), format!("{} 3 init --gated Replace the parser\n", stub.display()));
    assert_eq!(said(place.command(&script, &[])), format!("{} 1 init\n", stub.display()));
    let old = place.command(&script, &["--plan-dir", "-t", "analytics", "a  b", ""]);
    assert_eq!(said(old), format!("{} 5 init --template analytics a  b \n", stub.display()));
}

#[test]
fn the_old_script_says_what_is_missing() {
    let place = Place::new();
    let output = place.command(&root().join("scripts/init-session.sh"), &["--gated", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        format!(
            "error: no plan was made\n  why: the steadfast program is neither in ~/.cargo/bin nor in ~/.local/bin nor on PATH\n  \
             fix: cargo install --locked --path '{}'\n",
            root().display()
        )
    );
}
