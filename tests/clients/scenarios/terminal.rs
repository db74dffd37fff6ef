//! A session that somebody attends.

use serde_json::json;

use crate::client::Client;
use crate::project::{BLOCK, Project};
use crate::scenarios::{gated, held_now, junk};
use crate::server::{Kind, Reply, Request, Script};
use crate::terminal::Terminal;

fn main_requests(project: &Project) -> Vec<Request> {
    project.server.requests().into_iter().filter(|r| r.kind == Kind::Main).collect()
}

/// Enters a prompt and waits until the stops of its turn are over.
#[track_caller]
pub fn turn(terminal: &mut Terminal, project: &Project, prompt: &str, script: Script) -> Vec<Request> {
    project.server.play(script);
    let before = project.verdicts().len();
    terminal.enter(prompt);
    terminal.wait_until("the turn ends", || project.verdicts().len() > before);
    main_requests(project)
}

pub fn an_attended_stop_is_held_once(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &[]);
    let script = junk(&project);
    let requests = turn(&mut terminal, &project, "begin", script);
    assert!(requests[0].since("begin").contains(BLOCK));
    assert_eq!(requests.iter().filter(|r| held_now(r)).count(), 1, "{}", terminal.screen());
    assert_eq!(project.verdicts(), ["forced"]);
    terminal.wait_until("the user is told", || terminal.screen().contains("steadfast let the run end"));
    terminal.leave();
    assert_eq!(project.recorded("session_end").len(), 1);
}

pub fn a_question_to_the_user_is_let_go(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &[]);
    let requests = turn(&mut terminal, &project, "begin", Script::say("Which box shall I open first?"));
    assert_eq!(requests.len(), 1, "{}", terminal.screen());
    assert_eq!(project.verdicts(), ["question"]);
    let requests = turn(&mut terminal, &project, "the blue one", Script::say("It is open."));
    assert!(requests[0].since("the blue one").contains(BLOCK));
    assert_eq!(project.recorded("gate_block").len(), 1, "{}", terminal.screen());
    terminal.leave();
}

pub fn the_plan_survives_clear(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &[]);
    turn(&mut terminal, &project, "begin", Script::say("Is this the place?"));
    let first = project.status()["session"]["attached"].clone();
    terminal.enter("/clear");
    terminal.wait_until("a new session is attached", || project.status()["session"]["attached"] != first);
    let requests = turn(&mut terminal, &project, "where were we", Script::say("Shall I go on?"));
    let text = requests[0].text();
    assert!(!text.contains("Is this the place?"), "the conversation is gone: {text}");
    for title in ["List the boxes", "Sort the cards", "Report"] {
        assert!(text.contains(title), "the plan is whole: {text}");
    }
    terminal.leave();
}

pub fn the_plan_survives_compact(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &[]);
    turn(&mut terminal, &project, "begin", Script::say("Is this the place?"));
    turn(&mut terminal, &project, "yes", Script::say("Shall I go on?"));
    terminal.enter("/compact");
    terminal.wait_until("it is compacted", || project.server.requests().iter().any(|r| r.kind == Kind::Compact));
    // The summary is put in place after the request for it.
    terminal.wait_until("the session starts anew", || project.recorded("session_start").len() == 2);
    std::thread::sleep(std::time::Duration::from_secs(1));
    let requests = turn(&mut terminal, &project, "where were we", Script::say("Shall I?"));
    let text = requests[0].text();
    assert!(text.contains("talked about the work"), "{text}");
    for title in ["List the boxes", "Sort the cards", "Report"] {
        assert!(text.contains(title), "the plan is whole: {text}");
    }
    assert!(requests[0].since("where were we").contains(BLOCK));
    terminal.leave();
}

pub fn an_unfinished_plan_is_offered_and_nothing_more(client: &Client) {
    let project = gated(client);
    project.session("begin", Script::say("Not yet.")).ended_well();
    let before = project.traces();
    let mut terminal = Terminal::open(&project, &[]);
    for (prompt, offers) in [("what is a postcard", 1), ("and a stamp", 1)] {
        project.server.play(Script::new([
            Reply::tool("Bash", json!({ "command": "echo looked", "description": "look" })),
            Reply::text("Paper."),
        ]));
        terminal.enter(prompt);
        terminal.wait_until("the turn ends", || main_requests(&project).len() == 2);
        std::thread::sleep(std::time::Duration::from_secs(1));
        let requests = main_requests(&project);
        assert_eq!(requests.len(), 2, "not held\n{}", terminal.screen());
        let text = requests[0].text();
        assert_eq!(text.matches("Unfinished plan here").count(), offers, "{text}");
        assert!(!text.contains(BLOCK), "{text}");
    }
    terminal.leave();
    project.unchanged(&before);
}
