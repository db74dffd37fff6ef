//! An archive with the hooks for Codex added and the client to run in it, and a model that follows a script.
//!
//! ```text
//! let project = Codex::new(client);                       // hooks added, as the documents say
//! project.steadfast(&["init", "--gated", "--from", "plan.md", "..."]);    // a verb of the person
//! let run = project.exec("begin", Script::new([
//!     Turn::shell("steadfast status"),                    // in the real sandbox
//!     Turn::patch("*** Begin Patch\n..."),
//!     Turn::text("All done."),                            // ends the turn: the Stop hook
//! ])).ended_well();
//! run.asked[1].outputs()                                  // what the shell printed
//! run.asked[3].news()                                     // what the model read since its last words: a hold, a block
//! ```

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs;
use std::net::TcpStream;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::archive::{Archive, GATE};
use crate::client::{Client, Ended, Running};
use crate::http;

/// The argument that takes the sandbox away.
pub const FREE: &str = "--dangerously-bypass-approvals-and-sandbox";

/// One thing the model says.
#[derive(Clone, Debug)]
pub struct Turn(Value);

impl Turn {
    /// Text, which ends the turn.
    pub fn text(text: &str) -> Self {
        let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
        Self(json!({ "type": "message", "role": "assistant", "content": content }))
    }

    /// A command in the client's shell tool. It is waited for: one that goes on in the background is not reported to hooks.
    pub fn shell(command: &str) -> Self {
        let arguments = json!({ "cmd": command, "yield_time_ms": 30_000 }).to_string();
        Self(json!({ "type": "function_call", "name": "exec_command", "arguments": arguments }))
    }

    /// A patch, from `*** Begin Patch` to `*** End Patch`.
    pub fn patch(patch: &str) -> Self {
        Self(json!({ "type": "custom_tool_call", "name": "apply_patch", "input": patch, "status": "completed" }))
    }

    /// A new file.
    pub fn file(name: &str, line: &str) -> Self {
        Self::patch(&format!("*** Begin Patch\n*** Add File: {name}\n+{line}\n*** End Patch"))
    }
}

/// Decides a turn from the number of the request (from 0) and the request.
type Forever = Box<dyn FnMut(usize, &Asked) -> Turn + Send>;

/// What the model says in one run of the client.
pub struct Script {
    turns: VecDeque<Turn>,
    forever: Option<Forever>,
}

impl Script {
    /// These turns, in order; then `done (default)`.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { turns: turns.into_iter().collect(), forever: None }
    }

    /// Text alone.
    pub fn say(text: &str) -> Self {
        Self::new([Turn::text(text)])
    }

    /// A model that never runs out of turns.
    pub fn forever(turn: impl FnMut(usize, &Asked) -> Turn + Send + 'static) -> Self {
        Self { turns: VecDeque::new(), forever: Some(Box::new(turn)) }
    }

    fn next(&mut self, nth: usize, asked: &Asked) -> Turn {
        match (self.turns.pop_front(), &mut self.forever) {
            (Some(turn), _) => turn,
            (None, Some(forever)) => forever(nth, asked),
            (None, None) => Turn::text("done (default)"),
        }
    }
}

/// One request of the client to `/v1/responses`.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The whole body.
    pub body: Value,
}

impl Asked {
    /// Everything in the conversation: whose it is (a role, or the type of an item) and its text, in order.
    pub fn items(&self) -> Vec<(String, String)> {
        let items = self.body["input"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| (whose(item).to_owned(), text(item))).collect()
    }

    /// Everything the model reads, as one text. What it said itself is no part of it.
    pub fn text(&self) -> String {
        join(self.items().iter().filter(|(whose, _)| !own(whose)))
    }

    /// What is new since the model's last words or call.
    pub fn news(&self) -> String {
        let items = self.items();
        let from = items.iter().rposition(|(whose, _)| own(whose)).map_or(0, |at| at + 1);
        join(items.iter().skip(from))
    }

    /// From the prompt with this text on.
    pub fn since(&self, prompt: &str) -> String {
        let items = self.items();
        let from = items.iter().rposition(|(whose, text)| whose == "user" && text.contains(prompt));
        join(items.iter().skip(from.unwrap_or(items.len())))
    }

