//! Claude Code: payloads as seen with versions 2.1.197 and 2.1.332 (samples in `tests/payloads/claude-code/`).

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::core::contract::digest;
use crate::core::event::{Event, Kind, Reply, ToolCall};
use crate::hosts::wire::{self, Payload, When, lenient};
use crate::hosts::{Abilities, Env, Host};

/// The registry's entry.
pub const HOST: Host = Host {
    id: "claude-code",
    name: "Claude Code",
    parse,
    render,
    session,
    inside: |env| env("CLAUDECODE").is_some() || env("CLAUDE_CODE_SESSION_ID").is_some(),
    own_session: false,
    abilities: Abilities {
        inject: "SessionStart, UserPromptSubmit, SubagentStart, PostToolUse",
        hold: "Stop `decision: block`",
        host_cap: Some(8),
        context_limit: "10,000 characters",
    },
    by_hand: None,
    program: "claude",
};

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolInput {
    #[serde(deserialize_with = "lenient")]
    file_path: String,
    #[serde(deserialize_with = "lenient")]
    notebook_path: String,
    #[serde(deserialize_with = "lenient")]
    command: String,
    #[serde(deserialize_with = "lenient")]
    content: Value,
    #[serde(deserialize_with = "lenient")]
    new_string: Value,
    #[serde(deserialize_with = "lenient")]
    edits: Value,
}

fn parse(word: &str, bytes: &[u8], env: Env<'_>) -> Option<Event> {
    let payload = Payload::read(bytes)?;
    let (turn, unnamed) = (payload.prompt_id.clone(), payload.agent_type.is_empty());
    let event = payload.event(word, &turn, tool)?;
    // Compaction reports itself as a subagent without a type.
    if event.kind == Kind::SubagentStop && unnamed {
        return None;
    }
    Some(Event {
        project: env("CLAUDE_PROJECT_DIR").as_deref().and_then(wire::path),
        attended: attended(env),
        host_pid: env("CLAUDE_PID").and_then(|v| v.parse().ok()),
        ..event
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

fn tool(payload: &Payload, when: When) -> ToolCall {
    let failed = when == When::Failed;
    let input = ToolInput::deserialize(&payload.tool_input).unwrap_or_default();
    let writes = matches!(payload.tool_name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
    let file = if input.file_path.is_empty() { &input.notebook_path } else { &input.file_path };
    let content = json!([file, input.content, input.new_string, input.edits]).to_string();
    ToolCall {
        name: payload.tool_name.clone(),
        edits: if writes && !failed && !file.is_empty() { vec![PathBuf::from(file)] } else { Vec::new() },
        command: Some(input.command.clone()).filter(|c| !c.is_empty()),
        failed,
        exit: payload.error.strip_prefix("Exit code ").and_then(|rest| rest.split_whitespace().next()?.parse().ok()),
        input_digest: digest(content.as_bytes()),
        ..ToolCall::default()
    }
}

fn render(event: &Event, reply: &Reply) -> Option<String> {
    let name = match &event.kind {
        Kind::PostTool(call) if call.failed => "PostToolUseFailure",
        kind => wire::name(kind),
    };
    wire::render(name, &event.kind, reply)
}

fn session(env: Env<'_>) -> Option<(String, Option<u32>)> {
    Some((env("CLAUDE_CODE_SESSION_ID")?, env("CLAUDE_PID").and_then(|p| p.parse().ok())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::event::Background;

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
