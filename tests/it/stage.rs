//! A stage: a project, a home and a state directory of its own, and the binary under test.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// 2026-03-01T12:00:00Z
pub(crate) const NOW: &str = "1772366400";

pub(crate) const PLAN: &str = "# Task Plan: Replace the parser

## Goal
Replace the hand-written parser without breaking the CLI.

## Phases

### Phase 1: Survey {#survey}
- [ ] List the callers
- [ ] Measure the old one
- **Status:** pending

### Phase 2: Build {#build}
- [ ] Tokenizer
- [ ] Tables
- **Status:** pending
- **DependsOn:** survey
- **Check:** `test -f built`

### Phase 3: Release {#release}
- **Status:** pending
- **DependsOn:** build
";

pub(crate) struct Stage {
    pub(crate) dir: TempDir,
    pub(crate) project: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) env: Vec<(String, String)>,
}

/// How a run of the binary ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn fine(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// What the person has to type, as it was asked for.
    #[track_caller]
    pub(crate) fn code_asked(&self) -> String {
        self.out.split("type ").nth(1).unwrap_or_else(|| panic!("{self:?}"))[..8].to_owned()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// What a hook answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) raw: String,
    pub(crate) value: Value,
}

impl Answer {
    /// Parses what a hook printed: one JSON object, or nothing.
    #[track_caller]
    pub(crate) fn of(ran: &Ran) -> Self {
        assert_eq!(ran.code, 0, "{ran:?}");
        let value = if ran.out.is_empty() { Value::Null } else { ran.json() };
        assert!(value.is_null() || value.is_object(), "{ran:?}");
        Self { raw: ran.out.clone(), value }
    }

    pub(crate) fn context(&self) -> &str {
        self.value.pointer("/hookSpecificOutput/additionalContext").and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn notice(&self) -> &str {
        self.value.get("systemMessage").and_then(Value::as_str).unwrap_or_default()
    }

    /// The reason of a hold.
    pub(crate) fn held(&self) -> Option<&str> {
        (self.value.get("decision")?.as_str()? == "block").then(|| self.value["reason"].as_str().unwrap())
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        let [project, home, state] = ["project", "home", "state"].map(|n| base.join(n));
        for path in [&project, &home] {
            fs::create_dir(path).unwrap();
        }
        fs::create_dir(project.join(".git")).unwrap();
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let env = vec![
            ("PATH".into(), std::env::var("PATH").unwrap()),
            ("HOME".into(), home.display().to_string()),
            ("STEADFAST_HOME".into(), state.display().to_string()),
            ("STEADFAST_NOW".into(), NOW.into()),
        ];
        Self { dir, project, home, state, env }
    }

    /// With a gated plan, approved by the agent of session `main`, which is attached.
    pub(crate) fn gated() -> Self {
        let stage = Self::new();
        stage.write("plan.md", PLAN);
        stage.agent("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
        stage
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(n, _)| n != name);
        self.env.push((name.into(), value.into()));
        self
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
        command.args(args).current_dir(&self.project).env_clear().envs(self.env.iter().map(|(k, v)| (k, v)));
        command.stdin(Stdio::null());
        command
    }

    /// A verb outside any host, off a terminal.
    pub(crate) fn verb(&self, args: &[&str]) -> Ran {
        self.command(args).output().unwrap().into()
    }

    /// A verb typed by a person in a terminal, who answers with `typed`.
    pub(crate) fn person(&self, args: &[&str], typed: &str) -> Ran {
        let words: Vec<String> =
            [env!("CARGO_BIN_EXE_steadfast")].iter().chain(args).map(|w| steadfast::output::quote(w)).collect();
        let mut command = Command::new("script");
        command
            .args(["-qec", &words.join(" "), "/dev/null"])
            .current_dir(&self.project)
            .env_clear()
            .envs(self.env.iter().map(|(k, v)| (k, v)));
        command.env("NO_COLOR", "1").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The terminal may be gone before all is typed.
        let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
        child.wait_with_output().unwrap().into()
    }

    /// A person types a verb that asks for a code twice: to see it, and to give it.
    #[track_caller]
    pub(crate) fn approves(&self, args: &[&str]) -> Ran {
        let code = self.person(args, "\n").code_asked();
        self.person(args, &format!("{code}\n")).fine()
    }

    /// A verb in the shell of an agent.
    pub(crate) fn agent(&self, session: &str, args: &[&str]) -> Ran {
        let mut command = self.command(args);
        command
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_SESSION_ID", session)
            .env("CLAUDE_PID", std::process::id().to_string());
        command.output().unwrap().into()
    }

    /// A verb in the shell of an agent whose sandbox keeps it from writing the state directory.
    pub(crate) fn boxed(&self, session: &str, args: &[&str]) -> Ran {
        let locked = self.modes(0o500, 0o400);
        let verb = self.command(args);
        // Root writes where the bits say no, unless it gives up the right to.
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("setpriv");
            command.arg("--bounding-set=-dac_override").arg(verb.get_program()).args(args);
            command.current_dir(&self.project).env_clear().envs(self.env.iter().map(|(k, v)| (k, v)));
            command.stdin(Stdio::null());
            command
        } else {
            verb
        };
        command
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_SESSION_ID", session)
            .env("CLAUDE_PID", std::process::id().to_string());
        let before = self.tree(&self.state);
        let ran = command.output().unwrap().into();
        assert_eq!(self.tree(&self.state), before, "the box holds");
        self.modes(0o700, 0o600);
        assert!(locked > 0, "there is a state directory to keep it from");
        ran
    }

