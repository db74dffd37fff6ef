//! See `checks/plan.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::plan::check(bytes));
