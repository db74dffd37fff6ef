//! stub
use crate::core::contract::*;
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Same,
    Extends,
    Weakens,
}
pub struct Difference;
impl std::fmt::Display for Difference {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
pub fn change(_: &Contract, _: &Contract, _: &dyn Fn(&str) -> bool) -> Change {
    Change::Same
}
pub fn differences(_: &Contract, _: &Contract) -> Vec<Difference> {
    vec![]
}