    /// Sets the permission bits of all directories and files of the state directory. How many there are.
    fn modes(&self, dirs: u32, files: u32) -> usize {
        use std::os::unix::fs::PermissionsExt;
        let mut found = 0;
        let mut rest = vec![self.state.clone()];
        while let Some(dir) = rest.pop() {
            if !dir.is_dir() {
                continue;
            }
            // Opened for as long as it is looked through.
            fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
            for entry in fs::read_dir(&dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    rest.push(path);
                } else {
                    fs::set_permissions(&path, fs::Permissions::from_mode(files)).unwrap();
                    found += 1;
                }
            }
            fs::set_permissions(&dir, fs::Permissions::from_mode(dirs)).unwrap();
            found += 1;
        }
        found
    }

    /// The hook that follows a command of the agent's shell.
    #[track_caller]
    pub(crate) fn after(&self, session: &str, command: &str) -> Answer {
        self.hook(session, "PostToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": command } }))
    }

    /// A hook, given these bytes.
    pub(crate) fn hook_bytes(&self, event: &str, bytes: &[u8], env: &[(&str, &str)]) -> Ran {
        let mut command = self.command(&["hook", event, "--host", "claude-code"]);
        command.env("CLAUDE_PID", std::process::id().to_string()).env("CLAUDE_PROJECT_DIR", &self.project);
        command.envs(env.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The hook may end without reading all of it.
        let _ = child.stdin.take().unwrap().write_all(bytes);
        child.wait_with_output().unwrap().into()
    }

    /// A hook of a session, with further fields of the payload.
    #[track_caller]
    pub(crate) fn hook_with(&self, session: &str, event: &str, fields: Value, env: &[(&str, &str)]) -> Answer {
        let mut payload = json!({ "session_id": session, "cwd": self.project, "hook_event_name": event });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        Answer::of(&self.hook_bytes(event, payload.to_string().as_bytes(), env))
    }

    #[track_caller]
    pub(crate) fn hook(&self, session: &str, event: &str, fields: Value) -> Answer {
        self.hook_with(session, event, fields, &[])
    }

    #[track_caller]
    pub(crate) fn start(&self, session: &str, source: &str) -> Answer {
        self.hook(session, "SessionStart", json!({ "source": source }))
    }

    #[track_caller]
    pub(crate) fn prompt(&self, session: &str, text: &str) -> Answer {
        self.hook(session, "UserPromptSubmit", json!({ "prompt": text }))
    }

    #[track_caller]
    pub(crate) fn stop(&self, session: &str, active: bool) -> Answer {
        self.hook(session, "Stop", json!({ "stop_hook_active": active, "last_assistant_message": "All finished." }))
    }

    /// A stop where nobody attends.
    #[track_caller]
    pub(crate) fn stop_alone(&self, session: &str, active: bool) -> Answer {
        let fields = json!({ "stop_hook_active": active, "last_assistant_message": "All finished." });
        self.hook_with(session, "Stop", fields, &[("CLAUDE_CODE_SESSION_ATTENDED", "0")])
    }

    /// The agent writes a file, and the hook sees it.
    #[track_caller]
    pub(crate) fn edit(&self, session: &str, name: &str, text: &str) -> Answer {
        self.write(name, text);
        self.hook(
            session,
            "PostToolUse",
            json!({ "tool_name": "Write", "tool_input": { "file_path": self.project.join(name), "content": text } }),
        )
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.project.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(path.as_ref()).unwrap_or_else(|e| panic!("{}: {e}", path.as_ref().display()))
    }

    /// The directory of the only plan.
    pub(crate) fn plan_dir(&self) -> PathBuf {
        let planning = self.project.join(".planning");
        let mut dirs: Vec<_> =
            fs::read_dir(&planning).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
        assert_eq!(dirs.len(), 1, "{dirs:?}");
        dirs.pop().unwrap()
    }

    pub(crate) fn plan_file(&self) -> PathBuf {
        self.plan_dir().join("task_plan.md")
    }

    /// Changes the plan file as an editor would.
    pub(crate) fn edit_plan(&self, from: &str, to: &str) {
        let text = self.read(self.plan_file());
        assert!(text.contains(from), "{from:?} is not in {text}");
        fs::write(self.plan_file(), text.replace(from, to)).unwrap();
    }

    #[track_caller]
    pub(crate) fn status(&self) -> Value {
        self.verb(&["status", "--json"]).fine().json()
    }

    /// All records of the plan, by tick.
    pub(crate) fn ledger(&self) -> Vec<Value> {
        let mut records = Vec::new();
        for entry in fs::read_dir(self.plan_dir()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "jsonl") {
                records.extend(self.read(&path).lines().map(|l| serde_json::from_str::<Value>(l).unwrap()));
            }
        }
        records.sort_by_key(|r| r["tick"].as_u64().unwrap());
        records
    }

    /// How often an event was recorded.
    pub(crate) fn count(&self, event: &str) -> usize {
        self.ledger().iter().filter(|r| r["event"] == event).count()
    }

    /// Every file beneath a directory with its bytes, sorted: to see that nothing was touched.
    pub(crate) fn tree(&self, dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut rest = vec![dir.to_path_buf()];
        while let Some(dir) = rest.pop() {
            let Ok(entries) = fs::read_dir(&dir) else { continue };
            for entry in entries {
                let path = entry.unwrap().path();
                let meta = fs::symlink_metadata(&path).unwrap();
                if meta.is_dir() {
                    rest.push(path);
                } else if meta.is_file() {
                    let bytes = fs::read(&path).unwrap_or_default();
                    found.push((path, bytes));
                } else {
                    found.push((path, Vec::new()));
                }
            }
        }
        found.sort();
        found
    }
}
