//! See `checks/ledger.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::ledger::check(bytes));
