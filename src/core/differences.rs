//! What differs between two contracts, phase by phase, for the person who approves the new one.

use std::collections::HashMap;
use std::fmt;

use crate::core::contract::{Contract, ContractPhase, Mode};

/// A part of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A step.
    Step,
    /// A dependency, by id.
    Dependency,
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
    const ALL: [Self; 8] = [
        Self::Step,
        Self::Dependency,
        Self::Check,
        Self::Artifact,
        Self::Receipt,
        Self::Approval,
        Self::Wait,
        Self::Tool,
    ];

    fn of(self, phase: &ContractPhase) -> &[String] {
        match self {
            Self::Step => &phase.steps,
            Self::Dependency => &phase.depends_on,
            Self::Check => &phase.checks,
            Self::Artifact => &phase.artifacts,
            Self::Receipt => &phase.receipts,
            Self::Approval => &phase.approvals,
            Self::Wait => &phase.waits_for,
            Self::Tool => &phase.tools,
        }
    }

    /// The word for one of these.
    pub fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Dependency => "dependency",
            Self::Check => "check",
            Self::Artifact => "artifact",
            Self::Receipt => "receipt",
            Self::Approval => "approval",
            Self::Wait => "wait",
            Self::Tool => "tool",
        }
    }

    /// The word for several.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Step => "steps",
            Self::Dependency => "dependencies",
            Self::Check => "checks",
            Self::Artifact => "artifacts",
            Self::Receipt => "receipts",
            Self::Approval => "approvals",
            Self::Wait => "waits",
            Self::Tool => "tools",
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
        /// Their ids in the new order.
        phases: Vec<String>,
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
    /// The same things stand in another order.
    Reordered {
        /// The phase.
        phase: String,
        /// What kind of thing.
        part: Part,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hold = |hold: &Option<bool>| match hold {
            None => "where nobody attends",
            Some(true) => "always",
            Some(false) => "never",
        };
        match self {
            Self::Version { old, new } => write!(f, "format: {old} -> {new}"),
            Self::Goal { old, new } => write!(f, "goal: {old} -> {new}"),
            Self::Mode { old, new } => write!(f, "mode: {} -> {}", old.word(), new.word()),
            Self::Hold { old, new } => write!(f, "hold again: {} -> {}", hold(old), hold(new)),
            Self::PhaseAdded { phase, title } => write!(f, "+ phase {phase}: {title}"),
            Self::PhaseRemoved { phase, title } => write!(f, "- phase {phase}: {title}"),
            Self::PhasesReordered { phases } => write!(f, "order of phases: {}", phases.join(", ")),
            Self::Title { phase, old, new } => write!(f, "{phase}: title: {old} -> {new}"),
            Self::Every { phase, old, new } => {
                let text = |every: &Option<String>| every.clone().unwrap_or_else(|| "none".to_owned());
                write!(f, "{phase}: every: {} -> {}", text(old), text(new))
            }
            Self::Added { phase, part, text } => write!(f, "{phase}: + {}: {text}", part.word()),
            Self::Removed { phase, part, text } => write!(f, "{phase}: - {}: {text}", part.word()),
            Self::Reordered { phase, part } => write!(f, "{phase}: order of {} changed", part.plural()),
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
    let order = kept(&new.phases);
    if order != kept(&old.phases) {
        out.push(Difference::PhasesReordered { phases: order });
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
    for part in Part::ALL {
        let (before, after) = (part.of(old), part.of(new));
        let gone = beyond(before, after);
        let come = beyond(after, before);
        let rest = |list: &[String], without: &[String]| -> Vec<String> { beyond(list, without) };
        if rest(before, &gone) != rest(after, &come) || (gone.is_empty() && come.is_empty() && before != after) {
            out.push(Difference::Reordered { phase: id(), part });
        }
        out.extend(gone.into_iter().map(|text| Difference::Removed { phase: id(), part, text }));
        out.extend(come.into_iter().map(|text| Difference::Added { phase: id(), part, text }));
    }
    if old.every != new.every {
        out.push(Difference::Every { phase: id(), old: old.every.clone(), new: new.every.clone() });
    }
}

/// What `list` has more of than `other`, in its order.
fn beyond(list: &[String], other: &[String]) -> Vec<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for text in other {
        *left.entry(text).or_default() += 1;
    }
    let mut out = Vec::new();
    for text in list {
        match left.get_mut(text.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => out.push(text.clone()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::change::tests::any_contract;
    use crate::core::contract::GateOptions;

    fn phase(id: &str, steps: &[&str], checks: &[&str]) -> ContractPhase {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        ContractPhase {
            id: id.to_owned(),
            title: format!("The {id}"),
            steps: texts(steps),
            checks: texts(checks),
            ..ContractPhase::default()
        }
    }

    #[test]
    fn what_a_person_reads() {
        let old = Contract {
            v: 1,
            goal: "Go".to_owned(),
            mode: Mode::Gate,
            gate: GateOptions { hold: None },
            phases: vec![
                phase("dock", &["one", "two"], &["true"]),
                phase("ramp", &[], &[]),
                phase("bell", &["a", "b"], &[]),
            ],
        };
        let mut new = old.clone();
        new.goal = "Stay".to_owned();
        new.mode = Mode::Plain;
        new.gate.hold = Some(true);
        new.phases = vec![
            phase("bell", &["b", "a"], &[]),
            phase("dock", &["two", "three"], &["make"]),
            phase("quay", &["x"], &["id"]),
        ];
        new.phases[1].title = "A dock".to_owned();
        new.phases[1].every = Some("1d".to_owned());
        let text: Vec<String> = differences(&old, &new).iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            [
                "goal: Go -> Stay",
                "mode: gate -> plain",
                "hold again: where nobody attends -> always",
                "order of phases: bell, dock",
                "bell: order of steps changed",
                "dock: title: The dock -> A dock",
                "dock: - step: one",
                "dock: + step: three",
                "dock: - check: true",
                "dock: + check: make",
                "dock: every: none -> 1d",
                "+ phase quay: The quay",
                "quay: + step: x",
                "quay: + check: id",
                "- phase ramp: The ramp",
            ]
        );
    }

    proptest! {
        #[test]
        fn empty_exactly_where_nothing_differs(old in any_contract(), new in any_contract()) {
            prop_assert!(differences(&old, &old).is_empty());
            prop_assert_eq!(differences(&old, &new).is_empty(), old == new);
        }

        #[test]
        fn a_small_change_is_named(old in any_contract(), at in any::<prop::sample::Index>()) {
            let mut new = old.clone();
            let index = at.index(new.phases.len());
            new.phases[index].steps.reverse();
            prop_assert_eq!(differences(&old, &new).is_empty(), old == new);
        }
    }
}
