//! stub
use crate::core::contract::*;
use crate::core::plan::*;
pub fn build(_: &Plan, _: Mode, _: GateOptions) -> Result<Contract, Vec<Problem>> {
    Err(vec![])
}
pub fn missing_ids(_: &Plan) -> Vec<(usize, String)> {
    vec![]
}
