//! A project with an approved plan of 5 KB, and the events that are measured in it.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::measure::Call;

/// A file beyond this is not read back, in bytes.
const LARGE: u64 = 4 * 1024 * 1024;

/// One event of a session.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    event: &'static str,
    session: &'static str,
    attended: bool,
    fields: Value,
    /// What the answer has to contain; empty for an event that has to be answered by nothing.
    says: &'static str,
    /// What has to stand in the last line of a ledger afterwards; empty where nothing may be written at all.
    records: &'static str,
}

/// The project, its home and the state directory.
pub(crate) struct Scene {
    dir: tempfile::TempDir,
    /// Path, length, and what is in it.
    files: Vec<(PathBuf, u64, Vec<u8>)>,
    /// Where hooks write.
    roots: Vec<PathBuf>,
}

fn case(name: &'static str, event: &'static str, says: &'static str, records: &'static str, fields: Value) -> Case {
    Case { name, event, session: "main", attended: false, fields, says, records }
}

/// All events that are measured.
pub(crate) fn cases() -> Vec<Case> {
    let context = "additionalContext";
    let text = "fn next(&mut self) -> Option<Token> { self.rest.split_first() }\n".repeat(32);
    let read = json!({ "tool_name": "Read", "tool_use_id": "toolu_read", "tool_input": { "file_path": "src/lexer.rs" },
        "tool_response": { "type": "text", "file": { "filePath": "src/lexer.rs", "content": text } } });
    let edit = json!({ "tool_name": "Edit", "tool_use_id": "toolu_edit", "tool_input": { "file_path": "src/lexer.rs",
        "old_string": "fn next", "new_string": text }, "tool_response": { "filePath": "src/lexer.rs" } });
    let failure = json!({ "tool_name": "Bash", "tool_use_id": "toolu_bash", "tool_input": { "command": "cargo test" },
        "error": "Exit code 101\nthread 'main' panicked" });
    let prompt = json!({ "prompt": "Please go on with the tokenizer, and keep the old error texts." });
    let stop = json!({ "stop_hook_active": false, "last_assistant_message": "The tokenizer is done. ".repeat(20) });
    let agent = json!({ "agent_id": "a1", "agent_type": "Explore" });
    let mut forced = stop.clone();
    forced["stop_hook_active"] = json!(true);
    vec![
        case("session-start", "SessionStart", context, "session_start", json!({ "source": "startup" })),
        case("user-prompt", "UserPromptSubmit", context, "prompt", prompt.clone()),
        case("post-tool, read", "PostToolUse", "", "", read),
        case("post-tool, edit", "PostToolUse", "", "\"edit\"", edit),
        case("tool-failure", "PostToolUseFailure", "", "tool_failure", failure),
        case("pre-compact", "PreCompact", "", "compact", json!({ "trigger": "auto" })),
        case("subagent-start", "SubagentStart", context, "subagent_start", agent.clone()),
        case("subagent-stop", "SubagentStop", "", "subagent_stop", agent),
        case("stop, held", "Stop", "\"decision\":\"block\"", "gate_block", stop.clone()),
        Case { attended: true, ..case("stop, let go", "Stop", "let the run end", "gate_allow", forced) },
        case("session-end", "SessionEnd", "", "session_end", json!({ "reason": "other" })),
        Case { session: "other", ..case("unattached prompt", "UserPromptSubmit", "", "", prompt) },
        Case { session: "other", ..case("unattached stop", "Stop", "", "", stop) },
    ]
}

