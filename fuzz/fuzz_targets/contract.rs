//! See `checks/contract.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::contract::check(bytes));
