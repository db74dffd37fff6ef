//! Claude Code: payloads as seen with versions 2.1.197 and 2.1.332 (samples in `tests/payloads/claude-code/`).

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::core::contract::digest;
use crate::core::event::{Event, Kind, Replacement, Reply, ToolCall, Write, Writing};
use crate::core::native;
use crate::hosts::wire::{self, Payload, When};
use crate::hosts::{Abilities, Env, Host, claude_code_settings};

/// The registry's entry.
pub const HOST: Host = Host {
    id: "claude-code",
    name: "Claude Code",
    parse,
    render,
    session,
    inside: |env| env("CLAUDECODE").is_some() || env("CLAUDE_CODE_SESSION_ID").is_some(),
    own_session: false,
    sleeps,
    settings: claude_code_settings::files,
    settings_harm: claude_code_settings::harm,
    abilities: Abilities {
        inject: "SessionStart, UserPromptSubmit, SubagentStart, PostToolUse",
        hold: "Stop `decision: block`",
        host_cap: Some(8),
        context_limit: "10,000 characters",
        guard: true,
        wakes: true,
    },
    by_hand: None,
    program: "claude",
};

fn parse(word: &str, bytes: &[u8], env: Env<'_>) -> Option<Event> {
    let payload = Payload::read(bytes)?;
    let (turn, unnamed) = (payload.prompt_id.clone(), payload.agent_type.is_empty());
    let mut event = payload.event(word, &turn, call)?;
    if let Kind::PostTool(call) = &mut event.kind {
        call.background |= call.command.is_some() && unfinished(bytes);
    }
    // Compaction reports itself as a subagent without a type.
    if event.kind == Kind::SubagentStop && unnamed {
        return None;
    }
    Some(Event {
        project: env("CLAUDE_PROJECT_DIR").as_deref().and_then(native::path),
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

/// The oldest release in which a hook with `asyncRewake` was seen to work.
const SLEEPS: [u32; 3] = [2, 1, 197];

/// `AI_AGENT` names the release: `claude-code_2-1-332_harness` in a hook. In the agent's shell it ends with `agent`: a client
/// that is started there, and does not set it, is not the one it names.
fn sleeps(env: Env<'_>) -> bool {
    let Some(agent) = env("AI_AGENT") else { return false };
    let mut words = agent.split(['_', '/']);
    let (host, version, place) = (words.next(), words.next().unwrap_or_default(), words.next());
    let mut numbers = version.split(['-', '.']).map(|number| number.parse().ok());
    let Some(version) = (|| Some([numbers.next()??, numbers.next()??, numbers.next()??]))() else { return false };
    host == Some("claude-code") && place == Some("harness") && words.next().is_none() && version >= SLEEPS
}

/// What of a shell tool's answer matters: the rest may be long.
#[derive(Default, Deserialize)]
struct Answer {
    #[serde(default)]
    tool_response: Shell,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Shell {
    /// A command that took too long was put into the background.
    #[serde(rename = "backgroundTaskId")]
    background: Option<String>,
    interrupted: bool,
}

/// Whether a command has not come to its end.
fn unfinished(bytes: &[u8]) -> bool {
    let answer: Answer = serde_json::from_slice(bytes).unwrap_or_default();
    answer.tool_response.background.is_some() || answer.tool_response.interrupted
}

fn call(payload: &Payload, when: When) -> ToolCall {
    if when == When::Before { coming(payload) } else { tool(payload, when == When::Failed) }
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
        background: of("run_in_background").as_bool().unwrap_or_default(),
        // A shell that fails is reported as a failed tool.
        exit: if failed {
            payload.error.strip_prefix("Exit code ").and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        } else {
            // Other tools may have a command, too, and run it who knows where.
            input.get("command").filter(|_| payload.tool_name == "Bash").map(|_| 0)
        },
        took: payload.duration_ms,
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
    ToolCall { writes: write.into_iter().collect(), input: wire::texts(input), ..bare(payload) }
}

fn replacement(edit: &Value) -> Replacement {
    Replacement {
        old: text(edit, "old_string").to_owned(),
        new: text(edit, "new_string").to_owned(),
        all: edit.get("replace_all").and_then(Value::as_bool).unwrap_or_default(),
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
    fn which_clients_know_a_hook_that_sleeps() {
        for (agent, right) in [
            (Some("claude-code_2-1-197_harness"), true),
            (Some("claude-code_2-1-332_harness"), true),
            (Some("claude-code_2-2-0_harness"), true),
            (Some("claude-code_3-0-0_harness"), true),
            (Some("claude-code_2-1-400-beta-1_harness"), true),
            (Some("claude-code/2.1.332/harness"), true),
            (Some("claude-code_2-1-196_harness"), false),
            (Some("claude-code_2-0-500_harness"), false),
            (Some("claude-code_1-9-999_harness"), false),
            // What a client of any age finds in the shell of another.
            (Some("claude-code_2-1-332_agent"), false),
            (Some("claude-code_2-1-332"), false),
            (Some("claude-code_2-1-332_harness_x"), false),
            (Some("claude-code_2-1_harness"), false),
            (Some("claude-code_2-1-x_harness"), false),
            (Some("claude-code_2-1-99999999999_harness"), false),
            (Some("claude-code__harness"), false),
            (Some("other_2-1-332_harness"), false),
            (Some("claude-code"), false),
            (Some(""), false),
            (None, false),
        ] {
            let env = |name: &str| agent.filter(|_| name == "AI_AGENT").map(str::to_owned);
            assert_eq!(sleeps(&env), right, "{agent:?}");
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
