//! Claude Code: payloads as seen with versions 2.1.197 and 2.1.332 (samples in `tests/payloads/claude-code/`).

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::core::contract::digest;
use crate::core::event::{Background, Event, Kind, Replacement, Reply, Source, StopCall, ToolCall, Write, Writing};
use crate::hosts::{Abilities, Env, Host, claude_code_settings};

/// The registry's entry.
pub const HOST: Host = Host {
    id: "claude-code",
    name: "Claude Code",
    parse,
    render,
    session,
    inside: |env| env("CLAUDECODE").is_some() || env("CLAUDE_CODE_SESSION_ID").is_some(),
    settings: claude_code_settings::files,
    settings_harm: claude_code_settings::harm,
    abilities: Abilities {
        inject: "SessionStart, UserPromptSubmit, SubagentStart, PostToolUse",
        hold: "Stop `decision: block`",
        host_cap: Some(8),
        context_limit: "10,000 characters",
        guard: true,
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
    tool_input: Value,
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
        "pre-tool" | "PreToolUse" => Kind::PreTool(coming(payload)),
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

/// A text of the tool's input; empty where there is none.
fn text<'p>(input: &'p Value, name: &str) -> &'p str {
    input.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The file that one of the writing tools is about.
fn written(payload: &Payload) -> Option<&str> {
    let writes = matches!(payload.tool_name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
    let file = ["file_path", "notebook_path"].map(|name| text(&payload.tool_input, name));
    file.into_iter().find(|file| writes && !file.is_empty())
}

fn tool(payload: &Payload, failed: bool) -> ToolCall {
    let input = &payload.tool_input;
    let of = |name: &str| input.get(name).unwrap_or(&Value::Null);
    let file = ["file_path", "notebook_path"].map(|name| text(input, name)).into_iter().find(|file| !file.is_empty());
    let content = json!([file.unwrap_or_default(), of("content"), of("new_string"), of("edits")]).to_string();
    ToolCall {
        edits: written(payload).filter(|_| !failed).map(PathBuf::from).into_iter().collect(),
        failed,
        exit: payload.error.strip_prefix("Exit code ").and_then(|rest| rest.split_whitespace().next()?.parse().ok()),
        input_digest: digest(content.as_bytes()),
        ..bare(payload)
    }
}

fn bare(payload: &Payload) -> ToolCall {
    let command = Some(text(&payload.tool_input, "command").to_owned()).filter(|c| !c.is_empty());
    ToolCall { name: payload.tool_name.clone(), command, ..ToolCall::default() }
}

/// A tool that is about to be used.
fn coming(payload: &Payload) -> ToolCall {
    let input = &payload.tool_input;
    let what = || match payload.tool_name.as_str() {
        "Write" => {
            input.get("content").and_then(Value::as_str).map_or(Writing::Unknown, |t| Writing::Whole(t.to_owned()))
        }
        "Edit" => Writing::Replace(vec![replacement(input)]),
        "MultiEdit" => match input.get("edits").and_then(Value::as_array) {
            Some(edits) => Writing::Replace(edits.iter().map(replacement).collect()),
            None => Writing::Unknown,
        },
        _ => Writing::Unknown,
    };
    let write = written(payload).map(|file| Write { path: PathBuf::from(file), what: what() });
    let mut texts = String::new();
    lines(input, &mut texts);
    ToolCall { writes: write.into_iter().collect(), input: texts, ..bare(payload) }
}

fn replacement(edit: &Value) -> Replacement {
    Replacement {
        old: text(edit, "old_string").to_owned(),
        new: text(edit, "new_string").to_owned(),
        all: edit.get("replace_all").and_then(Value::as_bool).unwrap_or_default(),
    }
}

/// Every text in a value, a line each.
fn lines(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.extend(text.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| lines(item, out)),
        Value::Object(members) => members.values().for_each(|item| lines(item, out)),
        _ => {}
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
    fn what_a_tool_is_about_to_write() {
        let coming = |tool: &str, input: &str| {
            let text = format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input}}}"#);
            match read(&text).unwrap().kind {
                Kind::PreTool(call) => call,
                other => panic!("{other:?}"),
            }
        };
        let edit = |old: &str, new: &str, all| Replacement { old: old.into(), new: new.into(), all };
        let replace = r#"{"file_path":"/p/f","old_string":"a","new_string":"b","replace_all":true}"#;
        let several = r#"{"file_path":"/p/f","edits":[{"old_string":"a","new_string":"b"},{"old_string":7}]}"#;
        for (tool, input, what) in [
            ("Write", r#"{"file_path":"/p/f","content":"x"}"#, Writing::Whole("x".into())),
            ("Write", r#"{"file_path":"/p/f","content":7}"#, Writing::Unknown),
            ("Edit", replace, Writing::Replace(vec![edit("a", "b", true)])),
            ("MultiEdit", several, Writing::Replace(vec![edit("a", "b", false), edit("", "", false)])),
            ("MultiEdit", r#"{"file_path":"/p/f"}"#, Writing::Unknown),
            ("NotebookEdit", r#"{"notebook_path":"/p/f"}"#, Writing::Unknown),
        ] {
            assert_eq!(coming(tool, input).writes, [Write { path: "/p/f".into(), what }], "{tool} {input}");
        }
        for (tool, input) in [("Read", replace), ("Write", "{}"), ("Edit", "[]"), ("Bash", "null")] {
            assert!(coming(tool, input).writes.is_empty(), "{tool} {input}");
        }
        let call = coming("mcp__x__y", r#"{"a":["/b\nc",{"d":"e"}],"f":1,"command":"ls"}"#);
        assert_eq!((call.input.as_str(), call.command.as_deref()), ("/b c\ne\nls\n", Some("ls")));
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
