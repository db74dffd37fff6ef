//! What `install` writes for Claude Code, and where. Seen in 2.1.197 and 2.1.332: hooks in exec form (`command` and `args`,
//! no shell), `timeout` in seconds, permission rules `Bash(PROGRAM WORD *)`, which also allow the command without arguments.

use std::path::{Path, PathBuf};

use crate::core::json_edit::{EditError, HookEntry, merge_hooks};
use crate::hosts::Env;

/// Hooks we ask for: the host's name of the event, our word, seconds the host waits.
const EVENTS: [(&str, &str, u32); 11] = [
    ("SessionStart", "session-start", 10),
    ("UserPromptSubmit", "user-prompt", 10),
    ("PreToolUse", "pre-tool", 10),
    ("PostToolUse", "post-tool", 10),
    ("PostToolUseFailure", "tool-failure", 10),
    ("PreCompact", "pre-compact", 10),
    ("SubagentStart", "subagent-start", 10),
    ("SubagentStop", "subagent-stop", 10),
    ("Stop", "stop", 10),
    // It sleeps as long as a wait lasts, which is a day at most where an agent set it.
    ("Stop", SLEEP, 86_400),
    // Without a timeout of its own the host gives this one a second or two.
    ("SessionEnd", "session-end", 5),
];

/// The hook that sleeps beside the session (`asyncRewake`).
const SLEEP: &str = "sleep";

/// What stands behind the word: the host, and that the hook which sleeps is there with the others.
const ARGS: [&str; 3] = ["--host", "claude-code", "--sleeper"];

/// The tools that may change what the guard keeps. Written as an expression, since the host takes a list of plain names word
/// for word, and looks for anything else anywhere in a name.
const GUARDED: &str = "^(Bash|Write|Edit|MultiEdit|NotebookEdit|WebFetch|WebSearch|Task|Agent|mcp__.*)$";

/// Verbs an agent may run without a question: they start no command out of the plan, and an agent cannot weaken a plan by
/// them. `check`, `done`, `start --baseline`, `run` and `try` start commands; `pause`, `release`, `use` and `uninstall` are a person's.
const HARMLESS: [&str; 14] = [
    "init", "attest", "status", "next", "step", "fail", "skip", "log", "receipt", "propose", "attach", "plans",
    "import", "export",
];

/// The address editors find the format of the settings under. It is all that a file holds besides ours which was not there
/// before; standing behind `hooks`, it also marks the file as made by us.
const SCHEMA: &str = "\n  \"$schema\": \"https://json.schemastore.org/claude-code-settings.json\"\n}\n";

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// A project's, shared with everybody who has it.
    Project,
    /// A project's, for this user alone.
    Local,
}

/// The settings file of a scope. `None` where there is no home directory.
pub fn settings(scope: Scope, env: Env<'_>, project: &Path) -> Option<PathBuf> {
    match scope {
        Scope::User => match env("CLAUDE_CONFIG_DIR") {
            Some(dir) => Some(Path::new(&dir).join("settings.json")),
            None => Some(Path::new(&env("HOME")?).join(".claude/settings.json")),
        },
        Scope::Project => Some(project.join(".claude/settings.json")),
        Scope::Local => Some(project.join(".claude/settings.local.json")),
    }
}

/// The path of this program as a hook names it. `None` where it has another name, by which no hook would be known again. No shell
/// reads it, so it may hold spaces and signs. On Windows it is written with `/`, which every shell there would read the same way
/// too, should a client hand it to one: a Unix shell takes `\` for an escape.
pub fn program(path: &str, windows: bool) -> Option<String> {
    let path = if windows { path.replace('\\', "/") } else { path.to_owned() };
    let name = path.rsplit('/').next().unwrap_or_default();
    let ours = if windows { name.eq_ignore_ascii_case("steadfast.exe") } else { name == "steadfast" };
    let ending = path.len() - name.len();
    Some(format!("{}{}", path.get(..ending)?, if windows { "steadfast.exe" } else { name })).filter(|_| ours)
}

/// The hooks, for a program at an absolute path.
pub fn entries(program: &str) -> Vec<HookEntry> {
    EVENTS
        .iter()
        .map(|(event, word, timeout)| HookEntry {
            event: (*event).to_owned(),
            matcher: (*event == "PreToolUse").then(|| GUARDED.to_owned()),
            command: program.to_owned(),
            args: ["hook", word].iter().chain(&ARGS).map(|word| (*word).to_owned()).collect(),
            timeout: *timeout,
            wakes: *word == SLEEP,
        })
        .collect()
}

