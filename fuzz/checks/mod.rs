//! What has to hold for any bytes. One check per fuzz target; `tests/fuzz_seeds.rs` runs them over the seeds without a fuzzer.
//! A check panics where something does not hold.

pub mod contract;
pub mod edit;
pub mod ledger;
pub mod payload;
pub mod plan;
pub mod run_state;

/// All checks, by the names of their targets.
pub const ALL: [(&str, fn(&[u8])); 6] = [
    ("plan", plan::check),
    ("edit", edit::check),
    ("contract", contract::check),
    ("ledger", ledger::check),
    ("run_state", run_state::check),
    ("payload", payload::check),
];

/// A number that depends on every byte, to choose by: so that every change of an input tries something else.
fn choice(bytes: &[u8]) -> usize {
    bytes.iter().fold(bytes.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)))
}
