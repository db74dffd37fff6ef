//! The pure core: values in, values out. No disk, environment, clock, process or terminal (held by the lints in `clippy.toml`).

pub mod attest;
pub mod candidate;
pub mod canonical;
pub mod change;
pub mod chat;
pub mod contract;
pub mod differences;
pub mod event;
pub mod fold;
pub mod gate;
pub mod guard;
pub mod inject;
pub mod json_edit;
pub mod ledger;
pub mod next;
pub mod notes;
pub mod patch;
pub mod plan;
pub mod plan_edit;
pub mod plan_read;
pub mod run;
pub mod seen;
pub mod text;
pub mod view;
pub mod whole;
