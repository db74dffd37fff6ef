//! Claude Code: payloads as seen with versions 2.1.197 and 2.1.332 (samples in `tests/payloads/claude-code/`).

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::core::contract::digest;
use crate::core::event::{Background, Event, Kind, Reply, Source, StopCall, ToolCall};
use crate::hosts::{Abilities, Env, Host};

/// The registry's entry.
pub const HOST: Host = Host {
    id: "claude-code",
    name: "Claude Code",
    parse,
    render,
    session,
    inside: |env| env("CLAUDECODE").is_some() || env("CLAUDE_CODE_SESSION_ID").is_some(),
    abilities: Abilities {
        inject: "SessionStart, UserPromptSubmit, SubagentStart, PostToolUse",
        hold: "Stop `decision: block`",
        host_cap: Some(8),
        context_limit: "10,000 characters",
    },
    program: "claude",
};

/// Null and absent are the same, and a value of another type is no reason to lose the whole payload.
fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
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

#[derive(Default, Deserialize)]
#[serde(default)]
struct Payload {
    #[serde(deserialize_with = "lenient")]
    hook_event_name: String,
    #[serde(deserialize_with = "lenient")]
    session_id: String,
    #[serde(deserialize_with = "lenient")]
    cwd: String,
    #[serde(deserialize_with = "lenient")]
    prompt_id: String,
    #[serde(deserialize_with = "lenient")]
    source: String,
    #[serde(deserialize_with = "lenient")]
    prompt: String,
    #[serde(deserialize_with = "lenient")]
    reason: String,
    #[serde(deserialize_with = "lenient")]
    agent_id: String,
    #[serde(deserialize_with = "lenient")]
    agent_type: String,
    #[serde(deserialize_with = "lenient")]
    tool_name: String,
    #[serde(deserialize_with = "lenient")]
    tool_use_id: String,
    #[serde(deserialize_with = "lenient")]
    tool_input: ToolInput,
    #[serde(deserialize_with = "lenient")]
    tool_response: ToolResponse,
    #[serde(deserialize_with = "lenient")]
    error: String,
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
struct ToolInput {
    #[serde(deserialize_with = "lenient")]
    file_path: String,
    #[serde(deserialize_with = "lenient")]
    notebook_path: String,
    #[serde(deserialize_with = "lenient")]
    command: String,
    #[serde(deserialize_with = "flag")]
    run_in_background: bool,
    #[serde(deserialize_with = "lenient")]
    content: Value,
    #[serde(deserialize_with = "lenient")]
    new_string: Value,
    #[serde(deserialize_with = "lenient")]
    edits: Value,
}

/// What a shell tool answers.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolResponse {
    /// A command that took too long was put into the background.
    #[serde(rename = "backgroundTaskId", deserialize_with = "lenient")]
    background_task_id: Value,
    #[serde(deserialize_with = "flag")]
    interrupted: bool,
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

fn parse(word: &str, bytes: &[u8], env: Env<'_>) -> Option<Event> {
    let text = String::from_utf8_lossy(bytes);
    // Explicit duplicates and broken escapes are the host's business: what does not parse is not evaluated.
    let payload: Payload = serde_json::from_str(&text).ok()?;
    let name = if word.is_empty() { payload.hook_event_name.clone() } else { word.to_owned() };
    let kind = kind(&name, &payload)?;
    let turn = if payload.tool_use_id.is_empty() { payload.prompt_id.clone() } else { payload.tool_use_id.clone() };
    Some(Event {
        kind,
        session: payload.session_id,
        cwd: path(&payload.cwd),
        project: env("CLAUDE_PROJECT_DIR").as_deref().and_then(path),
        agent: Some(payload.agent_id).filter(|a| !a.is_empty()),
        turn,
        attended: attended(env),
        host_pid: env("CLAUDE_PID").and_then(|v| v.parse().ok()),
    })
}

/// Newer clients say it; of older ones only the entry point tells a headless run (`-p`) from a terminal.
fn attended(env: Env<'_>) -> Option<bool> {
    if let Some(word) = env("CLAUDE_CODE_SESSION_ATTENDED") {
        return Some(word != "0");
    }
    match env("CLAUDE_CODE_ENTRYPOINT")?.as_str() {
        "sdk-cli" => Some(false),
        "cli" => Some(true),
        _ => None,
    }
}

fn path(text: &str) -> Option<PathBuf> {
    Some(PathBuf::from(text)).filter(|p| p.is_absolute())
}

fn kind(name: &str, payload: &Payload) -> Option<Kind> {
    Some(match name {
        "session-start" | "SessionStart" => Kind::SessionStart(match payload.source.as_str() {
            "resume" => Source::Resume,
            "clear" => Source::Clear,
            "compact" => Source::Compact,
            "fork" => Source::Fork,
            _ => Source::Startup,
        }),
        "user-prompt" | "UserPromptSubmit" => Kind::Prompt(payload.prompt.clone()),
        "pre-tool" | "PreToolUse" => Kind::PreTool(tool(payload, false)),
        "post-tool" | "PostToolUse" => Kind::PostTool(tool(payload, false)),
        "tool-failure" | "PostToolUseFailure" => Kind::PostTool(tool(payload, true)),
        "pre-compact" | "PreCompact" => Kind::PreCompact,
        "subagent-start" | "SubagentStart" => Kind::SubagentStart,
        // Compaction reports itself as a subagent without a type.
        "subagent-stop" | "SubagentStop" if payload.agent_type.is_empty() => return None,
        "subagent-stop" | "SubagentStop" => Kind::SubagentStop,
        "stop" | "Stop" => Kind::Stop(stop(payload)),
        "session-end" | "SessionEnd" => Kind::SessionEnd(payload.reason.clone()),
        _ => return None,
    })
}

fn tool(payload: &Payload, failed: bool) -> ToolCall {
    let input = &payload.tool_input;
    let writes = matches!(payload.tool_name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
    let file = if input.file_path.is_empty() { &input.notebook_path } else { &input.file_path };
    let content = json!([file, input.content, input.new_string, input.edits]).to_string();
    ToolCall {
        name: payload.tool_name.clone(),
        edits: if writes && !failed && !file.is_empty() { vec![PathBuf::from(file)] } else { Vec::new() },
        command: Some(input.command.clone()).filter(|c| !c.is_empty()),
        failed,
        background: input.run_in_background
            || !payload.tool_response.background_task_id.is_null()
            || payload.tool_response.interrupted,
        exit: payload.error.strip_prefix("Exit code ").and_then(|rest| rest.split_whitespace().next()?.parse().ok()),
        input_digest: digest(content.as_bytes()),
        ..ToolCall::default()
    }
}

fn stop(payload: &Payload) -> StopCall {
    let mut background = Background::default();
    for task in payload.background_tasks.iter().filter(|t| t.status.is_empty() || t.status == "running") {
        if task.kind == "subagent" || task.kind.contains("agent") {
            background.subagents.push(task.id.clone());
        } else {
            background.shells.push(task.id.clone());
        }
    }
    StopCall {
        active: payload.stop_hook_active,
        background,
        last_message: payload.last_assistant_message.clone(),
        errored: matches!(payload.stop_reason.as_str(), "error" | "aborted" | "interrupted"),
    }
}

fn event_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::SessionStart(_) => "SessionStart",
        Kind::Prompt(_) => "UserPromptSubmit",
        Kind::PreTool(_) => "PreToolUse",
        Kind::PostTool(call) if call.failed => "PostToolUseFailure",
        Kind::PostTool(_) => "PostToolUse",
        Kind::PreCompact => "PreCompact",
        Kind::SubagentStart => "SubagentStart",
        Kind::SubagentStop => "SubagentStop",
        Kind::Stop(_) => "Stop",
        Kind::SessionEnd(_) => "SessionEnd",
    }
}

