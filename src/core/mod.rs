//! The pure core: values in, values out. No disk, environment, clock, process or terminal (held by the lints in `clippy.toml`).

pub mod attest;
pub mod change;
pub mod contract;
pub mod differences;
pub mod event;
pub mod gate;
pub mod inject;
pub mod next;
pub mod plan;
pub mod plan_edit;
pub mod plan_read;
pub mod run;
pub mod view;
