//! steadfast keeps a coding agent on its plan. The map of the house:
//!
//! - [`core`]: pure decisions, values in and values out.

pub mod core;
