//! See `checks/edit.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::edit::check(bytes));
