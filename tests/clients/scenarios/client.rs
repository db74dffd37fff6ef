//! What we take for granted of the client itself.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::client::Client;
use crate::project::Project;
use crate::server::{Reply, Script};

/// A hook that keeps what it gets: the payload, and the variables of the client.
const RECORDER: &str = "\
#!/bin/sh
at=$(dirname \"$0\")
env | grep -E '^(AI_AGENT|CLAUDE)' >\"$at/$1.env\"
cat >\"$at/$1.json\"
";

/// The variables and fields that the host's adapter reads are there.
pub fn what_a_hook_is_told(client: &Client) {
    let project = Project::bare(client);
    let recorder = project.aside().join("recorder");
    fs::write(&recorder, RECORDER).unwrap();
    fs::set_permissions(&recorder, fs::Permissions::from_mode(0o755)).unwrap();
    let events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"];
    let hooks: serde_json::Map<_, _> = events
        .iter()
        .map(|event| {
            let command = format!("{} {event}", recorder.display());
            ((*event).to_owned(), json!([{ "hooks": [{ "type": "command", "command": command }] }]))
        })
        .collect();
    fs::create_dir_all(project.dir.join(".claude")).unwrap();
    fs::write(project.dir.join(".claude/settings.json"), json!({ "hooks": hooks }).to_string()).unwrap();

    let run = project
        .session(
            "look around",
            Script::new([
                super::write(&project, "note.txt", "one\n"),
                Reply::bash("env | grep -E '^(AI_AGENT|CLAUDE)'; exit 3"),
                Reply::text("Looked around."),
            ]),
        )
        .ended_well();

    let payload = |event: &str| -> Value {
        let text = fs::read_to_string(project.aside().join(format!("{event}.json"))).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    for event in events {
        let payload = payload(event);
        assert_eq!(payload["hook_event_name"], event);
        assert_eq!(payload["session_id"], run.session(), "{event}");
        assert_eq!(payload["cwd"], project.dir.to_str().unwrap(), "{event}");
        let env = fs::read_to_string(project.aside().join(format!("{event}.env"))).unwrap();
        let says = |line: &str| env.lines().any(|l| l == line);
        assert!(says(&format!("CLAUDE_CODE_SESSION_ID={}", run.session())), "{event}: {env}");
        assert!(says(&format!("CLAUDE_PROJECT_DIR={}", project.dir.display())), "{event}: {env}");
        assert!(says("CLAUDE_CODE_ENTRYPOINT=sdk-cli"), "{event}: {env}");
        assert!(says(&format!("AI_AGENT=claude-code_{}_harness", client.version.replace('.', "-"))), "{event}: {env}");
        // The older release says neither; there the entry point tells a headless run.
        assert_eq!(says("CLAUDE_CODE_SESSION_ATTENDED=0"), !client.is_old(), "{event}: {env}");
        assert_eq!(env.contains("CLAUDE_PID="), !client.is_old(), "{event}: {env}");
    }
    assert_eq!(payload("SessionStart")["source"], "startup");
    assert_eq!(payload("UserPromptSubmit")["prompt"], "look around");
    assert_eq!(payload("PostToolUse")["tool_name"], "Write");
    assert!(payload("PostToolUse")["tool_use_id"].is_string());
    assert!(payload("PostToolUseFailure")["error"].as_str().unwrap().starts_with("Exit code 3"));
    assert_eq!(payload("Stop")["stop_hook_active"], false);
    assert_eq!(payload("Stop")["last_assistant_message"], "Looked around.");
    assert_eq!(payload("Stop")["background_tasks"], json!([]));
    // The agent's own shell names the session too: this is how a verb knows it.
    let shell = run.main().last().unwrap().text();
    assert!(shell.contains(&format!("CLAUDE_CODE_SESSION_ID={}", run.session())), "{shell}");
    // A client of any age that is started there must not take that name for its own.
    assert!(shell.contains("AI_AGENT=claude-code_") && !shell.contains("_harness"), "{shell}");
}

/// A hook that sleeps beside the session and then exits 2 wakes it, also headless.
pub fn a_sleeping_hook_wakes_the_session(client: &Client) {
    let project = Project::bare(client);
    let sleeper = project.aside().join("sleeper");
    fs::write(&sleeper, "#!/bin/sh\nat=$(dirname \"$0\")\n[ -f \"$at/woke\" ] && exit 0\ncat >/dev/null\nsleep 4\ntouch \"$at/woke\"\necho 'steadfast: it is time' >&2\nexit 2\n").unwrap();
    fs::set_permissions(&sleeper, fs::Permissions::from_mode(0o755)).unwrap();
    let hooks = json!({ "Stop": [{ "hooks": [{ "type": "command", "command": sleeper.display().to_string(), "asyncRewake": true, "timeout": 60 }] }] });
    fs::create_dir_all(project.dir.join(".claude")).unwrap();
    fs::write(project.dir.join(".claude/settings.json"), json!({ "hooks": hooks }).to_string()).unwrap();
    let run = project.session("wait", Script::new([Reply::text("I wait."), Reply::text("I go on.")])).ended_well();
    assert_eq!(run.main().len(), 2, "{}", run.story());
    assert!(run.main()[1].text().contains("it is time"), "{}", run.story());
}
