//! Codex CLI: payloads and answers as seen with codex-cli 0.171.0 (samples in `tests/payloads/codex/`, the host's own schemas
//! of what it takes in `tests/payloads/codex-schemas/`). An answer with one key too many is dropped as a whole.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::core::contract::digest;
use crate::core::event::{Event, Kind, Reply, ToolCall, Write, Writing};
use crate::core::patch::{self, FilePatch, What};
use crate::hosts::wire::{self, Payload, When, lenient};
use crate::hosts::{Abilities, Env, Host, claude_code_settings};

/// The registry's entry.
pub const HOST: Host = Host {
    id: "codex",
    name: "Codex CLI",
    parse,
    render,
    session,
    inside: |env| VARIABLES.iter().any(|name| env(name).is_some()),
    // Seen: a hook is run by `bash -c` (the user's login shell) after setsid; the shell stays where the line is no single command.
    own_session: true,
    abilities: Abilities {
        inject: "SessionStart, UserPromptSubmit, SubagentStart, PostToolUse",
        hold: "Stop `decision: block`",
        host_cap: None,
        context_limit: "10,000 bytes",
        guard: true,
        wakes: false,
    },
    sleeps: |_| false,
    settings,
    // Its hooks file has the form of the other's settings.
    settings_harm: claude_code_settings::harm,
    by_hand: Some(
        "hooks/codex.json of the repository, as hooks.json in ~/.codex or $CODEX_HOME; then start codex and trust them",
    ),
    program: "codex",
};

/// What the host sets in the agent's shell, and only there; the first two name the session. `CODEX_SANDBOX` is that of macOS.
const VARIABLES: [&str; 5] =
    ["CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI"];

/// The host's name of the tool that writes files.
const PATCH: &str = "apply_patch";

/// The hooks file of the user, and that of the project, which counts where the user trusts the project.
fn settings(project: Option<&Path>, env: Env<'_>) -> Vec<PathBuf> {
    let home = env("CODEX_HOME").map(PathBuf::from).or_else(|| env("HOME").map(|home| Path::new(&home).join(".codex")));
    let of_project = project.map(|project| project.join(".codex"));
    home.into_iter().chain(of_project).map(|dir| dir.join("hooks.json")).collect()
}

/// Nothing says whether somebody attends: `permission_mode` is `bypassPermissions` in every `codex exec`, and at a terminal
/// where the user asked for no questions; the variables of a hook are the same in both.
fn parse(word: &str, bytes: &[u8], _: Env<'_>) -> Option<Event> {
    let payload = Payload::read(bytes)?;
    let turn = payload.turn_id.clone();
    let mut event = payload.event(word, &turn, tool)?;
    if let Kind::PostTool(call) = &mut event.kind
        && call.name == PATCH
    {
        call.exit = exit(bytes);
        call.failed = call.exit.is_some_and(|code| code != 0);
        if call.failed {
            call.edits.clear();
        }
    }
    Some(event)
}

fn tool(payload: &Payload, when: When) -> ToolCall {
    let text = payload.tool_input.get("command").and_then(Value::as_str).unwrap_or_default();
    let mut call =
        ToolCall { name: payload.tool_name.clone(), input_digest: digest(text.as_bytes()), ..ToolCall::default() };
    if call.name == "Bash" {
        call.command = Some(text.to_owned()).filter(|c| !c.is_empty());
    }
    if when == When::Before {
        call.input = wire::texts(&payload.tool_input);
        // A shell command that is nothing but a patch is taken for one by the host.
        if matches!(call.name.as_str(), PATCH | "Bash") {
            call.writes = patch::parse(text).into_iter().flatten().flat_map(writes).collect();
        }
    } else if call.name == PATCH {
        let paths = |file: FilePatch| match file.what {
            What::Update { moved_to: Some(to), .. } => vec![file.path.into(), to.into()],
            _ => vec![file.path.into()],
        };
        call.edits = patch::parse(text).into_iter().flatten().flat_map(paths).collect();
    }
    call
}

fn writes(file: FilePatch) -> Vec<Write> {
    let write = |path: String, what| Write { path: path.into(), what };
    match file.what {
        What::Add(content) => vec![write(file.path, Writing::Whole(content))],
        What::Delete => vec![write(file.path, Writing::Remove)],
        What::Update { hunks, moved_to: None } => vec![write(file.path, Writing::Patch(hunks))],
        What::Update { moved_to: Some(to), .. } => {
            vec![write(file.path, Writing::Remove), write(to, Writing::Unknown)]
        }
    }
}

/// The exit code with which the host begins its answer for a patch. That of a shell command is not told: its answer is the
/// command's own output, which may say anything.
fn exit(bytes: &[u8]) -> Option<i32> {
    #[derive(Deserialize)]
    struct Response {
        #[serde(default, deserialize_with = "lenient")]
        tool_response: String,
    }
    let response: Response = serde_json::from_slice(bytes).ok()?;
    response.tool_response.strip_prefix("Exit code: ")?.lines().next()?.parse().ok()
}

fn render(event: &Event, reply: &Reply) -> Option<String> {
    wire::render(wire::name(&event.kind), &event.kind, reply)
}

/// No process: the shell of a sandboxed agent has process ids of its own.
fn session(env: Env<'_>) -> Option<(String, Option<u32>)> {
    Some((env("CODEX_SESSION_ID").or_else(|| env("CODEX_THREAD_ID"))?, None))
}
