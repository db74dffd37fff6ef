//! A pinned release of a client, run headless against a scripted model; what a run of Claude Code left behind.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::server::{Kind, Request};

/// One run takes a few seconds; a client that hangs must not hang the suite.
const PATIENCE: Duration = Duration::from_secs(120);

/// An installed release.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its version.
    pub version: &'static str,
    /// The program.
    pub program: PathBuf,
}

impl Client {
    /// The release of a client, with a program of this name, in the folder that `STEADFAST_CLIENTS` names. `None` where clients
    /// are to be skipped.
    pub fn find(client: &str, program: &str, version: &'static str) -> Option<Self> {
        if std::env::var_os("STEADFAST_SKIP_CLIENTS").is_some_and(|v| v == "1") {
            return None;
        }
        let folder = PathBuf::from(std::env::var_os("STEADFAST_CLIENTS")?);
        let folder = if folder.is_absolute() { folder } else { crate::root().join(folder) };
        let program = folder.join(format!("{client}-{version}/node_modules/.bin/{program}"));
        assert!(
            program.exists(),
            "{client} {version} is not installed in {}\n  fix: scripts/install-clients.sh {}, or set STEADFAST_SKIP_CLIENTS=1",
            folder.display(),
            folder.display()
        );
        Some(Self { version, program })
    }

    /// Whether this is the older of the pinned releases.
    pub fn is_old(&self) -> bool {
        self.version.starts_with("2.1.1")
    }
}

/// The surroundings of a process of a test: nothing of ours, a private home, a private temporary directory.
pub fn surroundings(command: &mut Command, home: &Path, temp: &Path, client: &Client) {
    let bin = Path::new(env!("CARGO_BIN_EXE_steadfast")).parent().unwrap();
    let mut path = std::ffi::OsString::from(bin);
    path.push(":");
    path.push(client.program.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", home)
        .env("TMPDIR", temp)
        .env("CLAUDE_CODE_TMPDIR", temp)
        .env("TERM", "dumb")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null());
}

/// What the client needs to talk to `url` and to nobody else.
pub fn offline(command: &mut Command, url: &str) {
    command
        .env("ANTHROPIC_BASE_URL", url)
        .env("ANTHROPIC_API_KEY", "dummy")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("IS_SANDBOX", "1");
}

/// A client at work. Dropped, it is ended with everything it started.
pub struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
    started: Instant,
}

impl Running {
    /// Starts `command` in a process group of its own, with its output going to files `name.*` in `logs`.
    pub fn start(command: &mut Command, logs: &Path, name: &str) -> Self {
        let (out, err) = (logs.join(format!("{name}.out")), logs.join(format!("{name}.err")));
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap()).process_group(0);
        let child = command.spawn().unwrap_or_else(|e| panic!("{}: {e}", command.get_program().display()));
        Self { child, out, err, started: Instant::now() }
    }

    /// Waits for the end of a run of Claude Code.
    pub fn finish(self, requests: impl FnOnce() -> Vec<Request>) -> Run {
        let Ended { code, events, out, err } = self.wait();
        Run { code, events, out, err, requests: requests() }
    }

    /// Waits for the end.
    pub fn wait(mut self) -> Ended {
        let mut code = None;
        while code.is_none() && self.started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
            code = self.child.try_wait().unwrap().map(|status| status.code().unwrap_or(-1));
        }
        self.end();
        let out = fs::read_to_string(&self.out).unwrap_or_default();
        Ended {
            code,
            events: out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
            out,
            err: fs::read_to_string(&self.err).unwrap_or_default(),
        }
    }

    fn end(&mut self) {
        // Gone already, in the good case.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// How a client ended.
pub struct Ended {
    /// The exit code; `None` where it had to be ended.
    pub code: Option<i32>,
    /// The lines of its output that are JSON.
    pub events: Vec<Value>,
    /// Its output.
    pub out: String,
    /// What it wrote to standard error.
    pub err: String,
}

/// What one run of Claude Code left behind.
pub struct Run {
    /// The exit code; `None` where it had to be ended.
    pub code: Option<i32>,
    /// The lines of its output that are JSON.
    pub events: Vec<Value>,
    /// Its output.
    pub out: String,
    /// What it wrote to standard error.
    pub err: String,
    /// What it asked the model.
    pub requests: Vec<Request>,
}

impl Run {
    /// Fails unless the client ended by itself and well.
    #[track_caller]
    pub fn ended_well(self) -> Self {
        assert_eq!(self.code, Some(0), "the client did not end well\n{}", self.story());
        self
    }

    /// The session's id. The first events of a resumed session carry another one.
    pub fn session(&self) -> &str {
        self.result()["session_id"].as_str().unwrap_or_default()
    }

    /// The last event, which sums the run up.
    pub fn result(&self) -> &Value {
        self.events.iter().rfind(|e| e["type"] == "result").unwrap_or(&Value::Null)
    }

    /// Requests of the main thread.
    pub fn main(&self) -> Vec<&Request> {
        self.of(Kind::Main)
    }

    /// Requests of one kind.
    pub fn of(&self, kind: Kind) -> Vec<&Request> {
        self.requests.iter().filter(|r| r.kind == kind).collect()
    }

    /// What the hooks of an event printed, in order; empty where they were silent. The client does not report `SessionEnd`.
    pub fn hooks(&self, event: &str) -> Vec<String> {
        self.events
            .iter()
            .filter(|e| e["subtype"] == "hook_response" && e["hook_event"] == event)
            .map(|e| e["stdout"].as_str().unwrap_or_default().trim().to_owned())
            .collect()
    }

    /// Hooks that failed, or wrote to standard error.
    pub fn hook_troubles(&self) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|e| e["subtype"] == "hook_response")
            .filter(|e| e["outcome"] != "success" || e["exit_code"] != 0 || e["stderr"] != "")
            .collect()
    }

    /// What hooks told the user, in order.
    pub fn notices(&self) -> Vec<String> {
        self.events
            .iter()
            .filter(|e| e["subtype"] == "hook_response")
            .filter_map(|e| serde_json::from_str::<Value>(e["stdout"].as_str()?).ok())
            .filter_map(|out| out["systemMessage"].as_str().map(str::to_owned))
            .collect()
    }

    /// The run in short, for the message of a failed assertion.
    pub fn story(&self) -> String {
        use std::fmt::Write;
        let mut story = format!("exit code {:?}\n", self.code);
        for event in &self.events {
            match (event["type"].as_str(), event["subtype"].as_str()) {
                (_, Some("hook_response")) => {
                    let _ = writeln!(
                        story,
                        "hook {} {} {:?} {}",
                        event["hook_event"],
                        event["outcome"],
                        event["stdout"].as_str(),
                        event["stderr"]
                    );
                }
                (_, Some("hook_started" | "init")) => {}
                (Some("assistant" | "user"), _) => {
                    let _ = writeln!(story, "{} {}", event["type"], event["message"]["content"]);
                }
                _ => {
                    let line = event.to_string();
                    let _ = writeln!(story, "{}", line.chars().take(600).collect::<String>());
                }
            }
        }
        if self.events.is_empty() {
            let _ = writeln!(story, "output: {}", self.out);
        }
        let _ = writeln!(story, "stderr: {}", self.err);
        for (n, request) in self.requests.iter().enumerate() {
            let (role, text) = request.messages().pop().unwrap_or_default();
            let tail: String = text.chars().skip(text.chars().count().saturating_sub(400)).collect();
            let _ = writeln!(story, "request {n} {:?}, last message ({role}): ...{tail}", request.kind);
        }
        story
    }
}
