//! The wire style of Claude Code, which other hosts took over: one JSON object in, with the same fields; one JSON object out.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::core::event::{Background, Event, Kind, Reply, Source, StopCall, ToolCall};
use crate::core::native;

/// Null and absent are the same, and a value of another type is no reason to lose the whole payload.
pub(super) fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + for<'a> Deserialize<'a>,
{
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

/// A flag that some hosts write as a string.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Bool(flag) => flag,
        Value::String(word) => word.eq_ignore_ascii_case("true"),
        _ => false,
    })
}

/// What a payload may hold.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    #[serde(deserialize_with = "lenient")]
    hook_event_name: String,
    #[serde(deserialize_with = "lenient")]
    session_id: String,
    #[serde(deserialize_with = "lenient")]
    cwd: String,
    #[serde(deserialize_with = "lenient")]
    pub(super) prompt_id: String,
    #[serde(deserialize_with = "lenient")]
    pub(super) turn_id: String,
    #[serde(deserialize_with = "lenient")]
    source: String,
    #[serde(deserialize_with = "lenient")]
    prompt: String,
    #[serde(deserialize_with = "lenient")]
    reason: String,
    #[serde(deserialize_with = "lenient")]
    agent_id: String,
    #[serde(deserialize_with = "lenient")]
    pub(super) agent_type: String,
    #[serde(deserialize_with = "lenient")]
    pub(super) tool_name: String,
    #[serde(deserialize_with = "lenient")]
    tool_use_id: String,
    pub(super) tool_input: Value,
    #[serde(deserialize_with = "lenient")]
    pub(super) error: String,
    #[serde(deserialize_with = "lenient")]
    pub(super) duration_ms: Option<u64>,
    #[serde(alias = "stopHookActive", deserialize_with = "flag")]
    stop_hook_active: bool,
    #[serde(deserialize_with = "lenient")]
    last_assistant_message: String,
    #[serde(deserialize_with = "lenient")]
    stop_reason: String,
    #[serde(deserialize_with = "lenient")]
    background_tasks: Vec<Task>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Task {
    #[serde(deserialize_with = "lenient")]
    id: String,
    #[serde(rename = "type", deserialize_with = "lenient")]
    kind: String,
    #[serde(deserialize_with = "lenient")]
    status: String,
}

/// When a tool call is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Before it.
    Before,
    /// After it.
    After,
    /// After it failed.
    Failed,
}

impl Payload {
    /// Explicit duplicates and broken escapes are the host's business: what does not parse is not evaluated.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_str(&String::from_utf8_lossy(bytes)).ok()
    }

    /// The event of this payload, of which a host may know more. `turn` is what names its turns.
    pub(super) fn event(self, word: &str, turn: &str, tool: fn(&Self, When) -> ToolCall) -> Option<Event> {
        let kind = self.kind(if word.is_empty() { &self.hook_event_name } else { word }, tool)?;
        let turn = if self.tool_use_id.is_empty() { turn.to_owned() } else { self.tool_use_id };
        Some(Event {
            kind,
            session: self.session_id,
            cwd: native::path(&self.cwd),
            project: None,
            agent: Some(self.agent_id).filter(|a| !a.is_empty()),
            turn,
            attended: None,
            host_pid: None,
        })
    }

    fn kind(&self, name: &str, tool: fn(&Self, When) -> ToolCall) -> Option<Kind> {
        Some(match name {
            "session-start" | "SessionStart" => Kind::SessionStart(match self.source.as_str() {
                "resume" => Source::Resume,
                "clear" => Source::Clear,
                "compact" => Source::Compact,
                "fork" => Source::Fork,
                _ => Source::Startup,
            }),
            "user-prompt" | "UserPromptSubmit" => Kind::Prompt(self.prompt.clone()),
            "pre-tool" | "PreToolUse" => Kind::PreTool(tool(self, When::Before)),
            "post-tool" | "PostToolUse" => Kind::PostTool(tool(self, When::After)),
            "tool-failure" | "PostToolUseFailure" => Kind::PostTool(tool(self, When::Failed)),
            "pre-compact" | "PreCompact" => Kind::PreCompact,
            "subagent-start" | "SubagentStart" => Kind::SubagentStart,
            "subagent-stop" | "SubagentStop" => Kind::SubagentStop,
            "stop" | "Stop" => Kind::Stop(self.stop()),
            "session-end" | "SessionEnd" => Kind::SessionEnd(self.reason.clone()),
            _ => return None,
        })
    }

    fn stop(&self) -> StopCall {
        let mut background = Background::default();
        for task in self.background_tasks.iter().filter(|t| t.status.is_empty() || t.status == "running") {
            if task.kind == "subagent" || task.kind.contains("agent") {
                background.subagents.push(task.id.clone());
            } else {
                background.shells.push(task.id.clone());
            }
        }
        StopCall {
            active: self.stop_hook_active,
            background,
            last_message: self.last_assistant_message.clone(),
            errored: matches!(self.stop_reason.as_str(), "error" | "aborted" | "interrupted"),
        }
    }
}

/// Every text in a value, a line each.
pub(super) fn texts(value: &Value) -> String {
    let mut out = String::new();
    collect(value, &mut out);
    out
}

fn collect(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.extend(text.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
            out.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, out)),
        Value::Object(map) => map.values().for_each(|value| collect(value, out)),
        _ => {}
    }
}

/// The name of an event on this wire, as its answer has to repeat it.
pub(super) fn name(kind: &Kind) -> &'static str {
    match kind {
        Kind::SessionStart(_) => "SessionStart",
        Kind::Prompt(_) => "UserPromptSubmit",
        Kind::PreTool(_) => "PreToolUse",
        Kind::PostTool(_) => "PostToolUse",
        Kind::PreCompact => "PreCompact",
        Kind::SubagentStart => "SubagentStart",
        Kind::SubagentStop => "SubagentStop",
        Kind::Stop(_) => "Stop",
        Kind::SessionEnd(_) => "SessionEnd",
    }
}

/// The answer to an event of this name. `None` where there is nothing to print.
pub(super) fn render(name: &str, kind: &Kind, reply: &Reply) -> Option<String> {
    let mut out = Map::new();
    let mut specific = Map::new();
    // On these an additional context is an error, or would force another turn.
    if !matches!(kind, Kind::Stop(_) | Kind::SubagentStop | Kind::SessionEnd(_) | Kind::PreCompact)
        && let Some(text) = &reply.context
    {
        specific.insert("additionalContext".to_owned(), json!(text));
    }
    let block = match kind {
        Kind::Stop(_) => &reply.hold,
        Kind::Prompt(_) => &reply.deny,
        _ => &None,
    };
    if let Some(reason) = block {
        out.insert("decision".to_owned(), json!("block"));
        out.insert("reason".to_owned(), json!(reason));
    }
    if let (Kind::PreTool(_), Some(reason)) = (kind, &reply.deny) {
        specific.insert("permissionDecision".to_owned(), json!("deny"));
        specific.insert("permissionDecisionReason".to_owned(), json!(reason));
    }
    if !specific.is_empty() {
        specific.insert("hookEventName".to_owned(), json!(name));
        out.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    if let Some(notice) = &reply.notice
        && !matches!(kind, Kind::PreCompact | Kind::SessionEnd(_))
    {
        out.insert("systemMessage".to_owned(), json!(notice));
    }
    if out.is_empty() { None } else { Some(Value::Object(out).to_string()) }
}
