//! A premature stop is held, and nothing is held for ever.

use std::time::Duration;

use serde_json::json;

use crate::client::{Client, Run};
use crate::project::{BLOCK, GATE, Project};
use crate::scenarios::{gated, held_now, holds, junk, write};
use crate::server::{Kind, Reply, SUBAGENT, Script};

/// The most holds in one user turn.
const TURN_LIMIT: usize = 5;

pub fn a_premature_stop_is_held_and_the_model_reads_why(client: &Client) {
    let project = gated(client);
    let run = project.session("begin", Script::new([Reply::text("All done."), Reply::text("Really.")])).ended_well();
    let main = run.main();
    assert_eq!(main.len(), 2, "{}", run.story());
    assert!(!main[0].text().contains(GATE));
    assert!(held_now(main[1]), "{}", run.story());
    let reason = main[1].text();
    assert!(reason.contains("List the boxes"), "the open phase is named: {reason}");
    assert!(reason.contains("steadfast "), "a command moves it on: {reason}");
    let blocked = run.hooks("Stop");
    assert_eq!(blocked.iter().filter(|out| out.contains("\"decision\":\"block\"")).count(), 1, "{blocked:?}");
    assert_eq!(project.recorded("gate_block").len(), 1);
}

pub fn an_unattended_run_goes_on_until_the_plan_is_done(client: &Client) {
    let project = gated(client);
    let script = Script::new([
        Reply::text("All done."),
        Reply::bash("steadfast step && steadfast step && steadfast done"),
        Reply::text("All done, surely."),
        write(&project, "sorted.txt", "a card\n"),
        Reply::bash("steadfast step && steadfast done sort"),
        Reply::text("Now it is done."),
        Reply::bash("steadfast step report 1 && steadfast done report"),
        Reply::text("Everything is reported."),
    ]);
    let run = project.session("sort them", script).ended_well();
    assert_eq!(run.main().len(), 8, "{}", run.story());
    assert_eq!(holds(&run.main()), 3, "{}", run.story());
    assert_eq!(run.result()["result"], "Everything is reported.", "{}", run.story());
    assert_eq!(project.recorded("gate_block").len(), 3);
    assert_eq!(project.verdicts(), ["done"], "{}", run.story());
    assert_eq!(project.status()["counts"]["complete"], 3);
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
    assert!(run.notices().is_empty(), "nothing to tell about a plan that is done: {:?}", run.notices());
}

pub fn an_agent_that_only_says_done_is_let_go(client: &Client) {
    let project = gated(client);
    let run = project.session("begin", Script::forever(|_, _| Reply::text("All done."))).ended_well();
    assert_eq!(run.main().len(), 2, "no progress ends it after one hold\n{}", run.story());
    assert_eq!(project.verdicts(), ["no-progress"]);
    assert_eq!(run.notices().len(), 1, "{}", run.story());
    assert!(run.notices()[0].starts_with("steadfast let the run end: no progress"), "{:?}", run.notices());
    assert_eq!(run.result()["result"], "All done.", "the last word is kept");
}

pub fn an_agent_that_writes_junk_is_let_go_at_the_limit(client: &Client) {
    let project = gated(client);
    let script = junk(&project);
    let run = project.session("begin", script).ended_well();
    let held = holds(&run.main());
    assert_eq!(held, TURN_LIMIT, "{}", run.story());
    assert_eq!(project.recorded("gate_block").len(), TURN_LIMIT);
    assert_eq!(project.verdicts(), ["turn-limit"]);
    assert!(run.notices().iter().any(|n| n.contains("turn limit")), "{:?}", run.notices());
    assert_eq!(run.result()["result"], "All done.");
}

pub fn an_agent_is_let_go_at_the_cap(client: &Client) {
    let project = gated(client);
    let script = junk(&project);
    let run = project.session_in("begin", &[("PWF_GATE_CAP", "2")], script).ended_well();
    assert_eq!(holds(&run.main()), 2, "{}", run.story());
    assert_eq!(project.verdicts(), ["cap"], "{}", run.story());
}

