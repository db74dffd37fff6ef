//! The checks of the fuzz targets (`fuzz/checks`), over their seeds and over every sample of the tests, without a fuzzer.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::type_complexity,
    unreachable_pub
)]

use std::fs;
use std::path::Path;

#[path = "../fuzz/checks/mod.rs"]
mod checks;

/// Every file below a folder of the repository.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { out.push(fs::read(&path).unwrap()) }
        }
    }
    out
}

#[test]
fn what_holds_for_any_bytes_holds_for_every_seed_and_sample() {
    let samples: Vec<_> = ["fuzz/seeds", "tests/plans", "tests/payloads"].into_iter().flat_map(files).collect();
    for (_, check) in checks::ALL {
        for bytes in &samples {
            check(bytes);
        }
    }
}

#[test]
fn every_target_has_seeds_and_is_a_check() {
    let targets: Vec<_> =
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/fuzz_targets")).unwrap().collect();
    assert_eq!(targets.len(), checks::ALL.len());
    for (name, _) in checks::ALL {
        let target = fs::read_to_string(format!("{}/fuzz/fuzz_targets/{name}.rs", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(target.contains(&format!("checks::{name}::check")), "{name}");
        assert!(!files(&format!("fuzz/seeds/{name}")).is_empty(), "{name}");
    }
}
