//! The real binary, end to end, in a private home with a fixed clock.
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

mod approvals;
mod attach;
mod attacks;
mod bad_input;
mod chat;
mod codex;
mod cost;
mod data;
mod docs;
mod encodings;
mod gate;
mod guard;
mod history;
mod inject;
mod load;
mod order;
mod proof;
mod propose;
mod readme;
mod replay;
mod report;
mod request;
mod schema;
mod sessions;
mod sleeper;
mod stage;
mod trust;
mod verbs;
mod wait;