    /// What its tools gave back, in order.
    pub fn outputs(&self) -> Vec<String> {
        self.items().into_iter().filter(|(whose, _)| whose.ends_with("_output")).map(|(_, text)| text).collect()
    }

    /// Whether the gate held the stop before this request.
    pub fn held(&self) -> bool {
        self.news().contains(GATE)
    }
}

fn whose(item: &Value) -> &str {
    item["role"].as_str().or_else(|| item["type"].as_str()).unwrap_or_default()
}

fn own(whose: &str) -> bool {
    matches!(whose, "assistant" | "function_call" | "custom_tool_call" | "reasoning")
}

fn text(item: &Value) -> String {
    let parts = if item["content"].is_null() { &item["output"] } else { &item["content"] };
    match parts {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn join<'a>(items: impl Iterator<Item = &'a (String, String)>) -> String {
    items.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
}

struct State {
    script: Script,
    /// Requests of this script.
    nth: usize,
    /// Identifiers given out: calls of a resumed session must not have those of before.
    ids: usize,
    asked: Vec<Asked>,
}

/// The model. It lives as long as the test.
struct Model {
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Model {
    fn start() -> Self {
        let state = Arc::new(Mutex::new(State { script: Script::new([]), nth: 0, ids: 0, asked: Vec::new() }));
        let shared = Arc::clone(&state);
        let port = http::listen(move |asked, stream| {
            if asked.method == "POST" && asked.path.ends_with("/responses") {
                return respond(stream, Asked { body: serde_json::from_slice(&asked.body).unwrap() }, &shared);
            }
            let status = if asked.path.contains("/models") { 200 } else { 404 };
            http::whole(stream, status, &json!({ "object": "list", "data": [], "models": [] }).to_string())
        });
        Self { port, state }
    }

    fn play(&self, script: Script) {
        let mut state = self.state.lock().unwrap();
        *state = State { script, nth: 0, ids: state.ids, asked: Vec::new() };
    }

    fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }
}

fn respond(stream: &mut TcpStream, asked: Asked, state: &Mutex<State>) -> std::io::Result<()> {
    let (Turn(mut item), id) = {
        let mut state = state.lock().unwrap();
        let nth = state.nth;
        state.nth += 1;
        state.ids += 1;
        let turn = state.script.next(nth, &asked);
        state.asked.push(asked);
        (turn, state.ids)
    };
    item["id"] = json!(format!("item_{id:04}"));
    let speaks = item["type"] == "message";
    if !speaks {
        item["call_id"] = json!(format!("call_{id:04}"));
    }
    let usage = json!({
        "input_tokens": 100, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 10, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 110,
    });
    let response = |status: &str, output: Value| json!({ "id": format!("resp_{id:04}"), "object": "response", "status": status, "output": output });
    let mut completed = response("completed", json!([item]));
    completed["usage"] = usage;
    completed["end_turn"] = json!(speaks);
    http::events(
        stream,
        &[
            json!({ "type": "response.created", "response": response("in_progress", json!([])) }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
            json!({ "type": "response.completed", "response": completed }),
        ],
    )
}

/// The project.
pub struct Codex {
    archive: Archive,
    model: Model,
    runs: Cell<usize>,
}

impl Deref for Codex {
    type Target = Archive;

    fn deref(&self) -> &Archive {
        &self.archive
    }
}

impl Codex {
    /// With the hooks that the documents tell people to add.
    pub fn new(client: &Client) -> Self {
        let project = Self::bare(client);
        project.hooks(include_str!("../../hooks/codex.json"));
        project
    }

    /// Without hooks.
    pub fn bare(client: &Client) -> Self {
        let project = Self { archive: Archive::new(client), model: Model::start(), runs: Cell::new(0) };
        let port = project.model.port;
        fs::create_dir(project.settings()).unwrap();
        // The sandbox makes an empty `.git` in every folder that it lets the shell write, for as long as a command runs: in
        // /tmp that would make a repository of what other tests do there.
        let config = format!(
            r#"model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[sandbox_workspace_write]
exclude_slash_tmp = true
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"#
        );
        fs::write(project.settings().join("config.toml"), config).unwrap();
        // The agent's shell is a login shell, for which the system sets a path of its own.
        let bin = Path::new(env!("CARGO_BIN_EXE_steadfast")).parent().unwrap();
        fs::write(project.home().join(".profile"), format!("PATH=\"{}:$PATH\"\n", bin.display())).unwrap();
        project
    }

    /// The client's own folder.
    pub fn settings(&self) -> PathBuf {
        self.home().join(".codex")
    }

    /// Adds these hooks.
    pub fn hooks(&self, text: &str) {
        fs::write(self.settings().join("hooks.json"), text).unwrap();
    }

    /// The state directory of the person, which the sandbox keeps the agent's shell out of.
    pub fn state(&self) -> PathBuf {
        self.home().join(".local/state/steadfast")
    }

    /// A headless session in the sandbox, while the model follows this script.
    pub fn exec(&self, prompt: &str, script: Script) -> Run {
        self.exec_with(prompt, &[], script)
    }

    /// A headless session with further arguments; with [`FREE`] there is no sandbox.
    pub fn exec_with(&self, prompt: &str, args: &[&str], script: Script) -> Run {
        self.run(&[], args, &[prompt], script)
    }

    /// The last session goes on with another prompt.
    pub fn go_on(&self, prompt: &str, script: Script) -> Run {
        self.run(&[], &[], &["resume", "--last", prompt], script)
    }

    /// A headless session started by `steadfast run`.
    pub fn run_verb(&self, prompt: &str, script: Script) -> Run {
        self.run(&[env!("CARGO_BIN_EXE_steadfast"), "run"], &[], &[prompt], script)
    }

    fn run(&self, through: &[&str], args: &[&str], last: &[&str], script: Script) -> Run {
        self.model.play(script);
        let run = self.runs.get() + 1;
        self.runs.set(run);
        let mut command = match through {
            [] => self.command(&self.client.program),
            [program, rest @ ..] => {
                let mut command = self.command(Path::new(program));
                command.args(rest).arg("codex");
                command
            }
        };
        command.env("OPENAI_API_KEY", "dummy");
        command.args(["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]).args(args);
        if !args.contains(&FREE) {
            command.args(["-s", "workspace-write"]);
        }
        command.args(last);
        let ended = Running::start(&mut command, self.logs(), &format!("codex-{run}")).wait();
        Run { ended, asked: self.model.asked() }
    }
}

/// What one run of the client left behind.
pub struct Run {
    ended: Ended,
    /// What it asked the model.
    pub asked: Vec<Asked>,
}

impl Run {
    /// Fails unless the client ended by itself and well. Of a hook that failed the client says nothing here.
    #[track_caller]
    pub fn ended_well(self) -> Self {
        assert_eq!(self.ended.code, Some(0), "the client did not end well\n{}", self.story());
        self
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        let started = self.ended.events.iter().find(|e| e["type"] == "thread.started");
        started.and_then(|e| e["thread_id"].as_str()).unwrap_or_default()
    }

    /// What the agent said last.
    pub fn result(&self) -> &str {
        let said = self.ended.events.iter().rfind(|e| e["item"]["type"] == "agent_message");
        said.and_then(|e| e["item"]["text"].as_str()).unwrap_or_default()
    }

    /// How many of the requests follow a hold.
    pub fn holds(&self) -> usize {
        self.asked.iter().filter(|asked| asked.held()).count()
    }

    /// The run in short, for the message of a failed assertion.
    pub fn story(&self) -> String {
        use std::fmt::Write;
        let mut story = format!("exit code {:?}\n{}stderr: {}\n", self.ended.code, self.ended.out, self.ended.err);
        for (n, asked) in self.asked.iter().enumerate() {
            let news = asked.news();
            let tail: String = news.chars().skip(news.chars().count().saturating_sub(600)).collect();
            let _ = writeln!(story, "request {n}: ...{tail}");
        }
        story
    }
}
