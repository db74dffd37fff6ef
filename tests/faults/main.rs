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
    missing_docs,
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::type_complexity,
    clippy::case_sensitive_file_extension_comparisons
)]

mod calls;
mod disturb;
mod judge;
mod locks;
mod places;
mod play;
mod scenes;
#[path = "../it/stage.rs"]
#[allow(dead_code, reason = "the stage is shared")]
mod stage;
mod tree;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::disturb::{Fault, Known};
use crate::scenes::SCENES;

/// Every k of all calls, not only of those that change something.
fn all() -> bool {
    std::env::var_os("STEADFAST_FAULTS").is_some_and(|what| what == "all")
}

/// Every fault that is brought about in a scene.
fn faults(known: &Known<'_>) -> Vec<Fault> {
    let calls = || known.learned.calls.iter().filter(|call| call.changes || all());
    // A program that is not loaded, or gets no memory, is nobody's file.
    let own = || calls().filter(|call| call.fails);
    let writes = || own().filter(|call| ["write", "pwrite64"].contains(&call.name.as_str()));
    let mut faults: Vec<Fault> = calls().cloned().map(Fault::Kill).collect();
    for error in ["ENOSPC", "EIO", "EINTR"] {
        faults.extend(own().cloned().map(|call| Fault::Error(call, error)));
    }
    faults.extend(writes().cloned().map(Fault::Nothing));
    let mut halves = known.learned.halves.clone();
    halves.sort_unstable();
    halves.dedup();
    faults.extend(halves.into_iter().map(Fault::Limit));
    faults.extend([&[0][..], &[1], &[2], &[0, 1]].map(Fault::Closed));
    faults
}

/// `STEADFAST_SCENE` names one to be played alone.
#[test]
fn every_scene_survives_every_fault() {
    if !play::has_strace() {
        return;
    }
    let only = std::env::var("STEADFAST_SCENE").ok();
    let scenes: Vec<_> = SCENES.iter().filter(|scene| only.as_ref().is_none_or(|only| only == scene.name)).collect();
    let (next, runs, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(scene) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut known = Known::new(scene);
            let mut found = Vec::new();
            for fault in faults(&known) {
                found.extend(known.disturb(&fault));
            }
            runs.fetch_add(known.runs, Ordering::Relaxed);
            println!("{}: {} faults, {} ends, {} wrong", scene.name, known.runs, known.ends(), found.len());
            wrong.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let (runs, wrong) = (runs.into_inner(), wrong.into_inner().unwrap());
    println!("{runs} faults");
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong.join("\n"));
}
