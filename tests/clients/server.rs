//! A scripted Messages API on loopback: it plays the model, and keeps every request the client made.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::{self, whole};

/// Whose request it is, as far as the text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The main thread of a session.
    Main,
    /// A subagent: its task contains [`SUBAGENT`].
    Sub,
    /// The client asks for a summary of the conversation.
    Compact,
    /// Anything without tools, such as a title for the session.
    Aux,
}

/// The word in the task of a subagent that tells its requests from those of the main thread.
pub const SUBAGENT: &str = "SUBAGENT";

/// One thing the model says.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    text: Option<String>,
    tools: Vec<(String, Value)>,
    delay: Duration,
    input_tokens: Option<u64>,
    error: Option<(u16, &'static str)>,
}

impl Reply {
    /// Text, which ends the turn.
    pub fn text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    /// A tool use.
    pub fn tool(name: &str, input: Value) -> Self {
        Self::default().and(name, input)
    }

    /// A command in the client's shell tool.
    pub fn bash(command: &str) -> Self {
        Self::tool("Bash", json!({ "command": command, "description": "a command" }))
    }

    /// An HTTP error that the client should not try again.
    pub fn error(status: u16, kind: &'static str) -> Self {
        Self { error: Some((status, kind)), ..Self::default() }
    }

    /// Another tool use in the same message.
    pub fn and(mut self, name: &str, input: Value) -> Self {
        self.tools.push((name.to_owned(), input));
        self
    }

    /// Waits before it answers.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Reports this many input tokens, so that the client thinks its window is filling up.
    pub fn tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }
}

/// Decides a reply from the number of the request (from 0) and the request.
pub type Forever = Box<dyn FnMut(usize, &Request) -> Reply + Send>;

/// What the model says in one run of the client.
pub struct Script {
    main: VecDeque<Reply>,
    sub: VecDeque<Reply>,
    forever: Option<Forever>,
    summary: String,
}

impl Script {
    /// These replies for the main thread, in order; then `done (default)`.
    pub fn new(main: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            main: main.into_iter().collect(),
            sub: VecDeque::new(),
            forever: None,
            summary: "The user and the assistant talked about the work.".to_owned(),
        }
    }

    /// Text alone.
    pub fn say(text: &str) -> Self {
        Self::new([Reply::text(text)])
    }

    /// A model that never runs out of replies.
    pub fn forever(reply: impl FnMut(usize, &Request) -> Reply + Send + 'static) -> Self {
        Self { forever: Some(Box::new(reply)), ..Self::new([]) }
    }

    /// Waits before each reply of the main thread so far.
    pub fn slowly(mut self, delay: Duration) -> Self {
        for reply in &mut self.main {
            reply.delay = delay;
        }
        self
    }

    /// These replies for subagents, in order.
    pub fn with_sub(mut self, sub: impl IntoIterator<Item = Reply>) -> Self {
        self.sub = sub.into_iter().collect();
        self
    }

    fn next(&mut self, request: &Request, nth: usize) -> Reply {
        let default = || Reply::text("done (default)");
        match request.kind {
            Kind::Compact => Reply::text(&format!("<analysis>x</analysis>\n<summary>{}</summary>", self.summary)),
            Kind::Aux => Reply::text("ok"),
            Kind::Sub => self.sub.pop_front().unwrap_or_else(default),
            Kind::Main => match (self.main.pop_front(), &mut self.forever) {
                (Some(reply), _) => reply,
                (None, Some(forever)) => forever(nth, request),
                (None, None) => default(),
            },
        }
    }
}

/// One request of the client to `/v1/messages`.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whose it is.
    pub kind: Kind,
    /// The whole body.
    pub body: Value,
}

impl Request {
    fn new(body: Value) -> Self {
        let messages = messages(&body);
        let last_user = messages.iter().rev().find(|(role, _)| role == "user").map_or("", |(_, text)| text.as_str());
        let first = messages.first().map_or("", |(_, text)| text.as_str());
        let summary =
            last_user.contains("create a detailed summary") || last_user.contains("CRITICAL: Respond with TEXT ONLY");
        let tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let kind = if summary {
            Kind::Compact
        } else if !tools {
            Kind::Aux
        } else if first.contains(SUBAGENT) {
            Kind::Sub
        } else {
            Kind::Main
        };
        Self { kind, body }
    }

    /// Role and text of every message, in order. Texts of tool results are part of it, tool inputs are not.
    pub fn messages(&self) -> Vec<(String, String)> {
        messages(&self.body)
    }

    /// Everything the model reads in the conversation, as one text.
    pub fn text(&self) -> String {
        self.messages().into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
    }

