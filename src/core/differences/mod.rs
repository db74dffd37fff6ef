//! What differs between two contracts, phase by phase, for the person who approves the new one.

mod json;
mod words;

pub use json::values;

use std::collections::HashMap;

use crate::core::contract::{Contract, ContractPhase, Mode};

/// A part of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A step.
    Step,
    /// A command.
    Check,
    /// A file.
    Artifact,
    /// A receipt.
    Receipt,
    /// An approval.
    Approval,
    /// A wait.
    Wait,
    /// A tool.
    Tool,
}

impl Part {
    const ALL: [Self; 7] =
        [Self::Step, Self::Check, Self::Artifact, Self::Receipt, Self::Approval, Self::Wait, Self::Tool];

    fn of(self, phase: &ContractPhase) -> &[String] {
        match self {
            Self::Step => &phase.steps,
            Self::Check => &phase.checks,
            Self::Artifact => &phase.artifacts,
            Self::Receipt => &phase.receipts,
            Self::Approval => &phase.approvals,
            Self::Wait => &phase.waits_for,
            Self::Tool => &phase.tools,
        }
    }
}

/// One difference. `phase` is the id of the phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Another format version.
    Version {
        /// The approved version.
        old: u32,
        /// The new one.
        new: u32,
    },
    /// Another goal.
    Goal {
        /// The approved goal.
        old: String,
        /// The new one.
        new: String,
    },
    /// Another mode.
    Mode {
        /// The approved mode.
        old: Mode,
        /// The new one.
        new: Mode,
    },
    /// Another `hold`.
    Hold {
        /// The approved option.
        old: Option<bool>,
        /// The new one.
        new: Option<bool>,
    },
    /// A phase was added; its parts follow as [`Difference::Added`].
    PhaseAdded {
        /// Its id.
        phase: String,
        /// Its title.
        title: String,
    },
    /// A phase was removed with all its parts.
    PhaseRemoved {
        /// Its id.
        phase: String,
        /// Its title.
        title: String,
    },
    /// The phases in both contracts stand in another order.
    PhasesReordered {
        /// Their ids in the approved order.
        old: Vec<String>,
        /// Their ids in the new order.
        new: Vec<String>,
    },
    /// The title was reworded.
    Title {
        /// The phase.
        phase: String,
        /// The approved title.
        old: String,
        /// The new one.
        new: String,
    },
    /// Other phases come first.
    DependsOn {
        /// The phase.
        phase: String,
        /// Ids of the approved ones.
        old: Vec<String>,
        /// Ids of the new ones.
        new: Vec<String>,
    },
    /// Another cadence.
    Every {
        /// The phase.
        phase: String,
        /// The approved cadence.
        old: Option<String>,
        /// The new one.
        new: Option<String>,
    },
    /// Something was added to a phase.
    Added {
        /// The phase.
        phase: String,
        /// What kind of thing.
        part: Part,
        /// The thing.
        text: String,
    },
    /// Something was removed from a phase.
    Removed {
        /// The phase.
        phase: String,
        /// What kind of thing.
        part: Part,
        /// The thing.
        text: String,
    },
    /// Something of a phase says something else now, in the same place.
    Changed {
        /// The phase.
        phase: String,
        /// What kind of thing.
        part: Part,
        /// As approved.
        old: String,
        /// As it is now.
        new: String,
    },
    /// The same things stand in another order.
    Reordered {
        /// The phase.
        phase: String,
        /// What kind of thing.
        part: Part,
        /// All of them as approved.
        old: Vec<String>,
        /// All of them as they are now.
        new: Vec<String>,
    },
}

/// What a difference does to what is approved, at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It adds.
    Plus,
    /// It takes away.
    Minus,
    /// It changes what stays.
    Tilde,
}

impl Difference {
    /// The phase it is about, where it is about one.
    pub fn phase(&self) -> Option<&str> {
        match self {
            Self::Version { .. }
            | Self::Goal { .. }
            | Self::Mode { .. }
            | Self::Hold { .. }
            | Self::PhasesReordered { .. } => None,
            Self::PhaseAdded { phase, .. }
            | Self::PhaseRemoved { phase, .. }
            | Self::Title { phase, .. }
            | Self::DependsOn { phase, .. }
            | Self::Every { phase, .. }
            | Self::Added { phase, .. }
            | Self::Removed { phase, .. }
            | Self::Changed { phase, .. }
            | Self::Reordered { phase, .. } => Some(phase),
        }
    }

    /// What it does.
    pub fn sign(&self) -> Sign {
        match self {
            Self::PhaseAdded { .. } | Self::Added { .. } => Sign::Plus,
            Self::PhaseRemoved { .. } | Self::Removed { .. } => Sign::Minus,
            Self::DependsOn { old, .. } if old.is_empty() => Sign::Plus,
            Self::DependsOn { new, .. } if new.is_empty() => Sign::Minus,
            _ => Sign::Tilde,
        }
    }
}

