//! See `checks/run_state.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::run_state::check(bytes));