/// A plan of seven phases, and notes up to `size` bytes.
fn plan(size: usize) -> String {
    let names = ["Survey", "Lexer", "Grammar", "Tables", "Errors", "Speed", "Release"];
    let mut text =
        "# Task Plan: Replace the parser\n\n## Goal\nReplace the hand-written parser without breaking the command \
                    line, its error texts or the plugins people have.\n\n## Phases\n"
            .to_owned();
    for (n, name) in names.iter().enumerate() {
        let id = name.to_lowercase();
        text += &format!("\n### Phase {}: {name} of the new parser {{#{id}}}\n", n + 1);
        for step in 1..=6 {
            let mark = if n == 0 || (n == 1 && step < 3) { 'x' } else { ' ' };
            text += &format!(
                "- [{mark}] Step {step} of {id}: write it, compare it with the old one, and keep what callers rely on\n"
            );
        }
        text += match n {
            0 => "- **Status:** complete\n",
            1 => "- **Status:** in_progress\n",
            _ => "- **Status:** pending\n",
        };
        if let Some(before) = n.checked_sub(1).and_then(|n| names.get(n)) {
            text += &format!("- **DependsOn:** {}\n- **Check:** `cargo test -p {id}`\n", before.to_lowercase());
        }
    }
    text += "\n## Decisions\n| Decision | Reason |\n|---|---|\n";
    while text.len() < size {
        text += "| Keep the old entry point | Plugins call it by name |\n";
    }
    text
}

impl Scene {
    /// Sets up a project in which every event finds what it finds in the middle of a run.
    pub(crate) fn new(program: &Path, cases: &[Case]) -> Self {
        Self::with_plan(program, cases, 5 * 1024)
    }

    /// The same with a plan of so many bytes.
    pub(crate) fn with_plan(program: &Path, cases: &[Case], size: usize) -> Self {
        let mut scene = Self { dir: tempfile::tempdir().unwrap(), files: Vec::new(), roots: Vec::new() };
        scene.roots = vec![scene.at("state"), scene.at("project/.planning")];
        for name in ["project/.git", "project/src", "home/.cargo/bin", "data"] {
            fs::create_dir_all(scene.at(name)).unwrap();
        }
        fs::write(scene.at("project/plan.md"), plan(size)).unwrap();
        fs::write(scene.at("project/src/lexer.rs"), "fn next() {}\n".repeat(200)).unwrap();
        scene.run(program, &["init", "--gated", "--from", "plan.md", "Replace the parser"]);
        // Every file is there, and no counter is at its first value.
        let order = [8, 1, 2, 3, 4, 5, 6, 7, 1];
        for case in order.into_iter().filter_map(|n| cases.get(n)) {
            scene.call(program, case, None).said();
        }
        // The measured edit is new, as edits are.
        fs::write(scene.at("project/src/lexer.rs"), "fn peek() {}\n".repeat(200)).unwrap();
        scene.files = scene.now();
        scene
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join(name)
    }