/// All differences: of the whole, then by phase in the new order, removed phases last. Empty exactly where nothing differs.
pub fn differences(old: &Contract, new: &Contract) -> Vec<Difference> {
    let mut out = Vec::new();
    if old.v != new.v {
        out.push(Difference::Version { old: old.v, new: new.v });
    }
    if old.goal != new.goal {
        out.push(Difference::Goal { old: old.goal.clone(), new: new.goal.clone() });
    }
    if old.mode != new.mode {
        out.push(Difference::Mode { old: old.mode, new: new.mode });
    }
    if old.gate.hold != new.gate.hold {
        out.push(Difference::Hold { old: old.gate.hold, new: new.gate.hold });
    }
    let before: HashMap<&str, &ContractPhase> = old.phases.iter().map(|phase| (phase.id.as_str(), phase)).collect();
    let after: HashMap<&str, &ContractPhase> = new.phases.iter().map(|phase| (phase.id.as_str(), phase)).collect();
    let kept = |phases: &[ContractPhase]| -> Vec<String> {
        let both =
            |phase: &&ContractPhase| before.contains_key(phase.id.as_str()) && after.contains_key(phase.id.as_str());
        phases.iter().filter(both).map(|phase| phase.id.clone()).collect()
    };
    let orders = (kept(&old.phases), kept(&new.phases));
    if orders.0 != orders.1 {
        out.push(Difference::PhasesReordered { old: orders.0, new: orders.1 });
    }
    for phase in &new.phases {
        if let Some(former) = before.get(phase.id.as_str()) {
            in_phase(former, phase, &mut out);
        } else {
            let bare = ContractPhase { title: phase.title.clone(), ..ContractPhase::default() };
            out.push(Difference::PhaseAdded { phase: phase.id.clone(), title: phase.title.clone() });
            in_phase(&bare, phase, &mut out);
        }
    }
    let gone = old.phases.iter().filter(|phase| !after.contains_key(phase.id.as_str()));
    out.extend(gone.map(|phase| Difference::PhaseRemoved { phase: phase.id.clone(), title: phase.title.clone() }));
    out
}

fn in_phase(old: &ContractPhase, new: &ContractPhase, out: &mut Vec<Difference>) {
    let id = || new.id.clone();
    if old.title != new.title {
        out.push(Difference::Title { phase: id(), old: old.title.clone(), new: new.title.clone() });
    }
    if old.depends_on != new.depends_on {
        out.push(Difference::DependsOn { phase: id(), old: old.depends_on.clone(), new: new.depends_on.clone() });
    }
    for part in Part::ALL {
        in_part(&new.id, part, part.of(old), part.of(new), out);
    }
    if old.every != new.every {
        out.push(Difference::Every { phase: id(), old: old.every.clone(), new: new.every.clone() });
    }
}

fn in_part(phase: &str, part: Part, before: &[String], after: &[String], out: &mut Vec<Difference>) {
    let phase = || phase.to_owned();
    let (gone, come) = (beyond(before, after), beyond(after, before));
    let rest = |list: &[String], without: &[Extra]| -> Vec<String> {
        let without: Vec<String> = without.iter().map(|extra| extra.text.clone()).collect();
        beyond(list, &without).into_iter().map(|extra| extra.text).collect()
    };
    let moved = rest(before, &gone) != rest(after, &come) || (gone.is_empty() && come.is_empty() && before != after);
    if moved {
        out.push(Difference::Reordered { phase: phase(), part, old: before.to_vec(), new: after.to_vec() });
    }
    let (mut gone, mut come) = (gone.into_iter().peekable(), come.into_iter().peekable());
    loop {
        // Between the same neighbours, one came in the place of the other. In another order nothing has a place.
        let places = (gone.peek().map(|extra| extra.place), come.peek().map(|extra| extra.place));
        let (take, put) = match places {
            (None, None) => break,
            (Some(a), Some(b)) if !moved => (a <= b, b <= a),
            (Some(_), _) => (true, false),
            (None, Some(_)) => (false, true),
        };
        let old = gone.next_if(|_| take).map(|extra| extra.text);
        let new = come.next_if(|_| put).map(|extra| extra.text);
        out.extend(match (old, new) {
            (Some(old), Some(new)) => Some(Difference::Changed { phase: phase(), part, old, new }),
            (Some(text), None) => Some(Difference::Removed { phase: phase(), part, text }),
            (None, Some(text)) => Some(Difference::Added { phase: phase(), part, text }),
            (None, None) => None,
        });
    }
}

/// Something that one list has and the other has not.
struct Extra {
    /// How many shared things stand before it.
    place: usize,
    text: String,
}

/// What `list` has more of than `other`, in its order.
fn beyond(list: &[String], other: &[String]) -> Vec<Extra> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for text in other {
        *left.entry(text).or_default() += 1;
    }
    let mut out = Vec::new();
    let mut place = 0;
    for text in list {
        match left.get_mut(text.as_str()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                place += 1;
            }
            _ => out.push(Extra { place, text: text.clone() }),
        }
    }
    out
}

#[cfg(test)]
mod tests;
