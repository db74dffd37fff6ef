//! What a person types into the chat is answered by the hook, and no model is asked.

use crate::client::Client;
use crate::project::BLOCK;
use crate::scenarios::{gated, terminal::turn};
use crate::server::{Kind, Script};
use crate::terminal::Terminal;

pub fn the_status_is_given_without_the_model(client: &Client) {
    let project = gated(client);
    let run = project.session("plan status", Script::new([])).ended_well();
    assert!(run.requests.is_empty(), "{}", run.story());
    let answer = run.result()["result"].as_str().unwrap();
    for line in ["0 of 3 phases done", "1. List the boxes: in_progress", "3. Report: pending"] {
        assert!(answer.contains(line), "no `{line}` in: {answer}");
    }
    assert!(project.recorded("gate_block").is_empty());
}

pub fn nobody_approves_where_nobody_attends(client: &Client) {
    let project = gated(client);
    project.session("begin", Script::say("Not yet.")).ended_well();
    project.edit_plan("Sort the cards", "Burn the cards");
    for prompt in ["approve plan", "approve plan 00000000"] {
        let run = project.go_on(prompt, Script::new([])).ended_well();
        assert!(run.of(Kind::Main).is_empty(), "{}", run.story());
        assert!(run.result()["result"].as_str().unwrap().contains("nothing was done"), "{}", run.story());
    }
    assert_eq!(project.status()["plan"]["version"], 1);
    assert_eq!(project.status()["plan"]["attestation"], "changed");
}

pub fn a_person_approves_what_was_shown(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &[]);
    turn(&mut terminal, &project, "begin", Script::say("Shall I?"));
    project.edit_plan("Sort the cards", "Frame the cards");

    project.server.play(Script::new([]));
    terminal.enter("approve plan");
    terminal.wait_until("the change is shown", || code(&terminal.screen()).is_some());
    let shown = code(&terminal.screen()).unwrap();
    // What comes after the person has looked is not approved with it.
    project.edit_plan("Frame the cards", "Burn the cards");
    terminal.enter(&format!("approve plan {shown}"));
    terminal.wait_until("it is approved", || project.status()["plan"]["version"] == 2);
    assert!(project.server.requests().iter().all(|r| r.kind == Kind::Aux), "no model was asked");

    let requests = turn(&mut terminal, &project, "and now", Script::say("Shall I?"));
    let text = requests[0].since("and now");
    assert!(text.contains(BLOCK) && text.contains("Frame the cards"), "{text}");
    assert!(!requests[0].text().contains("Burn the cards"), "{}", requests[0].text());
    terminal.leave();
}

pub fn a_paused_run_holds_nobody(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &[]);
    project.server.play(Script::new([]));
    terminal.enter("pause plan");
    terminal.wait_until("it is paused", || project.status()["plan"]["paused"] == true);
    let requests = turn(&mut terminal, &project, "what now", Script::say("All done."));
    assert_eq!(requests.len(), 1, "{}", terminal.screen());
    assert_eq!(project.verdicts(), ["paused"]);
    terminal.enter("resume plan");
    terminal.wait_until("it goes on", || project.status()["plan"]["paused"] == false);
    turn(&mut terminal, &project, "and now", Script::say("All done."));
    assert_eq!(project.recorded("gate_block").len(), 1, "{}", terminal.screen());
    terminal.leave();
}

/// The code in `approve plan CODE`, as shown. The client may put anything between two words.
fn code(screen: &str) -> Option<String> {
    let words: Vec<&str> = screen.split_whitespace().collect();
    let hex = |word: &str| word.len() == 8 && word.chars().all(|c| c.is_ascii_hexdigit());
    words.windows(3).find(|w| w[0] == "approve" && w[1] == "plan" && hex(w[2])).map(|w| w[2].to_owned())
}