/// The permission rules.
pub fn rules() -> Vec<String> {
    HARMLESS.iter().map(|verb| format!("Bash(steadfast {verb} *)")).collect()
}

/// The verbs the rules are for, as a sentence names them.
pub fn harmless() -> String {
    HARMLESS.join(", ")
}

/// The text of a settings file that was not there.
///
/// # Errors
/// None; the type is that of the edit.
pub fn new_file(entries: &[HookEntry]) -> Result<String, EditError> {
    let text = merge_hooks("{}\n", entries)?;
    Ok(match text.strip_suffix("\n}\n") {
        Some(open) => format!("{open},{SCHEMA}"),
        None => text,
    })
}

/// Whether a file was made by [`new_file`], and what is left of it after ours was taken out is nothing else.
pub fn is_new_file(before: &str, after: &str) -> bool {
    before.starts_with("{\n  \"hooks\": {\n") && after.strip_prefix('{') == Some(SCHEMA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::json_edit::{merge_permissions, remove_hooks, remove_permissions};

    #[test]
    fn a_program_is_named_so_that_every_shell_would_find_it() {
        for (path, windows, named) in [
            ("/usr/local/bin/steadfast", false, Some("/usr/local/bin/steadfast")),
            ("/home/a b/bin/steadfast", false, Some("/home/a b/bin/steadfast")),
            (r"/odd\name/steadfast", false, Some(r"/odd\name/steadfast")),
            ("/usr/bin/steadfast-2", false, None),
            ("/usr/bin/steadfast.exe", false, None),
            (r"C:\Users\u\.cargo\bin\steadfast.exe", true, Some("C:/Users/u/.cargo/bin/steadfast.exe")),
            (r"C:\Program Files\x (y) & z\Steadfast.EXE", true, Some("C:/Program Files/x (y) & z/steadfast.exe")),
            (r"\\server\share\steadfast.exe", true, Some("//server/share/steadfast.exe")),
            (r"C:\bin\steadfast", true, None),
            (r"C:\bin\steadfast.cmd", true, None),
            ("", true, None),
        ] {
            assert_eq!(program(path, windows).as_deref(), named, "{path}");
            if let Some(named) = named {
                let text = merge_hooks("{}\n", &entries(named)).unwrap();
                assert_eq!(remove_hooks(&text).unwrap(), "{}\n", "{named} is known again");
            }
        }
    }

    #[test]
    fn a_new_file_is_known_again_and_a_like_one_is_not() {
        let entries = entries("/opt/steadfast");
        let made = merge_permissions(&new_file(&entries).unwrap(), &rules()).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&made).is_ok());
        let left = remove_permissions(&remove_hooks(&made).unwrap(), &rules()).unwrap();
        assert!(is_new_file(&made, &left), "{left}");
        let theirs = format!("{{{SCHEMA}");
        let merged = merge_hooks(&theirs, &entries).unwrap();
        assert!(!is_new_file(&merged, &remove_hooks(&merged).unwrap()));
    }

    #[test]
    fn the_plugin_asks_for_the_same_events() {
        let plugin: serde_json::Value = serde_json::from_str(include_str!("../../hooks/claude-code.json")).unwrap();
        let hooks = plugin["hooks"].as_object().unwrap();
        let groups = |list: &serde_json::Value| list.as_array().unwrap().len();
        assert_eq!(hooks.values().map(groups).sum::<usize>(), EVENTS.len());
        for entry in entries("") {
            let right = |group: &&serde_json::Value| group["hooks"][0]["args"][0] == entry.args[1];
            let group = hooks[&entry.event].as_array().unwrap().iter().find(right).unwrap();
            let hook = &group["hooks"][0];
            assert_eq!(hook["args"], serde_json::json!(entry.args[1..]));
            assert_eq!(hook["timeout"], entry.timeout);
            assert_eq!(hook["command"], "${CLAUDE_PLUGIN_ROOT}/hooks/steadfast");
            assert_eq!(hook.get("asyncRewake"), entry.wakes.then_some(&serde_json::json!(true)));
            assert_eq!(group.get("matcher"), entry.matcher.map(serde_json::Value::from).as_ref());
        }
    }
}
