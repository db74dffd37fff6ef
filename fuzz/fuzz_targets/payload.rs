//! See `checks/payload.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::payload::check(bytes));
