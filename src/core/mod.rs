//! The pure core: values in, values out. No disk, environment, clock, process or terminal (held by the lints in `clippy.toml`).

pub mod contract;
pub mod event;
pub mod gate;
pub mod inject;
pub mod json_edit;
pub mod next;
pub mod plan;
pub mod plan_edit;
pub mod plan_read;
pub mod run;
pub mod view;
