//! Plays a run through the real program: its agent's verbs, and the hooks as a host would call them. Knows nothing of what is right.

use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use steadfast::core::inject::{REASON_TOKENS, SENTINEL};
use steadfast::core::text::cost;

use crate::stage::{Answer, Ran, Stage};

/// The most holds between two prompts of the user, on every host.
const TURN: u32 = 5;

/// One run of a file: its lines after the heading.
pub(crate) struct Script<'a> {
    pub(crate) name: String,
    pub(crate) lines: Vec<&'a str>,
}

/// The runs of a file.
pub(crate) fn scripts<'a>(kind: &str, text: &'a str) -> Vec<Script<'a>> {
    let mut scripts: Vec<Script<'a>> = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        match (line.strip_prefix("== "), scripts.last_mut()) {
            (Some(name), _) => scripts.push(Script { name: format!("{kind} {name}"), lines: Vec::new() }),
            (None, Some(script)) => script.lines.push(line),
            (None, None) => panic!("{kind}: {line:?} belongs to no run"),
        }
    }
    scripts
}

/// What came of a run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) holds: usize,
    /// The last verdict of the attached session; empty where no stop was judged.
    pub(crate) last: String,
    /// Everything was complete at the end.
    pub(crate) complete: bool,
    /// What was not as the script says.
    pub(crate) wrong: Vec<String>,
}

/// A process that stands for the host.
struct Host(Child);

