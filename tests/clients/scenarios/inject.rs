//! The plan is in front of the model whenever the attached session starts to work.

use crate::client::{Client, Run};
use crate::project::{BLOCK, Project};
use crate::scenarios::{gated, ungated};
use crate::server::{Kind, Reply, Script};

/// The titles of all phases, which only the full form shows.
const TITLES: [&str; 3] = ["List the boxes", "Sort the cards", "Report"];

/// How many hooks of this event printed a block, and that none printed two.
fn blocks(run: &Run, event: &str) -> usize {
    let hooks = run.hooks(event);
    for out in &hooks {
        assert!(out.matches(BLOCK).count() <= 1, "one block at a time: {out}");
    }
    hooks.iter().filter(|out| out.contains(BLOCK)).count()
}

#[track_caller]
fn carries_full(text: &str) {
    assert!(text.contains(BLOCK), "no block in: {text}");
    assert!(text.contains("Sort the postcard archive by country"), "no goal in: {text}");
    for title in TITLES {
        assert!(text.contains(title), "no `{title}` in: {text}");
    }
}

pub fn the_first_session_after_init_carries_the_block(client: &Client) {
    let project = gated(client);
    let run = project.session("begin", Script::say("Not yet.")).ended_well();
    carries_full(&run.main()[0].text());
    assert_eq!(blocks(&run, "SessionStart"), 1, "{}", run.story());
    assert_eq!(blocks(&run, "UserPromptSubmit"), 1, "{}", run.story());
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
    assert_eq!(project.status()["session"]["attached"], run.session());
}

pub fn every_prompt_carries_the_block(client: &Client) {
    let project = ungated(client);
    for prompt in ["first prompt", "second prompt", "third prompt"] {
        let args: &[&str] = if prompt == "first prompt" { &[] } else { &["--continue"] };
        let run = project.session_with(prompt, args, Script::say("Seen.")).ended_well();
        assert_eq!(run.main().len(), 1, "{}", run.story());
        let news = run.main()[0].since(prompt);
        assert!(news.contains(BLOCK), "nothing after `{prompt}` in: {news}");
        assert_eq!(blocks(&run, "UserPromptSubmit"), 1, "{}", run.story());
        assert_eq!(blocks(&run, "SessionStart"), 1, "{}", run.story());
    }
    assert_eq!(project.recorded("prompt").len(), 3);
}

pub fn the_context_is_whole_after_compaction(client: &Client) {
    let project = ungated(client);
    project.session("first prompt", Script::say("Seen.")).ended_well();
    // The older release has nothing to compact after one prompt.
    project.go_on("another prompt", Script::say("Seen.")).ended_well();
    let compaction = project.go_on("/compact the boxes", Script::new([])).ended_well();
    assert_eq!(compaction.of(Kind::Compact).len(), 1, "{}", compaction.story());
    assert!(compaction.hook_troubles().is_empty(), "{:?}", compaction.hook_troubles());
    assert_eq!(project.recorded("compact").len(), 1);
    assert_eq!(project.recorded("subagent_stop").len(), 0, "compaction is no subagent");

    let run = project.go_on("second prompt", Script::say("Seen.")).ended_well();
    let request = run.main()[0];
    assert!(request.text().contains("talked about the work"), "no summary in: {}", request.text());
    assert!(!request.text().contains("first prompt"), "what was before is gone: {}", request.text());
    carries_full(&request.text());
    assert!(request.since("second prompt").contains(BLOCK));
    assert!(!request.text().contains("validation failed"), "{}", request.text());
}

pub fn the_context_is_whole_after_compaction_in_the_middle_of_a_turn(client: &Client) {
    let project = ungated(client);
    let script = Script::new([
        Reply::bash("echo one").tokens(40_000),
        Reply::bash("echo two").tokens(99_000),
        Reply::bash("echo three"),
        Reply::text("Seen."),
    ]);
    let window = [("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000")];
    let run = project.session_in("first prompt", &window, script).ended_well();
    let compacted = run.requests.iter().position(|r| r.kind == Kind::Compact);
    let compacted = compacted.unwrap_or_else(|| panic!("no compaction\n{}", run.story()));
    let after = &run.requests[compacted + 1..];
    let next = after.iter().find(|r| r.kind == Kind::Main).unwrap_or_else(|| panic!("no request\n{}", run.story()));
    carries_full(&next.text());
    assert_eq!(blocks(&run, "SessionStart"), 2, "{}", run.story());
}

pub fn a_session_attaches_by_a_verb_and_keeps_the_plan(client: &Client) {
    let project = gated(client);
    let first = project.session("begin", Script::say("Not yet.")).ended_well();

    let run = project.session("something else", Script::say("Sure.")).ended_well();
    assert!(!run.main()[0].text().contains(BLOCK), "{}", run.story());
    let other = run.session().to_owned();
    assert_ne!(first.session(), other);

    let script = Script::new([Reply::bash("steadfast attach"), Reply::text("Attached."), Reply::text("Still here.")]);
    let run = project.session_with("take the plan", &["--resume", &other], script).ended_well();
    assert_eq!(run.session(), other);
    assert!(run.main()[1].text().contains("attached"), "{}", run.story());
    assert_eq!(run.main().len(), 3, "attached is held from this stop on\n{}", run.story());

    let run = project.session_with("and now", &["--resume", &other], Script::say("Seen.")).ended_well();
    assert_eq!(run.session(), other);
    assert!(run.main()[0].since("and now").contains(BLOCK), "{}", run.story());
    assert_eq!(project.status()["session"]["attached"], other);

    // The session that had the plan before is told once, and is not held any more.
    let run = project.session_with("go back", &["--resume", first.session()], Script::say("Well.")).ended_well();
    assert_eq!(run.main().len(), 1, "{}", run.story());
    assert_eq!(run.notices().len(), 1, "{}", run.story());
    assert!(run.notices()[0].contains("another session"), "{}", run.story());
}

pub fn a_session_attaches_by_a_prompt_of_continue(client: &Client) {
    let project = gated(client);
    project.session("begin", Script::say("Not yet.")).ended_well();
    let run = project.session("Continue", Script::say("Seen.")).ended_well();
    assert!(run.main()[0].since("Continue").contains(BLOCK), "{}", run.story());
    assert_eq!(run.hooks("SessionStart"), [""], "{}", run.story());
}

pub fn the_run_verb_attaches_the_session_it_starts(client: &Client) {
    let project = gated(client);
    project.session("begin", Script::say("Not yet.")).ended_well();
    let run = project.run_verb("take it up", Script::say("Seen.")).ended_well();
    carries_full(&run.main()[0].text());
    assert_eq!(blocks(&run, "SessionStart"), 1, "{}", run.story());
}

pub fn a_plan_made_by_the_agent_is_there_when_the_session_goes_on(client: &Client) {
    let project = Project::new(client);
    let run = project.session(
        "begin",
        Script::new([
            Reply::bash("steadfast init --autonomous --from plan.md 'Sort the postcards'"),
            Reply::text("Made."),
        ]),
    );
    let run = run.ended_well();
    assert!(!run.main()[0].text().contains(BLOCK), "{}", run.story());
    let run = project.go_on("go on with the work", Script::say("Seen.")).ended_well();
    carries_full(&run.main()[0].since("go on with the work"));
}
