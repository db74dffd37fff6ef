//! steadfast keeps a coding agent on its plan. The map of the house:
//!
//! - [`core`]: pure decisions, values in and values out.
//! - [`store`]: owns every byte on disk.
//! - [`hosts`]: one file per host, its payload into an event and our reply into its output.
//! - [`hook`]: the only road of a hook, from standard input to standard output.
//! - [`commands`]: one file per verb.
//! - [`world`]: environment, cwd, clock, standard input, processes.
//! - [`output`]: the only place that prints.
//! - [`error`]: what, why, fix, and exit codes.

pub mod commands;
pub mod core;
pub mod error;
pub mod hook;
pub mod hosts;
pub mod output;
pub mod store;
pub mod world;
