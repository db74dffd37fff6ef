//! The guard: what a tool call is about to do to the plan, to the approvals and to our hooks, judged before it happens. Values
//! in, values out. Reading is no concern of it, and what it cannot judge passes: the next hook catches that by digest.

mod after;
mod code;
mod plan;
mod shell;
mod target;
mod words;

pub use after::after;
pub use plan::{Approved, losses};
pub use shell::only_verbs;
pub use target::{Around, Target, plain, targets};
pub use words::{Harm, denial, notice, summary};
