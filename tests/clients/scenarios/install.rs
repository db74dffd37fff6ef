//! What `install` and `uninstall` do to the client.

use crate::client::Client;
use crate::project::{BLOCK, Project};
use crate::scenarios::gated;
use crate::server::{Reply, Script};

/// A session in which the client asks before it runs a command; headless, that is a refusal.
const ASKING: [&str; 2] = ["--permission-mode", "default"];

pub fn installed_for_the_user_the_verbs_run_without_a_question(client: &Client) {
    let project = Project::bare(client);
    project.steadfast(&["install", "claude-code", "--user", "--yes"]);
    project.steadfast(&["init", "--autonomous", "--from", "plan.md", "Sort the postcards"]);
    let script = Script::new([
        Reply::bash("steadfast next"),
        Reply::bash("steadfast step list 1"),
        Reply::bash("touch unasked.txt"),
        Reply::text("Done so far."),
    ]);
    let run = project.session_with("begin", &ASKING, script).ended_well();
    assert!(run.main()[0].text().contains(BLOCK), "{}", run.story());
    assert!(run.main()[2].text().contains("checked: Count the boxes"), "{}", run.story());
    assert_eq!(project.recorded("step").len(), 1, "{}", run.story());
    assert!(!project.dir.join("unasked.txt").exists(), "only our verbs are let through");
    assert_eq!(run.result()["permission_denials"].as_array().map(Vec::len), Some(1), "{}", run.story());
}

pub fn uninstalled_means_silent(client: &Client) {
    let project = gated(client);
    project.steadfast(&["uninstall", "claude-code", "--project"]);
    let run = project.session("begin", Script::say("All done.")).ended_well();
    assert_eq!(run.main().len(), 1, "{}", run.story());
    assert!(!run.main()[0].text().contains(BLOCK), "{}", run.story());
    assert!(run.hooks("SessionStart").is_empty() && run.hooks("Stop").is_empty(), "{}", run.story());
}
