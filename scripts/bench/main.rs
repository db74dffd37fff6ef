//! Measures what a hook costs. Started by `scripts/bench.sh`; what the tables mean stands in `docs/performance.md`.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for whoever works on steadfast: it starts programs, reads clocks, prints and may fail loudly"
)]

mod growth;
mod measure;
mod scene;

use std::path::{Path, PathBuf};

use measure::{Call, Took, Traced};
use scene::Scene;

/// A build of steadfast, and the empty program built the same way.
struct Build {
    label: String,
    program: PathBuf,
    empty: PathBuf,
}

/// One line of measurements.
struct Row {
    call: Call,
    /// Slow strangers are run only every so many rounds.
    every: usize,
    took: Vec<Took>,
    traced: Option<Traced>,
}

/// The rows of one build: the empty program, then every event directly and by the launcher.
struct Rows {
    empty: usize,
    events: Vec<(usize, usize)>,
}

fn main() {
    let (runs, builds) = arguments();
    let cases = scene::cases();
    let scene = Scene::new(&builds.first().expect("a build: LABEL=PROGRAM,EMPTY").program, &cases);
    let launcher = std::fs::canonicalize("hooks/steadfast").unwrap();
    let prompt = cases.get(1).unwrap();
    let stop = cases.get(8).unwrap();

    let mut rows = Vec::new();
    let mut add = |call: Call, every: usize| {
        rows.push(Row { call, every, took: Vec::new(), traced: None });
        rows.len() - 1
    };
    let shell = add(scene.other(Path::new("/bin/sh"), &["-c", ":"], prompt), 1);
    let mut tables = Vec::new();
    for build in &builds {
        let empty = add(scene.other(&build.empty, &[], prompt), 1);
        let installed = scene.install(&build.label, &build.program);
        let events = cases.iter().map(|case| {
            let direct = scene.call(&build.program, case, None);
            let launched = scene.call(&installed, case, Some(&launcher));
            scene.verify(case, &direct);
            scene.verify(case, &launched);
            (add(direct, 1), add(launched, 1))
        });
        tables.push(Rows { empty, events: events.collect() });
    }
    let strangers: Vec<(String, usize)> = reference()
        .into_iter()
        .map(|(name, path)| {
            let case = if name.contains("stop") { stop } else { prompt };
            let path = path.display().to_string();
            let words: &[&str] = if name.contains("append") { &[&path, "progress", "x"] } else { &[&path] };
            (name, add(scene.other(Path::new("/bin/sh"), words, case), 10))
        })
        .collect();

    // Every program once, then every program again: what else happens on the machine hits all of them alike.
    let warm_up = runs / 10 + 1;
    for round in 0..warm_up + runs {
        let mut order: Vec<&mut Row> = rows.iter_mut().filter(|row| round % row.every == 0).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for row in order {
            let took = row.call.took();
            scene.reset();
            if round >= warm_up {
                row.took.push(took);
            }
        }
    }
    for row in &mut rows {
        row.traced = row.call.traced(&scene.at("data"), &|| scene.reset());
    }

    let row = |n: usize| rows.get(n).unwrap();
    println!(
        "{runs} runs of each, in turn; times in ms, memory in KiB; `x` is the ratio to the empty static program\n"
    );
    line(
        &format!("{:<24}", "yardstick"),
        &["median", "min", "cpu", "calls", "procs", "faults", "peak"].map(str::to_owned),
    );
    let yardstick = |name: &str, row: &Row| {
        let cells = [median(row), least(row), cpu(row), calls(row), processes(row), faults(row), peak(row)];
        line(&format!("{name:<24}"), &cells);
    };
    yardstick("sh -c :", row(shell));
    for (build, table) in builds.iter().zip(&tables) {
        yardstick(&format!("empty, {}", build.label), row(table.empty));
    }
    for (name, n) in &strangers {
        yardstick(name, row(*n));
    }
    for (build, table) in builds.iter().zip(&tables) {
        let bytes = std::fs::metadata(&build.program).unwrap().len();
        println!("\n{}: {bytes} bytes ({} KiB)\n", build.label, bytes / 1024);
        let head = ["median", "x", "min", "cpu", "cpu x", "by sh", "x", "calls", "procs", "opened", "faults", "peak"];
        line(&format!("{:<24}", "event"), &head.map(str::to_owned));
        let empty = row(table.empty);
        for (case, (direct, launched)) in cases.iter().zip(&table.events) {
            let (direct, launched) = (row(*direct), row(*launched));
            let cells = [
                median(direct),
                ratio(wall(direct), wall(empty)),
                least(direct),
                cpu(direct),
                ratio(work(direct), work(empty)),
                median(launched),
                ratio(wall(launched), wall(empty)),
                calls(direct),
                processes(direct),
                direct.traced.map_or("-".to_owned(), |t| t.opened.to_string()),
                faults(direct),
                peak(direct),
            ];
            line(&format!("{:<24}", case.name), &cells);
        }
    }
    let program = &builds.first().expect("a build: LABEL=PROGRAM,EMPTY").program;
    growth::growth(program, &cases, runs / 5 + 1);
    growth::appends(program, &cases, runs / 5 + 1);
}

