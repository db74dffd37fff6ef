//! A corpus of runs: eight kinds of agent, each played through the real hooks, held against what should come of it.
//!
//! The runs lie in `tests/replay/`, written by `generate.rs` (`STEADFAST_UPDATE_DOCS=1 cargo test replay`) and readable: what the
//! agent does, a line each, and behind every stop what is right, as a model of the rules in `docs/gate.md` tells it.

mod generate;
mod model;
mod play;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use steadfast::core::gate::Verdict;

use crate::docs::{compare, root};
use generate::{KINDS, RUNS, file};
use play::{Outcome, play, scripts};

fn path(kind: &str) -> PathBuf {
    root().join(format!("tests/replay/{kind}.txt"))
}

#[test]
fn the_files_are_those_of_the_generator() {
    for (kind, agent) in KINDS {
        compare(&path(kind), &file(kind, agent));
    }
}

#[test]
fn every_run_comes_to_what_is_right() {
    let texts: Vec<(&str, String)> =
        KINDS.iter().map(|(kind, _)| (*kind, std::fs::read_to_string(path(kind)).unwrap())).collect();
    let runs: Vec<_> =
        texts.iter().flat_map(|(kind, text)| scripts(kind, text).into_iter().map(|s| (*kind, s))).collect();
    assert!(runs.len() >= 320 && runs.len() as u64 == RUNS * KINDS.len() as u64, "{} runs", runs.len());
    let next = AtomicUsize::new(0);
    let played: Mutex<Vec<(&str, Outcome)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((kind, script)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = play(script);
                    played.lock().unwrap().push((kind, outcome));
                }
            });
        }
    });
    let played = played.into_inner().unwrap();
    let wrong: Vec<&String> = played.iter().flat_map(|(_, outcome)| &outcome.wrong).collect();
    let kinds: BTreeSet<&str> = played.iter().filter(|(_, o)| !o.wrong.is_empty()).map(|(kind, _)| *kind).collect();
    // scripts/mutants.sh reads this line.
    assert!(wrong.is_empty(), "{} lines are wrong {kinds:?}\n{}", wrong.len(), list(&wrong));

    let mut held: BTreeMap<&str, usize> = BTreeMap::new();
    for (kind, outcome) in &played {
        *held.entry(kind).or_default() += usize::from(outcome.holds > 0);
        let word = outcome.last.as_str();
        // Whatever an agent does: `done` is said of a plan that is done, and of nothing else.
        assert!(word != "done" || outcome.complete, "{kind}: {outcome:?}");
        let known = matches!(word, "held" | "silence") || Verdict::ALL.iter().any(|verdict| verdict.word() == word);
        assert!(known, "{kind}: {outcome:?}");
        if *kind == "honest" && outcome.complete {
            assert_eq!(word, "done", "{outcome:?}");
        }
    }
    println!("runs with a hold, of {RUNS} each: {held:?}");
    for (kind, _) in KINDS.iter().filter(|(kind, _)| *kind != "honest") {
        assert!(held[kind] * 4 >= usize::try_from(RUNS).unwrap(), "{kind} is hardly ever held: {held:?}");
    }
}

fn list(wrong: &[&String]) -> String {
    wrong.iter().take(40).flat_map(|line| [line.as_str(), "\n"]).collect()
}