impl Host {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Last messages that ask nothing, and some that do.
const STATEMENTS: [&str; 3] =
    ["All finished.", "Does it hold? (it does, and all of the tests pass)", "Which one?\nThe old one."];
const QUESTIONS: [&str; 3] = ["Shall I go on?", "Shall I remove the old mill? [y/N]", "**Which one (oak or elm)?**"];

fn said(messages: &[&'static str], turn: usize) -> &'static str {
    messages.get(turn % messages.len()).copied().unwrap_or_default()
}

struct Play {
    stage: Stage,
    host: Host,
    session: String,
    attended: Option<&'static str>,
    cap: Option<u32>,
    /// The last stop of this turn was held.
    held: bool,
    turn: u32,
    last_stop: Value,
    /// Makes each event one of its own.
    serial: u32,
    told: Outcome,
}

pub(crate) fn play(script: &Script<'_>) -> Outcome {
    let mut play = Play {
        stage: Stage::new(),
        host: Host::start(),
        session: "s1".into(),
        attended: None,
        cap: None,
        held: false,
        turn: 0,
        last_stop: Value::Null,
        serial: 0,
        told: Outcome::default(),
    };
    for (number, line) in script.lines.iter().enumerate() {
        let before = play.told.wrong.len();
        play.line(line);
        for wrong in &mut play.told.wrong[before..] {
            *wrong = format!("{}, line {}, `{line}`: {wrong}", script.name, number + 1);
        }
    }
    let status = play.stage.status();
    play.told.complete = status["counts"]["complete"] == status["counts"]["total"];
    play.told
}

impl Play {
    fn line(&mut self, line: &str) {
        let (line, right) = line.split_once(" -> ").unwrap_or((line, ""));
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "who" => {
                self.attended = match rest {
                    "nobody" => Some("0"),
                    "somebody" => Some("1"),
                    _ => None,
                }
            }
            "cap" => {
                self.cap = Some(rest.parse().unwrap());
                self.stage.env.push(("PWF_GATE_CAP".into(), rest.into()));
            }
            "plan" => self.stage.write("plan.md", &plan(rest)),
            "did" | "refused" => {
                let ran = self.verb(&words(rest));
                let code = i32::from(word == "refused");
                self.expect(ran.code == code, || format!("exit {}: {}{}", ran.code, ran.out, ran.err));
            }
            "made" => {
                let ran = self.stage.verb(&words(rest));
                self.expect(ran.code == 0, || format!("{ran:?}"));
            }
            "gate" => {
                let said = self.stage.status()["gate"]["verdict"].as_str().unwrap().to_owned();
                self.expect(said == right, || format!("status says {said}"));
            }
            "user" => {
                let ran = self.stage.person(&words(rest), "");
                self.expect(ran.code == 0, || format!("{ran:?}"));
            }
            "start" => self.fine("SessionStart", json!({ "source": rest })),
            "prompt" => {
                (self.held, self.turn) = (false, 0);
                self.fine("UserPromptSubmit", json!({ "prompt": rest }));
            }
            "machine-prompt" => self.fine("UserPromptSubmit", json!({ "prompt": rest })),
            "compact" => {
                self.fine("PreCompact", json!({ "trigger": "auto" }));
                self.fine("SessionStart", json!({ "source": "compact" }));
            }
            "end" => self.fine("SessionEnd", json!({ "reason": if rest.is_empty() { "other" } else { rest } })),
            "session" => (self.session, self.held, self.turn) = (rest.into(), false, 0),
            "crash" => self.host = Host::start(),
            "write" => {
                let (file, text) = rest.split_once(' ').unwrap();
                self.stage.write(file, text);
                let input = json!({ "file_path": self.stage.project.join(file), "content": text });
                self.fine("PostToolUse", json!({ "tool_name": "Write", "tool_input": input }));
            }
            "fails" => {
                let fields = json!({ "tool_name": "Bash", "tool_input": { "command": rest }, "error": "Exit code 2" });
                self.fine("PostToolUseFailure", fields);
            }
            "edit" | "denied" | "behind" => self.edit(word, rest),
            "stop" | "again" => self.stop(word, rest, right),
            "beside" => {
                let payload = self.payload("beside", "Stop", json!({ "stop_hook_active": false }));
                let answer = self.hook("Stop", &payload);
                self.expect(answer.raw.is_empty(), || format!("a session beside it: {}", answer.raw));
            }
            other => panic!("no such word: {other}"),
        }
    }

    fn expect(&mut self, right: bool, why: impl FnOnce() -> String) {
        if !right {
            self.told.wrong.push(why());
        }
    }

    fn verb(&self, args: &[&str]) -> Ran {
        let mut command = self.stage.command(args);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", &self.session);
        command.env("CLAUDE_PID", self.host.0.id().to_string());
        command.output().unwrap().into()
    }

    fn payload(&mut self, session: &str, event: &str, fields: Value) -> Value {
        self.serial += 1;
        let mut payload = json!({ "session_id": session, "cwd": self.stage.project, "hook_event_name": event,
            "prompt_id": format!("p{}", self.serial), "tool_use_id": format!("t{}", self.serial) });
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        payload
    }

    fn hook(&self, event: &str, payload: &Value) -> Answer {
        let pid = self.host.0.id().to_string();
        let mut env = vec![("CLAUDE_PID", pid.as_str())];
        env.extend(self.attended.map(|a| ("CLAUDE_CODE_SESSION_ATTENDED", a)));
        Answer::of(&self.stage.hook_bytes(event, payload.to_string().as_bytes(), &env))
    }

    /// An event that is no stop: nothing is held by it.
    fn fine(&mut self, event: &str, fields: Value) {
        let session = self.session.clone();
        let payload = self.payload(&session, event, fields);
        let answer = self.hook(event, &payload);
        self.expect(answer.held().is_none(), || format!("held: {}", answer.raw));
    }

    /// An edit of the plan file: one that passes, one that the guard refuses, or one that no hook sees.
    fn edit(&mut self, word: &str, rest: &str) {
        let file = self.stage.plan_file();
        let text = edited(&self.stage.read(&file), rest);
        let input = json!({ "file_path": file, "content": text });
        if word != "behind" {
            let session = self.session.clone();
            let payload = self.payload(&session, "PreToolUse", json!({ "tool_name": "Write", "tool_input": input }));
            let answer = self.hook("PreToolUse", &payload);
            let denied = answer.value.pointer("/hookSpecificOutput/permissionDecision") == Some(&json!("deny"));
            self.expect(denied == (word == "denied"), || format!("the guard said {:?}", answer.raw));
        }
        if word != "denied" {
            std::fs::write(&file, text).unwrap();
        }
        if word == "edit" {
            self.fine("PostToolUse", json!({ "tool_name": "Write", "tool_input": input }));
        }
    }

    fn stop(&mut self, word: &str, rest: &str, right: &str) {
        // The serial number of the event picks the words, so that each form is met.
        let turn = self.serial as usize;
        let mut message = said(&STATEMENTS, turn);
        let mut tasks = Vec::new();
        let mut fields = json!({ "stop_hook_active": self.held });
        for part in words(rest) {
            match part {
                "asks" => message = said(&QUESTIONS, turn),
                "error" => fields["stop_reason"] = json!("error"),
                "subagent" => tasks.push(json!({ "id": "a1", "type": "subagent", "status": "running" })),
                shell => tasks.push(json!({ "id": shell, "type": "shell", "status": "running" })),
            }
        }
        fields["last_assistant_message"] = json!(message);
        fields["background_tasks"] = json!(tasks);
        let session = self.session.clone();
        let payload = if word == "again" { self.last_stop.clone() } else { self.payload(&session, "Stop", fields) };
        let before = self.verdicts().len();
        let answer = self.hook("Stop", &payload);
        self.last_stop = payload;
        let verdict = match answer.held() {
            Some(reason) => {
                let short = reason.starts_with(SENTINEL) && cost(reason) <= REASON_TOKENS;
                self.expect(short, || format!("a reason of {} tokens: {reason}", cost(reason)));
                "held".to_owned()
            }
            None if word == "again" => "duplicate".to_owned(),
            None => self.verdicts().get(before).cloned().unwrap_or_else(|| "silence".to_owned()),
        };
        self.expect(verdict == right, || format!("{verdict}; {}", answer.raw));
        // Whoever is let go before the plan is done is told why, in the first line.
        let told = ["steadfast let the run end: ", "steadfast holds nobody while something runs in the background."];
        let says = told.iter().any(|begin| answer.notice().starts_with(begin));
        let silent = matches!(verdict.as_str(), "held" | "done" | "silence");
        self.expect(says != silent, || format!("the user reads {:?}", answer.raw));
        self.held = verdict == "held";
        self.turn += u32::from(self.held);
        self.told.holds += usize::from(self.held);
        let turn = self.turn;
        self.expect(turn <= TURN, || format!("{turn} holds in a turn"));
        let blocks = self.stage.status()["gate"]["blocks"].as_u64().unwrap();
        let cap = u64::from(self.cap.unwrap_or(20));
        self.expect(blocks <= cap, || format!("{blocks} blocks of {cap}"));
        self.told.last = verdict;
    }

    /// The verdicts of the stops that were let go, as the ledger has them.
    fn verdicts(&self) -> Vec<String> {
        let allowed = self.stage.ledger().into_iter().filter(|r| r["event"] == "gate_allow");
        allowed.map(|r| r["data"]["verdict"].as_str().unwrap().to_owned()).collect()
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').filter(|w| !w.is_empty()).collect()
}

/// The plan of a line such as `a:2 b:1+check>a`.
fn plan(line: &str) -> String {
    let mut text = "# Task Plan: Move the mill\n\n## Goal\nMove the mill.\n\n## Phases\n".to_owned();
    for (number, word) in (1..).zip(line.split(' ')) {
        let (word, after) = word.split_once('>').map_or((word, None), |(word, after)| (word, Some(after)));
        let (id, boxes) = word.split_once(':').unwrap();
        let (boxes, check) = boxes.split_once('+').map_or((boxes, false), |(boxes, _)| (boxes, true));
        let mut line = |line: String| text.extend([line.as_str(), "\n"]);
        line(format!("\n### Phase {number}: Part {id} {{#{id}}}"));
        (1..=boxes.parse().unwrap()).for_each(|n: usize| line(format!("- [ ] Step {n} of {id}")));
        line("- **Status:** pending".to_owned());
        if let Some(after) = after {
            line(format!("- **DependsOn:** {after}"));
        }
        if check {
            line(format!("- **Check:** `test -f {id}.ok`"));
        }
    }
    text
}

/// A plan file after an edit: `complete`, `check-boxes`, `drop X`, `weaken X`, `empty`, `goal`, `note N`.
fn edited(text: &str, edit: &str) -> String {
    let (word, of) = edit.split_once(' ').unwrap_or((edit, ""));
    let section = |text: &str, id: &str| {
        let from = text.find(&format!("\n### Phase {}", number(text, id))).unwrap();
        let to = text[from + 1..].find("\n### ").map_or(text.len(), |at| from + 1 + at);
        (from, to)
    };
    match word {
        "complete" => {
            let status = |line| if str::starts_with(line, "- **Status:**") { "- **Status:** complete" } else { line };
            text.lines().flat_map(|line| [status(line), "\n"]).collect()
        }
        "check-boxes" => text.replace("- [ ]", "- [x]"),
        "drop" => {
            let (from, to) = section(text, of);
            format!("{}{}", &text[..from], &text[to..])
        }
        "weaken" => text.replace(&format!("`test -f {of}.ok`"), "`true`"),
        "empty" => String::new(),
        "goal" => text.replace("## Goal\nMove the mill.", "## Goal\nSay that the mill was moved."),
        "note" => format!("{text}\nNote {of}\n"),
        other => panic!("no such edit: {other}"),
    }
}

/// Number and title of the phase with an id, as they stand in its heading.
fn number(text: &str, id: &str) -> String {
    let heading = text.lines().find(|l| l.starts_with("### ") && l.ends_with(&format!("{{#{id}}}"))).unwrap();
    heading.trim_start_matches("### Phase ").to_owned()
}
