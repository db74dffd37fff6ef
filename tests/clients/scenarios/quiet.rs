//! A session that has nothing to do with the plan sees nothing of us and leaves no trace.

use std::time::Duration;

use crate::client::{Client, Run};
use crate::project::{BLOCK, GATE, Project};
use crate::scenarios::{gated, wait_for, write};
use crate::server::{Reply, Script, Server};

/// A session that works and stops, in two prompts.
fn bystander(project: &Project, server: &Server) {
    let script =
        || Script::new([write(project, "unrelated.txt", "hello\n"), Reply::bash("exit 3"), Reply::text("All done.")]);
    server.play(script());
    let run = project.start(server, &[], "something else", &[], &[]).finish(|| server.requests());
    let run = run.ended_well();
    unseen(&run);
    server.play(script());
    let run = project.start(server, &[], "and more", &["--resume", run.session()], &[]).finish(|| server.requests());
    unseen(&run.ended_well());
}

#[track_caller]
fn unseen(run: &Run) {
    assert_eq!(run.main().len(), 3, "not held\n{}", run.story());
    for request in &run.requests {
        let body = request.body.to_string();
        for word in [BLOCK, GATE, "Unfinished plan"] {
            assert!(!body.contains(word), "`{word}` was put in front of the model\n{}", run.story());
        }
    }
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"] {
        assert!(run.hooks(event).iter().all(String::is_empty), "{event}\n{}", run.story());
    }
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
}

pub fn no_plan_no_trace(client: &Client) {
    let project = Project::new(client);
    let before = project.traces();
    bystander(&project, &project.server);
    project.unchanged(&before);
    assert!(!project.dir.join(".planning").exists());
}

pub fn another_session_beside_an_ended_one(client: &Client) {
    let project = gated(client);
    project.session("begin", Script::say("Not yet.")).ended_well();
    let before = project.traces();
    bystander(&project, &project.server);
    project.unchanged(&before);
}

pub fn another_session_beside_a_live_one(client: &Client) {
    let project = gated(client);
    let busy = Server::start();
    busy.play(Script::new([Reply::text("Not yet.").after(Duration::from_secs(60))]));
    let working = project.start(&busy, &[], "begin", &[], &[]);
    wait_for(|| !busy.requests().is_empty());
    let before = project.traces();
    bystander(&project, &project.server);
    project.unchanged(&before);
    drop(working);
}

/// A one-shot run started by the attached session in its own shell, with all of its environment.
pub fn a_review_that_the_agent_starts_itself_is_left_alone(client: &Client) {
    let project = gated(client);
    let review = Server::start();
    review.play(Script::say("It is right."));
    let nested = format!(
        "ANTHROPIC_BASE_URL={} {} -p 'Please look at what changed' --dangerously-skip-permissions",
        review.url(),
        project.client.program.display()
    );
    let script = Script::new([Reply::bash(&nested), Reply::text("Not yet.")]);
    let run = project.session("begin", script).ended_well();
    assert!(run.main()[1].text().contains("It is right."), "it ran\n{}", run.story());
    for request in review.requests() {
        let body = request.body.to_string();
        for word in [BLOCK, GATE, "Unfinished plan"] {
            assert!(!body.contains(word), "`{word}` was put in front of the reviewer");
        }
    }
    let strangers: Vec<_> = project.ledger().into_iter().filter(|r| r["session"] != run.session()).collect();
    assert!(strangers.iter().all(|r| r["session"].is_null()), "{strangers:?}");
    assert_eq!(project.status()["session"]["attached"], run.session());
    assert!(!project.recorded("gate_block").is_empty(), "the agent itself is held as before");
}

pub fn two_sessions_at_once_and_one_attaches(client: &Client) {
    let project = gated(client);
    let (left, right) = (Server::start(), Server::start());
    let start = |server: &Server| {
        server.play(Script::say("Seen.").slowly(Duration::from_secs(2)));
        project.start(server, &[], "begin", &[], &[])
    };
    let (first, second) = (start(&left), start(&right));
    let runs = [first.finish(|| left.requests()).ended_well(), second.finish(|| right.requests()).ended_well()];
    let carrying: Vec<_> = runs.iter().filter(|run| run.main()[0].text().contains(BLOCK)).collect();
    assert_eq!(carrying.len(), 1, "{}\n{}", runs[0].story(), runs[1].story());
    assert_eq!(project.recorded("attach").len(), 1);
    assert_eq!(project.status()["session"]["attached"], carrying[0].session());
}

pub fn switched_off_means_silent(client: &Client) {
    let project = gated(client);
    let before = project.traces();
    let script = Script::new([write(&project, "note.txt", "one\n"), Reply::bash("exit 3"), Reply::text("All done.")]);
    let run = project.session_in("begin", &[("PLANNING_DISABLED", "1")], script).ended_well();
    unseen(&run);
    project.unchanged(&before);
}
