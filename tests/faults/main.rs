//! Whatever a run is disturbed by: every file is its old or its new self, every record that was acknowledged is there, the
//! next run works, and nobody is held because of it.
//!
//! The faults are brought about by strace, at the k-th system call of a run, for every k that it has. In a plain `cargo test`
//! these are all k of the calls that change something, which takes about a minute; `STEADFAST_FAULTS=all` takes every k of
//! all calls, which takes several.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::panic,
    missing_docs
)]

mod calls;
mod disturb;
mod judge;
mod play;
mod scenes;
#[path = "../it/stage.rs"]
#[allow(dead_code, reason = "the stage is shared")]
mod stage;
mod tree;

use crate::calls::Call;
use crate::disturb::{Fault, Known};
use crate::scenes::SCENES;

/// Every k of all calls, not only of those that change something.
fn all() -> bool {
    std::env::var_os("STEADFAST_FAULTS").is_some_and(|what| what == "all")
}

/// Disturbs every scene by every fault that `make` finds in what is known of it.
fn every(make: impl Fn(&Known<'_>) -> Vec<Fault>) {
    if !play::has_strace() {
        return;
    }
    let only = std::env::var("STEADFAST_SCENE").ok();
    let (mut wrong, mut runs) = (Vec::new(), 0);
    for scene in SCENES.iter().filter(|scene| only.as_ref().is_none_or(|only| only == scene.name)) {
        let began = std::time::Instant::now();
        let mut known = Known::new(scene);
        let faults = make(&known);
        assert!(!faults.is_empty(), "{}", scene.name);
        for fault in &faults {
            wrong.extend(known.disturb(fault));
        }
        runs += known.runs;
        println!("{}: {} faults in {:?}, {} wrong so far", scene.name, known.runs, began.elapsed(), wrong.len());
    }
    println!("{runs} faults");
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong.join("\n"));
}

fn calls(known: &Known<'_>, own: bool) -> impl Iterator<Item = Call> {
    let calls = known.learned.calls.clone();
    calls.into_iter().filter(move |call| (call.changes || all()) && (call.fails || !own))
}

#[test]
fn killed_at_every_call() {
    every(|known| calls(known, false).map(Fault::Kill).collect());
}

#[test]
fn no_space_at_every_call() {
    every(|known| calls(known, true).map(|call| Fault::Error(call, "ENOSPC")).collect());
}

#[test]
fn an_io_error_at_every_call() {
    every(|known| calls(known, true).map(|call| Fault::Error(call, "EIO")).collect());
}

#[test]
fn interrupted_at_every_call() {
    every(|known| calls(known, true).map(|call| Fault::Error(call, "EINTR")).collect());
}

#[test]
fn every_write_is_short() {
    every(|known| {
        let mut limits = known.learned.halves.clone();
        limits.sort_unstable();
        limits.dedup();
        let nothing = calls(known, true).filter(|call| call.name.ends_with("write") || call.name == "pwrite64");
        nothing.map(Fault::Nothing).chain(limits.into_iter().map(Fault::Limit)).collect()
    });
}