    fn env(&self, attended: bool) -> Vec<(String, String)> {
        let text = |name: &str| self.at(name).display().to_string();
        [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("HOME", text("home")),
            ("STEADFAST_HOME", text("state")),
            ("CLAUDE_PID", std::process::id().to_string()),
            ("CLAUDE_PROJECT_DIR", text("project")),
            ("CLAUDE_PLUGIN_DATA", text("data")),
            ("CLAUDE_CODE_SESSION_ATTENDED", u8::from(attended).to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// Runs a verb of the attached session.
    pub(crate) fn run(&self, program: &Path, args: &[&str]) {
        let call = self.verb(program, args);
        let mut command = Command::new(&call.program);
        command.args(&call.args).current_dir(&call.dir).env_clear().envs(call.env.iter().map(|(k, v)| (k, v)));
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "{args:?}: {status}");
    }

    /// A verb in the shell of the attached session.
    pub(crate) fn verb(&self, program: &Path, args: &[&str]) -> Call {
        let mut env = self.env(false);
        env.extend(
            [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "main")].map(|(k, v)| (k.to_owned(), v.to_owned())),
        );
        let args = args.iter().map(|a| (*a).to_owned()).collect();
        Call { program: program.to_owned(), args, env, dir: self.at("project"), input: PathBuf::from("/dev/null") }
    }

    /// Takes what is there now for what every run finds; beside the state, only what lies in this plan is put back.
    pub(crate) fn keep(&mut self, plan: &Path) {
        self.roots = vec![self.at("state"), plan.to_owned()];
        self.files = self.now();
    }

    fn input(&self, case: &Case) -> PathBuf {
        let path = self.at(&format!("data/{}", case.name));
        let mut payload = json!({
            "session_id": case.session,
            "transcript_path": "/home/somebody/.claude/projects/-home-somebody-parser/5a1b.jsonl",
            "cwd": self.at("project"),
            "permission_mode": "acceptEdits",
            "prompt_id": "prompt-7",
            "hook_event_name": case.event,
        });
        payload.as_object_mut().unwrap().extend(case.fields.as_object().unwrap().clone());
        fs::write(&path, payload.to_string()).unwrap();
        path
    }

    /// A call of the hook: the program itself, or through the launcher, which finds it in `~/.cargo/bin`.
    pub(crate) fn call(&self, program: &Path, case: &Case, launcher: Option<&Path>) -> Call {
        let words = [case.event, "--host", "claude-code"].map(str::to_owned);
        let mut args = vec![launcher.map_or_else(|| "hook".to_owned(), |path| path.display().to_string())];
        args.extend(words);
        let mut env = self.env(case.attended);
        if launcher.is_some() {
            let home = program.parent().unwrap().parent().unwrap().parent().unwrap();
            env.retain(|(name, _)| name != "HOME");
            env.push(("HOME".to_owned(), home.display().to_string()));
        }
        let program = if launcher.is_some() { PathBuf::from("/bin/sh") } else { program.to_owned() };
        Call { program, args, env, dir: self.at("project"), input: self.input(case) }
    }

    /// Another program in the same project, given the payload of an event.
    pub(crate) fn other(&self, program: &Path, args: &[&str], case: &Case) -> Call {
        Call {
            program: program.to_owned(),
            args: args.iter().map(|a| (*a).to_owned()).collect(),
            env: self.env(false),
            dir: self.at("project"),
            input: self.input(case),
        }
    }

    /// A copy of a program as people have it, for the launcher to find.
    pub(crate) fn install(&self, label: &str, program: &Path) -> PathBuf {
        let bin = self.at(&format!("homes/{label}/.cargo/bin"));
        fs::create_dir_all(&bin).unwrap();
        let path = bin.join("steadfast");
        fs::copy(program, &path).unwrap();
        path
    }

    fn now(&self) -> Vec<(PathBuf, u64, Vec<u8>)> {
        let mut rest = self.roots.clone();
        let mut files = Vec::new();
        while let Some(dir) = rest.pop() {
            for path in fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()) {
                if path.is_dir() {
                    rest.push(path);
                } else {
                    let length = path.metadata().unwrap().len();
                    // Of a large ledger only the length is looked at: it is only appended to.
                    let bytes = if length > LARGE { Vec::new() } else { fs::read(&path).unwrap() };
                    files.push((path, length, bytes));
                }
            }
        }
        files
    }

    /// Puts everything a hook wrote back to what it was, in place, so that every run finds the same.
    pub(crate) fn reset(&self) {
        for now in self.now() {
            match self.files.iter().find(|(known, ..)| *known == now.0) {
                None => fs::remove_file(&now.0).unwrap(),
                Some(old) if *old == now => {}
                Some((path, length, old)) => {
                    let mut file = fs::File::options().write(true).open(path).unwrap();
                    file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(old)).unwrap();
                    file.set_len(*length).unwrap();
                }
            }
        }
    }

    /// Makes sure that a call does what its row says, before anything is measured.
    pub(crate) fn verify(&self, case: &Case, call: &Call) {
        let said = call.said();
        let right = if case.says.is_empty() { said.is_empty() } else { said.contains(case.says) };
        assert!(right, "{}: answered {said:?}", case.name);
        let now = self.now();
        let news: Vec<String> = now
            .iter()
            .filter(|(path, ..)| path.extension().is_some_and(|e| e == "jsonl"))
            .filter_map(|(path, _, bytes)| {
                let old = self.files.iter().find(|(known, ..)| known == path).map_or(0, |(.., old)| old.len());
                bytes.get(old..).map(|new| String::from_utf8_lossy(new).into_owned())
            })
            .collect();
        let news = news.concat();
        let right = if case.records.is_empty() { news.is_empty() } else { news.contains(case.records) };
        assert!(right, "{}: recorded {news:?}", case.name);
        if case.session == "other" {
            assert!(now.iter().all(|file| self.files.contains(file)), "{}: wrote", case.name);
        }
        self.reset();
    }
}
