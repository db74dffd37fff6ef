//! What the model reads.
use crate::core::gate::Work;
use crate::core::next::Next;
use crate::core::view::View;
pub struct AgentEvent<'a> {
    pub agent: &'a str,
    pub event: &'a str,
    pub tick: u64,
}
pub struct Block<'a> {
    pub view: &'a View,
    pub next: &'a Next,
    pub tag: String,
    pub work_tick: u64,
    pub agents: Vec<AgentEvent<'a>>,
}
pub fn full(_: &Block) -> String {
    String::new()
}
pub fn short(_: &Block) -> String {
    String::new()
}
pub fn subagent(_: &Block) -> String {
    String::new()
}
pub fn reason(_: &View, _: &Next, _: Work) -> String {
    String::new()
}
pub fn draft_reason(_: &str) -> String {
    String::new()
}
pub fn draft(_: &str) -> String {
    String::new()
}
pub fn anchor(_: &View, _: &Next, _: &str) -> String {
    String::new()
}
pub fn offer(_: &str, _: usize, _: usize) -> String {
    String::new()
}
pub fn legacy(_: &View, _: &str) -> String {
    String::new()
}
pub fn is_user_prompt(_: &str) -> bool {
    true
}