/// The stop after a hold carries the client's flag.
pub fn a_plan_without_hold_is_held_once(client: &Client) {
    let project = Project::new(client);
    project.steadfast(&["init", "--gated", "--no-hold", "--from", "plan.md", "Sort the postcards"]);
    let script = junk(&project);
    let run = project.session("begin", script).ended_well();
    assert_eq!(holds(&run.main()), 1, "{}", run.story());
    assert_eq!(project.verdicts(), ["forced"], "{}", run.story());
}

pub fn a_session_in_a_subdirectory_keeps_its_plan(client: &Client) {
    let project = gated(client);
    let script = Script::new([Reply::bash("mkdir -p deep/er && cd deep/er"), Reply::text("All done.")]);
    let run = project.session("begin", script).ended_well();
    assert_eq!(holds(&run.main()), 1, "{}", run.story());
}

pub fn a_deleted_plan_holds_nobody(client: &Client) {
    let project = gated(client);
    let script = Script::new([Reply::bash("rm -rf .planning"), Reply::text("All done.")]);
    let run = project.session("begin", script).ended_well();
    assert_eq!(run.main().len(), 2, "{}", run.story());
    assert_eq!(run.notices().len(), 1, "{}", run.story());
    assert!(!project.dir.join(".planning").exists(), "what the agent deleted does not come back");
}

pub fn a_finished_plan_is_let_go(client: &Client) {
    let project = gated(client);
    std::fs::write(project.dir.join("sorted.txt"), "a card\n").unwrap();
    let script = Script::new([
        Reply::bash("steadfast step && steadfast step && steadfast done"),
        Reply::bash("steadfast step && steadfast done"),
        Reply::bash("steadfast step && steadfast done"),
        Reply::text("Sorted."),
    ]);
    let run = project.session("sort them", script).ended_well();
    assert_eq!(run.main().len(), 4, "{}", run.story());
    assert_eq!(project.status()["counts"]["complete"], 3, "{}", run.story());
    let run = project.go_on("what was it about", Script::say("Postcards.")).ended_well();
    assert_eq!(run.main().len(), 1, "{}", run.story());
    assert_eq!(run.result()["result"], "Postcards.");
    assert!(run.notices().is_empty(), "{:?}", run.notices());
    assert!(project.recorded("gate_block").is_empty());
    assert_eq!(project.verdicts(), ["done", "done"]);
}

/// The input of the tool that starts a subagent.
fn task(background: bool) -> serde_json::Value {
    json!({
        "description": "count the boxes", "prompt": format!("{SUBAGENT}: count the boxes"),
        "subagent_type": "general-purpose", "run_in_background": background,
    })
}

pub fn a_subagent_is_never_held(client: &Client) {
    let project = gated(client);
    let script =
        Script::new([Reply::tool("Agent", task(false)), Reply::text("Counted."), Reply::text("Still counted.")])
            .with_sub([write(&project, "count.txt", "12\n"), Reply::text("There are twelve.")]);
    let run = project.session("begin", script).ended_well();
    let sub = run.of(Kind::Sub);
    assert_eq!(sub.len(), 2, "the subagent ends when it says so\n{}", run.story());
    assert!(sub[0].text().contains(BLOCK), "it knows the plan: {}", sub[0].text());
    assert!(sub[0].text().contains("Do not edit the plan"), "{}", sub[0].text());
    assert!(sub.iter().all(|r| !r.text().contains(GATE)), "{}", run.story());
    let stops = run.hooks("SubagentStop");
    assert!(!stops.is_empty() && stops.iter().all(String::is_empty), "{stops:?}");
    assert!(run.main()[1].text().contains("There are twelve."), "{}", run.story());
    assert_eq!(holds(&run.main()), 1, "the main thread is\n{}", run.story());
    assert_eq!(project.recorded("subagent_start").len(), 1);
    assert_eq!(project.recorded("subagent_stop").len(), 1);
    let edits = project.recorded("edit");
    assert_eq!(edits.len(), 1, "{edits:?}");
    assert_ne!(edits[0]["agent"], "claude-code", "a subagent has its own ledger");
}

