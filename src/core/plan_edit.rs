//! stub
use crate::core::plan::*;
#[derive(Debug)]
pub struct EditError;
impl std::fmt::Display for EditError {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
pub fn set_status(b: &[u8], _: &Plan, _: usize, _: Status) -> Result<Vec<u8>, EditError> {
    Ok(b.to_vec())
}
pub fn set_step(b: &[u8], _: &Plan, _: usize, _: usize, _: StepState) -> Result<Vec<u8>, EditError> {
    Ok(b.to_vec())
}
pub fn set_id(b: &[u8], _: &Plan, _: usize, _: &str) -> Result<Vec<u8>, EditError> {
    Ok(b.to_vec())
}
