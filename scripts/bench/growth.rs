//! How the cost grows: with the ledger, the plan, the number of plans and of agents; and how many records a second many writers append.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::measure::{Call, Took};
use crate::scene::{Case, Scene};

/// One project of a certain size.
struct Size {
    name: &'static str,
    /// Bytes of the plan.
    plan: usize,
    /// Lines of the ledger beside those of its set-up.
    lines: usize,
    /// Other plans beside the one in use.
    plans: usize,
    /// Other agents with a ledger.
    agents: usize,
}

const SMALL: Size = Size { name: "5 KB, 0 lines, 1 plan", plan: 5 * 1024, lines: 0, plans: 0, agents: 0 };
const SIZES: [Size; 8] = [
    SMALL,
    Size { name: "ledger of 1k lines", lines: 1_000, ..SMALL },
    Size { name: "ledger of 100k lines", lines: 100_000, ..SMALL },
    Size { name: "ledger of 1M lines", lines: 1_000_000, ..SMALL },
    Size { name: "plan of 100 KB", plan: 100 * 1024, ..SMALL },
    Size { name: "plan of 1 MB", plan: 1_000_000, ..SMALL },
    Size { name: "5,000 plans", plans: 5_000, ..SMALL },
    Size { name: "100 agents", agents: 100, ..SMALL },
];
/// Of the events, those whose cost may grow: the plan is read, the ledger written.
const EVENTS: [&str; 4] = ["user-prompt", "post-tool, read", "post-tool, edit", "stop, held"];

/// The table of medians and system calls for each size.
pub(crate) fn growth(program: &Path, cases: &[Case], runs: usize) {
    println!("\ngrowth: median in ms and system calls, {runs} runs of each, in turn\n");
    let scenes: Vec<Scene> = SIZES.iter().map(|size| grown(program, cases, size)).collect();
    let verbs: [&[&str]; 3] = [&["log", "note", "x"], &["next"], &["status"]];
    let chosen: Vec<&Case> = cases.iter().filter(|case| EVENTS.contains(&case.name)).collect();
    let calls: Vec<Vec<Call>> = scenes
        .iter()
        .map(|scene| {
            let hooks = chosen.iter().map(|case| scene.call(program, case, None));
            hooks.chain(verbs.iter().map(|args| scene.verb(program, args))).collect()
        })
        .collect();
    let columns = chosen.len() + verbs.len();
    let mut took: Vec<Vec<Vec<Took>>> = SIZES.iter().map(|_| vec![Vec::new(); columns]).collect();
    for round in 0..=runs {
        for ((scene, calls), took) in scenes.iter().zip(&calls).zip(&mut took) {
            for (call, took) in calls.iter().zip(took) {
                let one = call.took();
                scene.reset();
                if round > 0 {
                    took.push(one);
                }
            }
        }
    }
    let names = chosen.iter().map(|case| case.name).chain(verbs.iter().map(|args| args[0]));
    let cells: Vec<String> = names.map(|name| format!("{name:>18}")).collect();
    println!("{:<24}{}", "", cells.concat());
    for (((size, scene), calls), took) in SIZES.iter().zip(&scenes).zip(&calls).zip(&took) {
        let cells = calls.iter().zip(took).map(|(call, took)| {
            let traced = call.traced(&scene.at("data"), &|| scene.reset());
            let traced = traced.map_or("-".to_owned(), |traced| traced.calls.to_string());
            let mut walls: Vec<f64> = took.iter().map(|took| took.wall.as_secs_f64() * 1e3).collect();
            walls.sort_by(f64::total_cmp);
            format!("{:>18}", format!("{:.2} / {traced}", walls[walls.len() / 2]))
        });
        println!("{:<24}{}", size.name, cells.collect::<Vec<_>>().concat());
    }
}

fn grown(program: &Path, cases: &[Case], size: &Size) -> Scene {
    let mut scene = Scene::with_plan(program, cases, size.plan);
    let planning = scene.at("project/.planning");
    let of = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let plan = fs::read_dir(&planning).unwrap().map(|e| e.unwrap().path()).find(|p| p.is_dir()).unwrap();
    let ledger = plan.join("ledger-claude-code.jsonl");
    let old = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, "{\"tick\":1,\"event\":\"note\"}\n".repeat(size.lines) + &old).unwrap();
    for n in 0..size.plans {
        let other = planning.join(format!("other-{n}"));
        fs::create_dir(&other).unwrap();
        fs::copy(plan.join("task_plan.md"), other.join("task_plan.md")).unwrap();
    }
    fs::write(planning.join(".active_plan"), of(&plan)).unwrap();
    for n in 0..size.agents {
        scene.run(program, &["log", "note", "x", "--agent", &format!("agent-{n}")]);
    }
    // The end of the ledger is known again, as it is in the middle of a run.
    scene.run(program, &["log", "note", "x"]);
    scene.keep(&plan);
    scene
}

/// Records a second, by processes that append one each.
pub(crate) fn appends(program: &Path, cases: &[Case], each: usize) {
    println!("\nappends: records a second, each by a process of its own, {each} for each writer\n");
    println!("{:<10}{:>14}{:>14}{:>16}{:>16}", "writers", "one ledger", "own ledgers", "one, synced", "own, synced");
    for writers in [1, 8, 32] {
        let mut cells = String::new();
        for (own, sync) in [(false, false), (true, false), (false, true), (true, true)] {
            let scene = Scene::new(program, cases);
            let started = Instant::now();
            std::thread::scope(|scope| {
                for writer in 0..writers {
                    let scene = &scene;
                    scope.spawn(move || {
                        let agent = if own { format!("writer-{writer}") } else { "writer".to_owned() };
                        let call = scene.verb(program, &["log", "note", "x", "--agent", &agent]);
                        for _ in 0..each {
                            let mut command = Command::new(&call.program);
                            command.args(&call.args).env_clear().envs(call.env.iter().map(|(k, v)| (k, v)));
                            command.env("STEADFAST_SYNC", if sync { "1" } else { "0" }).current_dir(&call.dir);
                            assert!(command.stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap().success());
                        }
                    });
                }
            });
            #[expect(clippy::cast_precision_loss, reason = "a few thousand records")]
            let rate = (writers * each) as f64 / started.elapsed().as_secs_f64();
            let width = if sync { 16 } else { 14 };
            cells += &format!("{rate:>width$.0}");
        }
        println!("{writers:<10}{cells}");
    }
}