fn render(event: &Event, reply: &Reply) -> Option<String> {
    let mut out = serde_json::Map::new();
    let context = match event.kind {
        // On these an additional context is an error, or would force another turn.
        Kind::Stop(_) | Kind::SubagentStop | Kind::SessionEnd(_) | Kind::PreCompact => None,
        _ => reply.context.as_deref(),
    };
    let mut specific = serde_json::Map::new();
    if let Some(text) = context {
        specific.insert("additionalContext".to_owned(), json!(text));
    }
    match event.kind {
        Kind::Stop(_) => {
            if let Some(reason) = &reply.hold {
                out.insert("decision".to_owned(), json!("block"));
                out.insert("reason".to_owned(), json!(reason));
            }
        }
        Kind::Prompt(_) => {
            if let Some(reason) = &reply.deny {
                out.insert("decision".to_owned(), json!("block"));
                out.insert("reason".to_owned(), json!(reason));
            }
        }
        Kind::PreTool(_) => {
            if let Some(reason) = &reply.deny {
                specific.insert("permissionDecision".to_owned(), json!("deny"));
                specific.insert("permissionDecisionReason".to_owned(), json!(reason));
            }
        }
        _ => {}
    }
    if !specific.is_empty() {
        specific.insert("hookEventName".to_owned(), json!(event_name(&event.kind)));
        out.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    if let Some(notice) = &reply.notice
        && !matches!(event.kind, Kind::PreCompact | Kind::SessionEnd(_))
    {
        out.insert("systemMessage".to_owned(), json!(notice));
    }
    if out.is_empty() { None } else { Some(Cow::from(Value::Object(out).to_string()).into_owned()) }
}

fn session(env: Env<'_>) -> Option<(String, Option<u32>)> {
    Some((env("CLAUDE_CODE_SESSION_ID")?, env("CLAUDE_PID").and_then(|p| p.parse().ok())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Event> {
        parse("", text.as_bytes(), &|_| None)
    }

    fn active(text: &str) -> bool {
        match read(text).unwrap().kind {
            Kind::Stop(stop) => stop.active,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_flag_is_read_by_type_and_never_from_text() {
        for (flag, expected) in [
            ("\"x\":1", false),
            ("\"stop_hook_active\":null", false),
            ("\"stop_hook_active\":false", false),
            ("\"stop_hook_active\":true", true),
            ("\"stop_hook_active\":\"true\"", true),
            ("\"stopHookActive\":true", true),
            ("\n \"stop_hook_active\" : true\n", true),
            ("\"last_assistant_message\":\"\\\"stop_hook_active\\\": true\"", false),
        ] {
            assert_eq!(active(&format!("{{\"hook_event_name\":\"Stop\",{flag}}}")), expected, "{flag}");
        }
    }

    #[test]
    fn wrong_types_lose_the_field_and_not_the_payload() {
        let event = read(r#"{"hook_event_name":"Stop","session_id":"s","cwd":7,"background_tasks":{"a":1},"last_assistant_message":[]}"#).unwrap();
        assert_eq!(event.session, "s");
        assert_eq!(event.cwd, None);
    }

    #[test]
    fn background_tasks_are_told_apart() {
        let event = read(
            r#"{"hook_event_name":"Stop","background_tasks":[{"id":"a","type":"subagent","status":"running"},{"id":"b","type":"shell","status":"running"},{"id":"c","type":"shell","status":"completed"},{"id":"x"}]}"#,
        );
        let Kind::Stop(stop) = event.unwrap().kind else { panic!() };
        assert_eq!(stop.background, Background { subagents: vec!["a".into()], shells: vec!["b".into(), "x".into()] });
    }

    #[test]
    fn a_context_is_never_printed_where_the_host_refuses_it() {
        let reply = Reply { context: Some("c".into()), notice: Some("n".into()), ..Reply::default() };
        for name in ["PreCompact", "SessionEnd"] {
            let event = read(&format!("{{\"hook_event_name\":\"{name}\"}}")).unwrap();
            assert_eq!(render(&event, &reply), None, "{name}");
        }
        let stop = read("{\"hook_event_name\":\"Stop\"}").unwrap();
        assert_eq!(render(&stop, &reply).unwrap(), "{\"systemMessage\":\"n\"}");
    }
}