    /// The messages from the last one that holds `mark` on: what is new since that prompt.
    pub fn since(&self, mark: &str) -> String {
        let messages = self.messages();
        let from = messages.iter().rposition(|(_, text)| text.contains(mark)).unwrap_or(messages.len());
        messages.into_iter().skip(from).map(|(_, text)| text).collect::<Vec<_>>().join("\n")
    }
}

fn messages(body: &Value) -> Vec<(String, String)> {
    let empty = Vec::new();
    body["messages"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        .map(|m| {
            let mut texts = Vec::new();
            collect(&m["content"], &mut texts);
            (m["role"].as_str().unwrap_or_default().to_owned(), texts.join("\n"))
        })
        .collect()
}

fn collect(content: &Value, texts: &mut Vec<String>) {
    match content {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str() {
                    Some("text") => texts.extend(block["text"].as_str().map(str::to_owned)),
                    Some("tool_result") => collect(&block["content"], texts),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

struct State {
    script: Script,
    /// Main requests of this script.
    nth: usize,
    /// Identifiers given out.
    ids: usize,
    requests: Vec<Request>,
}

/// The server. It lives as long as the test; its threads end with the process.
pub struct Server {
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Server {
    /// Listens on a free port of loopback.
    pub fn start() -> Self {
        let state = Arc::new(Mutex::new(State { script: Script::new([]), nth: 0, ids: 0, requests: Vec::new() }));
        let shared = Arc::clone(&state);
        let port = http::listen(move |asked, stream| match asked.method.as_str() {
            "HEAD" => whole(stream, 200, ""),
            "POST" if asked.path.contains("count_tokens") => {
                whole(stream, 200, &json!({ "input_tokens": 100 }).to_string())
            }
            "POST" if asked.path.starts_with("/v1/messages") => {
                message(stream, serde_json::from_slice(&asked.body).unwrap_or(Value::Null), &shared)
            }
            "POST" => whole(stream, 200, "{}"),
            "GET" if asked.path.contains("/v1/models") => whole(stream, 200, r#"{"data":[],"has_more":false}"#),
            _ => whole(stream, 404, &error("not_found_error")),
        });
        Self { port, state }
    }

    /// What to give the client as its base address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Plays this script from now on, and forgets the requests so far.
    pub fn play(&self, script: Script) {
        let mut state = self.state.lock().unwrap();
        state.script = script;
        state.nth = 0;
        state.requests.clear();
    }

    /// The requests since the script was set.
    pub fn requests(&self) -> Vec<Request> {
        self.state.lock().unwrap().requests.clone()
    }
}

fn error(kind: &str) -> String {
    json!({ "type": "error", "error": { "type": kind, "message": "said by the test" } }).to_string()
}

fn message(stream: &mut TcpStream, body: Value, state: &Mutex<State>) -> std::io::Result<()> {
    let streamed = body["stream"].as_bool() == Some(true);
    let model = body["model"].as_str().unwrap_or("none").to_owned();
    let request = Request::new(body);
    let (reply, first_id) = {
        let mut state = state.lock().unwrap();
        let nth = state.nth;
        if request.kind == Kind::Main {
            state.nth += 1;
        }
        let reply = state.script.next(&request, nth);
        state.requests.push(request);
        let first = state.ids;
        state.ids += reply.tools.len() + 1;
        (reply, first)
    };
    std::thread::sleep(reply.delay);
    if let Some((status, kind)) = reply.error {
        return whole(stream, status, &error(kind));
    }
    let mut blocks = Vec::new();
    if let Some(text) = &reply.text {
        blocks.push(json!({ "type": "text", "text": text }));
    }
    for (n, (name, input)) in reply.tools.iter().enumerate() {
        let id = format!("toolu_{:04}", first_id + 1 + n);
        blocks.push(json!({ "type": "tool_use", "id": id, "name": name, "input": input }));
    }
    let stop = if reply.tools.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({
        "input_tokens": reply.input_tokens.unwrap_or(100), "output_tokens": 10,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    });
    let mut message = json!({
        "id": format!("msg_{first_id:04}"), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    if !streamed {
        message["content"] = blocks.into();
        message["stop_reason"] = stop.into();
        return whole(stream, 200, &message.to_string());
    }
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = if block["type"] == "text" {
            (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": block["text"] }))
        } else {
            let mut start = block.clone();
            start["input"] = json!({});
            (start, json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() }))
        };
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": stop, "stop_sequence": null });
    events.push(json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    events.push(json!({ "type": "message_stop" }));
    http::events(stream, &events)
}
