//! The contract: what is approved is one sequence of bytes, which is read back as it was written, and a version nobody knows is
//! not followed.

use serde_json::{Value, json};
use steadfast::core::candidate::strict;
use steadfast::core::contract::{Contract, GateOptions, Mode};

use super::choice;

const MODES: [Mode; 3] = [Mode::Plain, Mode::Autonomous, Mode::Gate];

/// Takes the bytes for a stored contract, and for a plan that may become one.
pub fn check(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        stored(text);
    }
    planned(bytes);
}

fn stored(text: &str) {
    let Ok(contract) = Contract::read(text) else { return };
    assert_eq!(contract.v, 1, "only a version that is known");
    is_canonical(&contract);
}

/// Its bytes are the only ones it has, and none but a known form of them is followed.
fn is_canonical(contract: &Contract) {
    let bytes = contract.to_bytes();
    let text = String::from_utf8(bytes.clone()).expect("JSON is text");
    assert!(text.ends_with('\n') && !text.trim_end().contains(['\n', '\r']), "one line");
    let again = Contract::read(&text).expect("its own bytes");
    assert_eq!(&again, contract);
    assert_eq!(again.to_bytes(), bytes);
    let value: Value = serde_json::from_str(&text).expect("its own bytes");
    assert_eq!(Contract::read(&format!("{value:#}")).as_ref(), Ok(contract), "by value");
    for (key, other) in [("v", json!(0)), ("v", json!(2)), ("v", json!(-1)), ("unheard_of", json!(true))] {
        let mut changed = value.clone();
        changed[key] = other;
        assert!(Contract::read(&changed.to_string()).is_err(), "{key}");
    }
    for phase in 0..contract.phases.len() {
        let mut changed = value.clone();
        changed["phases"][phase]["unheard_of"] = json!(1);
        assert!(Contract::read(&changed.to_string()).is_err(), "an unknown key of a phase");
    }
}

fn planned(bytes: &[u8]) {
    let mode = MODES[choice(bytes) % MODES.len()];
    let Ok((written, contract)) = strict(bytes, mode, GateOptions::default()) else { return };
    let again = strict(&written, mode, GateOptions::default());
    assert_eq!(again, Ok((written, contract.clone())), "approving is idempotent");
    is_canonical(&contract);
    let mut ids: Vec<_> = contract.phases.iter().map(|phase| &phase.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), contract.phases.len(), "an id names one phase");
}
