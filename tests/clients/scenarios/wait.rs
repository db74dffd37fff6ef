//! A run that waits is woken by the hook that sleeps beside it.

use std::fs;
use std::path::PathBuf;

use crate::client::{Client, Run};
use crate::project::Project;
use crate::scenarios::{gated, wait_for};
use crate::server::{Kind, Reply, Request, Script};
use crate::terminal::Terminal;

const READY: &str = "steadfast: phase 1 (\"List the boxes\") need not wait any longer";

const FINISH: &str = "touch sorted.txt && steadfast step list 1 && steadfast step list 2 && steadfast done list \
    && steadfast done sort && steadfast step report 1 && steadfast done report";

/// Hands the first phase off, says that it waits, and finishes the plan when it is woken.
fn waiting(how: &str) -> Script {
    Script::new([
        Reply::bash(&format!("steadfast wait list {how}")),
        Reply::text("I wait."),
        Reply::bash(FINISH),
        Reply::text("Everything is reported."),
    ])
}

/// The run was woken once, and finished its plan.
#[track_caller]
fn woken_and_done(project: &Project, requests: &[&Request], story: &str) {
    assert_eq!(requests.len(), 4, "{story}");
    let answer = requests[1].text();
    assert!(answer.contains("woken by: a hook of this session, while the client stays open"), "{answer}");
    assert_eq!(requests[2].text().matches(READY).count(), 1, "{story}");
    let wakes = project.recorded("wake");
    assert_eq!(wakes.len(), 1, "{wakes:?}");
    assert_eq!(wakes[0]["data"]["by"], "sleeper");
    assert_eq!(project.recorded("prompt").len(), 1, "it is no prompt of the user\n{story}");
    assert!(project.recorded("gate_block").is_empty(), "it is no hold\n{story}");
    assert_eq!(project.verdicts(), ["waiting", "done"], "{story}");
    assert_eq!(project.status()["counts"]["complete"], 3);
    assert!(sleepers(project).is_empty(), "none is left behind");
}

#[track_caller]
fn headless(project: &Project, run: &Run) {
    let main = run.main();
    woken_and_done(project, &main, &run.story());
    let notices = run.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("Woken by: a hook of this session, while the client stays open."), "{notices:?}");
    assert_eq!(run.result()["result"], "Everything is reported.", "{}", run.story());
}

/// The processes of the hooks that sleep in this project.
fn sleepers(project: &Project) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let ours = |dir: &PathBuf| {
        let words = fs::read_to_string(dir.join("cmdline")).unwrap_or_default();
        words.contains("\0hook\0sleep\0") && fs::read_link(dir.join("cwd")).is_ok_and(|cwd| cwd == project.dir)
    };
    processes.filter(ours).collect()
}

pub fn a_run_that_waits_for_a_time_is_woken(client: &Client) {
    let project = gated(client);
    let run = project.session("begin", waiting("--for 4s")).ended_well();
    headless(&project, &run);
}

pub fn a_run_that_waits_for_a_file_is_woken(client: &Client) {
    let project = gated(client);
    project.server.play(waiting("--file boxes/list.txt"));
    let running = project.start(&project.server, &[], "begin", &[], &[]);
    wait_for(|| sleepers(&project).len() == 1 && !project.verdicts().is_empty());
    let said = project.steadfast(&["status"]);
    assert!(said.contains("woken by: a hook of this session"), "{said}");
    fs::create_dir(project.dir.join("boxes")).unwrap();
    fs::write(project.dir.join("boxes/list.txt"), "twelve\n").unwrap();
    let run = running.finish(|| project.server.requests()).ended_well();
    headless(&project, &run);
}

pub fn a_session_at_a_terminal_is_woken(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &["--allowedTools", "Bash"]);
    project.server.play(waiting("--file boxes.txt"));
    terminal.enter("begin");
    terminal.wait_until("it sleeps", || sleepers(&project).len() == 1 && project.verdicts() == ["waiting"]);
    terminal.wait_until("the user is told", || terminal.screen().contains("Woken by: a hook of this session"));
    fs::write(project.dir.join("boxes.txt"), "twelve\n").unwrap();
    terminal.wait_until("the plan is done", || project.verdicts().len() > 1);
    let requests = project.server.requests();
    let main: Vec<&Request> = requests.iter().filter(|r| r.kind == Kind::Main).collect();
    woken_and_done(&project, &main, &terminal.screen());
    terminal.leave();
}

pub fn talk_in_between_does_not_keep_it_from_being_woken(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &["--allowedTools", "Bash"]);
    project.server.play(waiting("--file boxes.txt"));
    terminal.enter("begin");
    terminal.wait_until("it sleeps", || sleepers(&project).len() == 1 && project.verdicts() == ["waiting"]);
    let first = sleepers(&project);
    project.server.play(Script::new([Reply::text("Soon."), Reply::bash(FINISH), Reply::text("Done.")]));
    terminal.enter("how long will it take");
    terminal.wait_until("the newer one goes on", || sleepers(&project).len() == 1 && sleepers(&project) != first);
    assert_eq!(project.verdicts(), ["waiting", "waiting"]);
    fs::write(project.dir.join("boxes.txt"), "twelve\n").unwrap();
    terminal.wait_until("the plan is done", || project.verdicts().len() > 2);
    assert_eq!(project.verdicts(), ["waiting", "waiting", "done"], "{}", terminal.screen());
    assert_eq!(project.recorded("wake").len(), 1);
    terminal.leave();
}

pub fn who_leaves_takes_the_hook_along(client: &Client) {
    let project = gated(client);
    let mut terminal = Terminal::open(&project, &["--allowedTools", "Bash"]);
    project.server.play(waiting("--for 2h"));
    terminal.enter("begin");
    terminal.wait_until("it sleeps", || sleepers(&project).len() == 1 && project.verdicts() == ["waiting"]);
    terminal.leave();
    wait_for(|| sleepers(&project).is_empty());
    let said = project.steadfast(&["status"]);
    assert!(said.contains("woken by: nothing: asleep"), "{said}");
    assert!(project.recorded("wake").is_empty());
}

pub fn a_run_that_does_not_wait_leaves_no_hook_behind(client: &Client) {
    let project = gated(client);
    let run = project.session("begin", Script::new([Reply::text("All done."), Reply::text("Really.")])).ended_well();
    assert!(sleepers(&project).is_empty());
    assert_eq!(run.main().len(), 2, "{}", run.story());
    assert!(run.hook_troubles().is_empty(), "{:?}", run.hook_troubles());
    // A question to the user is none that a hook could answer.
    let script = Script::new([Reply::bash("steadfast wait list --human 'Which box?'"), Reply::text("I wait.")]);
    let run = project.go_on("go on", script).ended_well();
    assert!(sleepers(&project).is_empty());
    assert_eq!(run.main().len(), 2, "{}", run.story());
    assert_eq!(project.verdicts().last().map(String::as_str), Some("waiting"));
}
