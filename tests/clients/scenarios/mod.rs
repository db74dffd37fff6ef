//! What is held to be true of a whole run, a file for each concern.

pub mod chat;
pub mod client;
pub mod codex;
pub mod contract;
pub mod gate;
pub mod guard;
pub mod inject;
pub mod install;
pub mod plugin;
pub mod quiet;
pub mod terminal;
pub mod wait;

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Client;
use crate::project::{GATE, Project};
use crate::server::{Reply, Request, Script};

/// A project with an approved, gated plan, made outside any host: the first session attaches to it.
fn gated(client: &Client) -> Project {
    made(client, "--gated")
}

/// The same without a gate.
fn ungated(client: &Client) -> Project {
    made(client, "--autonomous")
}

/// The same without a mode, so that nothing is refused.
fn plain(client: &Client) -> Project {
    made(client, "--json")
}

fn made(client: &Client, mode: &str) -> Project {
    let project = Project::new(client);
    project.steadfast(&["init", mode, "--from", "plan.md", "Sort the postcards"]);
    project
}

/// The agent writes a file.
fn write(project: &Project, name: &str, content: &str) -> Reply {
    Reply::tool("Write", json!({ "file_path": project.dir.join(name), "content": content }))
}

/// A new file, then the claim to be done, for ever.
fn junk(project: &Project) -> Script {
    let dir = project.dir.clone();
    Script::forever(move |nth, _| {
        if nth % 2 == 0 {
            let file = dir.join(format!("junk-{nth}.txt"));
            Reply::tool("Write", json!({ "file_path": file, "content": format!("junk {nth}\n") }))
        } else {
            Reply::text("All done.")
        }
    })
}

/// Whether the gate's reason was said since the last reply of the model.
fn held_now(request: &Request) -> bool {
    let messages = request.messages();
    let from = messages.iter().rposition(|(role, _)| role == "assistant").map_or(0, |at| at + 1);
    messages.iter().skip(from).any(|(_, text)| text.contains(GATE))
}

/// How many of the requests follow a hold.
fn holds(requests: &[&Request]) -> usize {
    requests.iter().filter(|r| held_now(r)).count()
}

/// Waits until something has happened.
#[track_caller]
fn wait_for(happened: impl Fn() -> bool) {
    let since = Instant::now();
    while !happened() {
        assert!(since.elapsed() < Duration::from_secs(60), "it did not happen within a minute");
        std::thread::sleep(Duration::from_millis(50));
    }
}