/// The stop beside it is let go; the client wakes the agent when it has ended, and from then on stops are held.
#[track_caller]
fn let_go_and_woken(project: &Project, run: &Run) {
    assert_eq!(project.verdicts(), ["background", "no-progress"], "{}", run.story());
    assert_eq!(project.recorded("gate_block").len(), 1, "{}", run.story());
    // Beside each answer of the gate stands the silence of the hook that sleeps.
    let stops = run.hooks("Stop");
    assert_eq!((stops.len(), stops.iter().filter(|out| !out.is_empty()).count()), (6, 3), "{}", run.story());
    let woken = run.main()[2].text();
    assert!(woken.contains("<task-notification>"), "{woken}");
    assert!(woken.rsplit("<task-notification>").next().unwrap().contains(BLOCK), "{woken}");
    assert!(held_now(run.main()[3]), "{}", run.story());
    assert_eq!(project.recorded("prompt").len(), 1, "the wake-up is no prompt of the user");
}

pub fn a_stop_beside_a_background_shell_is_let_go(client: &Client) {
    let project = gated(client);
    let shell = json!({ "command": "sleep 4", "description": "wait", "run_in_background": true });
    let script = Script::new([Reply::tool("Bash", shell), Reply::text("It runs."), Reply::text("All done.")]);
    let run = project.session("begin", script).ended_well();
    let_go_and_woken(&project, &run);
}

pub fn a_stop_beside_a_background_subagent_is_let_go(client: &Client) {
    let project = gated(client);
    let script = Script::new([Reply::tool("Agent", task(true)), Reply::text("It runs."), Reply::text("All done.")])
        .with_sub([Reply::text("There are twelve.").after(Duration::from_secs(4))]);
    let run = project.session("begin", script).ended_well();
    assert_eq!(run.of(Kind::Sub).len(), 1, "{}", run.story());
    let_go_and_woken(&project, &run);
}

pub fn a_failed_turn_leaves_nothing_stuck(client: &Client) {
    let project = gated(client);
    let run = project.session("begin", Script::forever(|_, _| Reply::error(400, "invalid_request_error")));
    assert!(run.code.is_some(), "the client ends by itself\n{}", run.story());
    assert!(project.recorded("gate_block").is_empty(), "{}", run.story());
    works_afterwards(&project);
}

pub fn a_killed_client_leaves_nothing_stuck(client: &Client) {
    let project = gated(client);
    let slow = Script::new([
        super::write(&project, "note.txt", "one\n"),
        Reply::text("Too late.").after(Duration::from_secs(60)),
    ]);
    project.server.play(slow);
    let running = project.start(&project.server, &[], "begin", &[], &[]);
    super::wait_for(|| project.server.requests().iter().filter(|r| r.kind == Kind::Main).count() == 2);
    // Ends it as a crash would: no hook is called.
    drop(running);
    assert!(project.recorded("session_end").is_empty());
    assert_eq!(project.status()["session"]["live"], false, "{:#}", project.status());
    let run = project.session("Continue", Script::say("Well.")).ended_well();
    assert!(run.main()[0].since("Continue").contains(BLOCK), "a dead session keeps nobody out\n{}", run.story());
    assert_eq!(holds(&run.main()), 1, "{}", run.story());
}

pub fn the_end_at_max_turns_leaves_nothing_stuck(client: &Client) {
    let project = gated(client);
    let script = Script::forever(|_, _| Reply::bash("echo again").after(Duration::from_millis(20)));
    let run = project.session_with("begin", &["--max-turns", "2"], script);
    assert!(run.code.is_some(), "the client ends by itself\n{}", run.story());
    assert_eq!(run.result()["subtype"], "error_max_turns", "{}", run.story());
    works_afterwards(&project);
}

/// The plan can be worked on at once: no lock is left, the session is known to have ended, and the next turn is a new one.
#[track_caller]
fn works_afterwards(project: &Project) {
    assert_eq!(project.recorded("session_end").len(), 1);
    project.steadfast(&["log", "note", "looked at it"]);
    let run = project.go_on("once more", Script::say("Well.")).ended_well();
    assert!(run.main()[0].since("once more").contains(BLOCK), "{}", run.story());
    assert_eq!(holds(&run.main()), 1, "{}", run.story());
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
}