fn line(name: &str, cells: &[String]) {
    let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>7}")).collect();
    println!("{name}{}", cells.join(" "));
}

/// The number of runs and the builds.
fn arguments() -> (usize, Vec<Build>) {
    let mut runs = 200;
    let mut builds = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--runs" {
            runs = words.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0).expect("--runs takes a number");
            continue;
        }
        let (label, paths) = word.split_once('=').expect("a build: LABEL=PROGRAM,EMPTY");
        let (program, empty) = paths.split_once(',').expect("a build: LABEL=PROGRAM,EMPTY");
        let real = |path: &str| std::fs::canonicalize(path).unwrap_or_else(|e| panic!("{path}: {e}"));
        builds.push(Build { label: label.to_owned(), program: real(program), empty: real(empty) });
    }
    (runs, builds)
}

/// The scripts of planning-with-files, where `PWF_REFERENCE` names a checkout.
fn reference() -> Vec<(String, PathBuf)> {
    let Some(root) = std::env::var_os("PWF_REFERENCE").map(PathBuf::from) else { return Vec::new() };
    let first = |names: &[&str]| {
        let folders = ["scripts", "skills/planning-with-files/scripts"];
        folders
            .iter()
            .flat_map(|f| names.iter().map(|n| root.join(f).join(n)).collect::<Vec<_>>())
            .find(|p| p.is_file())
    };
    let inject = first(&["inject-plan.sh"]).map(|path| ("reference, inject".to_owned(), path));
    let append = first(&["ledger-append.sh"]).map(|path| ("reference, append".to_owned(), path));
    let stop = first(&["gate-stop.sh", "check-complete.sh"]).map(|path| ("reference, stop".to_owned(), path));
    inject.into_iter().chain(stop).chain(append).collect()
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn wall(row: &Row) -> Option<f64> {
    middle(row.took.iter().map(|t| t.wall.as_secs_f64() * 1e3).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a few milliseconds in nanoseconds")]
fn work(row: &Row) -> Option<f64> {
    middle(row.took.iter().filter_map(|t| t.cpu).map(|ns| ns as f64 / 1e6).collect())
}

fn text(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |v| format!("{v:.2}"))
}

fn ratio(value: Option<f64>, unit: Option<f64>) -> String {
    text(value.zip(unit).map(|(v, u)| v / u))
}

fn median(row: &Row) -> String {
    text(wall(row))
}

fn least(row: &Row) -> String {
    text(row.took.iter().map(|t| t.wall.as_secs_f64() * 1e3).min_by(f64::total_cmp))
}

fn cpu(row: &Row) -> String {
    text(work(row))
}

fn calls(row: &Row) -> String {
    row.traced.map_or("-".to_owned(), |t| t.calls.to_string())
}

fn processes(row: &Row) -> String {
    row.traced.map_or("-".to_owned(), |t| t.processes.to_string())
}

fn faults(row: &Row) -> String {
    let mut all: Vec<u64> = row.took.iter().filter_map(|t| t.faults).collect();
    all.sort_unstable();
    all.get(all.len() / 2).map_or("-".to_owned(), u64::to_string)
}

fn peak(row: &Row) -> String {
    row.traced.and_then(|t| t.peak).map_or("-".to_owned(), |kib| kib.to_string())
}
