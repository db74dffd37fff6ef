//! stub
use crate::core::contract::Contract;
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Same,
    Extends,
    Weakens,
}
pub struct Difference;
impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "~ changed")
    }
}
pub fn change(a: &Contract, b: &Contract, _: &dyn Fn(&str) -> bool) -> Change {
    if a == b {
        Change::Same
    } else if b.phases.starts_with(&a.phases) && a.goal == b.goal {
        Change::Extends
    } else {
        Change::Weakens
    }
}
pub fn differences(a: &Contract, b: &Contract) -> Vec<Difference> {
    if a == b { vec![] } else { vec![Difference] }
}
