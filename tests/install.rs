//! `install` and `uninstall` as a person types them, with a private home.

#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests make files and start programs")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

struct Place {
    dir: tempfile::TempDir,
}

struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::Builder::new().prefix("a place ").tempdir().unwrap() };
        for folder in ["home/.claude", "project/.git", "project/sub"] {
            fs::create_dir_all(place.path(folder)).unwrap();
        }
        fs::write(place.path("project/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    fn run(&self, args: &[&str]) -> Said {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &[&str], env: &[(&str, &Path)]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
        command.args(args).env_clear().env("HOME", self.path("home")).current_dir(self.path("project/sub"));
        let output = command.envs(env.iter().copied()).output().unwrap();
        let text =
            |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(self.path("").to_str().unwrap(), "PLACE/");
        Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn ok(&self, args: &[&str]) -> String {
        let said = self.run(args);
        assert_eq!(said.code, 0, "{args:?}: {}", said.err);
        said.out
    }

    fn read(&self, name: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path(name)).unwrap()).unwrap()
    }
}

const USER: &str = "home/.claude/settings.json";

#[test]
fn a_new_file_is_made_and_taken_away_again() {
    let place = Place::new();
    insta::assert_snapshot!(place.ok(&["install", "claude-code", "--user"]), @r"
    the hooks of steadfast are in PLACE/home/.claude/settings.json
      sessions that are open now need a restart
      the host asks before an agent runs a verb; to allow the harmless ones:
      steadfast install claude-code --user --yes
    ");
    let settings = place.read(USER);
    assert_eq!(settings["hooks"].as_object().unwrap().len(), 10);
    let [stop, sleep] = [0, 1].map(|nth| &settings["hooks"]["Stop"][nth]["hooks"][0]);
    assert_eq!(stop["args"], json!(["hook", "stop", "--host", "claude-code", "--sleeper"]));
    assert_eq!(stop.get("asyncRewake"), None, "the gate's answer is waited for");
    assert_eq!(sleep["args"], json!(["hook", "sleep", "--host", "claude-code", "--sleeper"]));
    assert_eq!((&sleep["asyncRewake"], &sleep["timeout"]), (&json!(true), &json!(86_400)));
    assert!(Path::new(stop["command"].as_str().unwrap()).is_absolute());
    assert_eq!(settings.get("permissions"), None);
    insta::assert_snapshot!(place.ok(&["install", "claude-code", "--user", "--yes"]), @r"
    the hooks of steadfast are in PLACE/home/.claude/settings.json
      sessions that are open now need a restart
      an agent may run these verbs without asking: init, attest, status, next, step, fail, skip, log, receipt, propose, attach, plans, import, export
    ");
    let allow = place.read(USER)["permissions"]["allow"].clone();
    assert_eq!(allow.as_array().unwrap().len(), 14);
    assert_eq!(allow[2], "Bash(steadfast status *)");
    insta::assert_snapshot!(place.ok(&["install", "claude-code", "--user"]), @r"
    the hooks of steadfast were in PLACE/home/.claude/settings.json already
      an agent may run these verbs without asking: init, attest, status, next, step, fail, skip, log, receipt, propose, attach, plans, import, export
    ");
    insta::assert_snapshot!(place.ok(&["uninstall", "claude-code", "--user"]), @r"
    PLACE/home/.claude/settings.json held nothing but the hooks of steadfast and is removed
      sessions that are open now keep them until a restart; plans and approvals stay
    ");
    assert!(!place.path(USER).exists());
    insta::assert_snapshot!(place.ok(&["uninstall", "claude-code", "--user"]), @"nothing of steadfast is in PLACE/home/.claude/settings.json");
}

#[test]
fn what_was_there_comes_back_with_its_permission_bits() {
    let place = Place::new();
    let text = "{\r\n\t\"model\": \"large\", // mine\r\n\t\"hooks\": {}\r\n}";
    for (flag, name) in [
        ("--user", USER),
        ("--project", "project/.claude/settings.json"),
        ("--local", "project/.claude/settings.local.json"),
    ] {
        let path = place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        for text in
            [text, "", "{}\n", "{\n  \"$schema\": \"https://json.schemastore.org/claude-code-settings.json\"\n}\n"]
        {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            place.ok(&["install", "claude-code", flag, "--yes"]);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
            assert_ne!(fs::read_to_string(&path).unwrap(), text);
            place.ok(&["uninstall", "claude-code", flag]);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
        }
        let names: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(names.iter().all(|name| !name.to_str().unwrap().contains(".tmp")), "{names:?}");
    }
}

#[test]
fn a_project_without_settings_gets_them() {
    let place = Place::new();
    place.ok(&["install", "claude-code", "--project"]);
    assert!(place.path("project/.claude/settings.json").is_file(), "in the repository root, not in the folder below");
    place.ok(&["uninstall", "claude-code", "--project"]);
    assert!(!place.path("project/.claude/settings.json").exists());
}

#[test]
fn the_settings_folder_may_be_elsewhere() {
    let place = Place::new();
    let elsewhere = place.path("config/deep");
    let said = place.run_with(&["install", "claude-code", "--user"], &[("CLAUDE_CONFIG_DIR", &elsewhere)]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(elsewhere.join("settings.json").is_file());
    assert!(!place.path(USER).exists());
}

#[test]
fn what_cannot_be_edited_is_left_alone() {
    let place = Place::new();
    let path = place.path(USER);
    fs::write(&path, "{\n  \"a\": 1\n  \"hooks\": {}\n}\n").unwrap();
    for verb in ["install", "uninstall"] {
        let said = place.run(&[verb, "claude-code", "--user"]);
        assert_eq!(said.code, 1);
        insta::allow_duplicates! { insta::assert_snapshot!(said.err, @r"
        error: PLACE/home/.claude/settings.json is left alone
          why: line 3, column 3: expected `,` or `}`
          fix: steadfast doctor
               (when that place is mended)
        ") };
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"a\": 1\n  \"hooks\": {}\n}\n");
    fs::write(&path, b"{\n\"a\": \"\xff\"}").unwrap();
    assert!(place.run(&["install", "claude-code", "--user"]).err.contains("line 2 is not valid UTF-8"));
    fs::remove_file(&path).unwrap();
    fs::write(place.path("dotfile"), "{}\n").unwrap();
    symlink(place.path("dotfile"), &path).unwrap();
    insta::assert_snapshot!(place.run(&["install", "claude-code", "--user"]).err, @r"
    error: PLACE/home/.claude/settings.json is left alone
      why: it is not a regular file, and only a plain file is written
      fix: steadfast install claude-code --user --dry-run
           (shows what to write where the file really is)
    ");
    assert_eq!(fs::read_to_string(place.path("dotfile")).unwrap(), "{}\n");
    symlink(place.path("home/.claude"), place.path("project/.claude")).unwrap();
    insta::assert_snapshot!(place.run(&["install", "claude-code", "--project"]).err, @r"
    error: PLACE/project/.claude/settings.json is left alone
      why: .claude is not a folder of this project but a link or a file
      fix: steadfast install claude-code --user
    ");
}

#[test]
fn a_command_line_that_says_too_little_is_explained() {
    let place = Place::new();
    let said = place.run(&["install", "claude-code"]);
    assert_eq!(said.code, 2);
    insta::assert_snapshot!(said.err, @r"
    error: it is not said which settings are meant
      why: --user: yours, for all projects; --project: this project's, for everybody; --local: this project's, for you
      fix: steadfast install claude-code --user
    ");
    let said = place.run(&["install", "emacs", "--user"]);
    assert_eq!(said.code, 2);
    insta::assert_snapshot!(said.err, @r"
    error: `emacs` is no host to install for
      why: hooks can be written into the settings of claude-code
      fix: steadfast hosts
    ");
}

#[test]
fn a_dry_run_writes_nothing_and_shows_no_secret() {
    let place = Place::new();
    let text = "{\"env\": {\"TOKEN\": \"hush\"}}";
    fs::write(place.path(USER), text).unwrap();
    let said = place.ok(&["install", "claude-code", "--user", "--dry-run", "--yes"]);
    assert!(said.contains("\"SessionStart\": [") && !said.contains("hush"), "{said}");
    assert!(said.ends_with("nothing was written\n"));
    assert_eq!(fs::read_to_string(place.path(USER)).unwrap(), text);
    let value: Value =
        serde_json::from_str(&place.ok(&["install", "claude-code", "--user", "--dry-run", "--json"])).unwrap();
    assert_eq!((&value["changed"], &value["dry_run"]), (&json!(true), &json!(true)));
}

#[test]
fn programs_read_the_result() {
    let place = Place::new();
    let line = |args: &[&str]| -> Value { serde_json::from_str(&place.ok(args)).unwrap() };
    let file = place.path(USER);
    let said = |changed: bool, permissions: bool| json!({ "host": "claude-code", "file": file, "changed": changed, "permissions": permissions });
    let here = |value: Value| {
        let text = value.to_string().replace("PLACE/", place.path("").to_str().unwrap());
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!(here(line(&["install", "claude-code", "--user", "--json"])), said(true, false));
    assert_eq!(here(line(&["install", "claude-code", "--user", "--json", "--yes"])), said(true, true));
    assert_eq!(here(line(&["install", "claude-code", "--user", "--json"])), said(false, true));
    assert_eq!(here(line(&["uninstall", "claude-code", "--user", "--json"])), said(true, false));
}

#[test]
fn a_program_on_the_path_is_named_by_its_place_there() {
    let place = Place::new();
    let bin = place.path("home/bin");
    fs::create_dir_all(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_steadfast"), bin.join("steadfast")).unwrap();
    let said = place.run_with(&["install", "claude-code", "--user"], &[("PATH", &bin)]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(place.read(USER)["hooks"]["Stop"][0]["hooks"][0]["command"], json!(bin.join("steadfast")));
    place.ok(&["install", "claude-code", "--user"]);
    let settings = place.read(USER);
    assert_eq!(settings["hooks"]["Stop"].as_array().unwrap().len(), 2, "the other path replaces the first");
    assert_ne!(settings["hooks"]["Stop"][0]["hooks"][0]["command"], json!(bin.join("steadfast")));
}

#[test]
fn an_older_installation_gets_the_hook_of_the_guard() {
    let place = Place::new();
    place.ok(&["install", "claude-code", "--user", "--yes"]);
    let text = fs::read_to_string(place.path(USER)).unwrap();
    let (before, rest) = text.split_once("    \"PreToolUse\": [\n").unwrap();
    let (entry, after) = rest.split_once("\n    ],\n").unwrap();
    assert!(
        entry.contains(
            "\"matcher\": \"^(Bash|Write|Edit|MultiEdit|NotebookEdit|WebFetch|WebSearch|Task|Agent|mcp__.*)$\""
        ),
        "{entry}"
    );
    assert!(entry.contains("[\"hook\", \"pre-tool\", \"--host\", \"claude-code\", \"--sleeper\"]"), "{entry}");
    let older = format!("{before}{after}");
    fs::write(place.path(USER), &older).unwrap();
    let doctor = place.run(&["doctor"]).out;
    assert!(doctor.contains("settings.json lacks 1 of our hooks"), "{doctor}");
    assert!(doctor.contains("fix: steadfast install claude-code --user"), "{doctor}");
    place.ok(&["install", "claude-code", "--user"]);
    let newer = place.read(USER);
    assert_eq!(newer, serde_json::from_str::<Value>(&text).unwrap());
    place.ok(&["uninstall", "claude-code", "--user"]);
    assert!(!place.path(USER).exists(), "and all of it goes again");
}

#[test]
fn an_older_installation_gets_the_hook_that_sleeps() {
    let place = Place::new();
    place.ok(&["install", "claude-code", "--user", "--yes"]);
    let text = fs::read_to_string(place.path(USER)).unwrap();
    let start = text.find("\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\"").unwrap();
    let group = &text[start..text[start..].find("\n      }").unwrap() + start + 8];
    let sleeper =
        group.replace("session-start", "sleep").replace("10\n", "86400,\n            \"asyncRewake\": true\n");
    assert_eq!(text.matches(&format!(",{sleeper}")).count(), 1, "{sleeper}");
    let older = text.replace(&format!(",{sleeper}"), "").replace(", \"--sleeper\"", "");
    fs::write(place.path(USER), &older).unwrap();
    let doctor = place.run(&["doctor"]).out;
    assert!(doctor.contains("settings.json lacks 1 of our hooks"), "{doctor}");
    place.ok(&["install", "claude-code", "--user"]);
    assert_eq!(fs::read_to_string(place.path(USER)).unwrap(), text);
    place.ok(&["uninstall", "claude-code", "--user"]);
    assert!(!place.path(USER).exists(), "and all of it goes again");
}

#[test]
fn doctor_sees_the_hooks() {
    let place = Place::new();
    let hooks = |place: &Place| -> Vec<String> {
        let said = place.run(&["doctor", "--json"]).out;
        let value: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
        let findings = value["findings"].as_array().unwrap();
        findings
            .iter()
            .filter_map(|f| f["what"].as_str())
            .filter(|what| what.contains("hook"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(hooks(&place), ["no hooks: neither the user's nor this project's settings of claude-code have them"]);
    place.ok(&["install", "claude-code", "--user"]);
    assert_eq!(hooks(&place), ["hooks in PLACE/home/.claude/settings.json"]);
    let text = fs::read_to_string(place.path(USER)).unwrap();
    fs::write(place.path(USER), text.replace("\"Stop\"", "\"Halt\"")).unwrap();
    assert_eq!(hooks(&place), ["PLACE/home/.claude/settings.json lacks 2 of our hooks"]);
    fs::write(place.path(USER), text.replace(env!("CARGO_BIN_EXE_steadfast"), "/gone/steadfast")).unwrap();
    let said = "PLACE/home/.claude/settings.json: the hook of SessionStart starts /gone/steadfast, which is not there";
    assert_eq!(hooks(&place), [said]);
}
