//! A difference in words: one line each, for a person.

use std::fmt;

use super::{Difference, Part};

impl fmt::Display for Difference {
    /// One line that names its phase.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PhaseAdded { phase, title } => write!(f, "+ phase {phase}: {title}"),
            Self::PhaseRemoved { phase, title } => write!(f, "- phase {phase}: {title}"),
            _ => match self.phase() {
                Some(phase) => write!(f, "{phase}: {}", self.bare()),
                None => f.write_str(&self.bare()),
            },
        }
    }
}

impl Difference {
    /// What differs, for a place where the phase is named already. Of a phase that comes or goes, its title.
    pub fn bare(&self) -> String {
        let hold = |hold: &Option<bool>| match hold {
            None => "where nobody attends",
            Some(true) => "always",
            Some(false) => "never",
        };
        let none = |every: &Option<String>| every.clone().unwrap_or_else(|| "none".to_owned());
        match self {
            Self::Version { old, new } => format!("format: {old} -> {new}"),
            Self::Goal { old, new } if old.is_empty() => format!("goal: {new}"),
            Self::Goal { old, new } => format!("goal: {old} -> {new}"),
            Self::Mode { old, new } => format!("mode: {} -> {}", old.word(), new.word()),
            Self::Hold { old, new } => format!("hold again: {} -> {}", hold(old), hold(new)),
            Self::PhaseAdded { title, .. } | Self::PhaseRemoved { title, .. } => title.clone(),
            Self::PhasesReordered { new, .. } => format!("order of phases: {}", new.join(", ")),
            Self::Title { old, new, .. } => format!("title: {old} -> {new}"),
            Self::DependsOn { old, new, .. } if old.is_empty() => format!("+ depends on: {}", new.join(", ")),
            Self::DependsOn { old, new, .. } if new.is_empty() => format!("- depends on: {}", old.join(", ")),
            Self::DependsOn { old, new, .. } => format!("depends on: {} -> {}", old.join(", "), new.join(", ")),
            Self::Every { old, new, .. } => format!("every: {} -> {}", none(old), none(new)),
            Self::Added { part, text, .. } => format!("+ {}: {text}", part.word()),
            Self::Removed { part, text, .. } => format!("- {}: {text}", part.word()),
            Self::Changed { part, old, new, .. } => format!("{}: {old} -> {new}", part.word()),
            Self::Reordered { part, .. } => format!("order of {} changed", part.words()),
        }
    }
}

impl Part {
    /// The word for one.
    pub fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Check => "check",
            Self::Artifact => "artifact",
            Self::Receipt => "receipt",
            Self::Approval => "approval",
            Self::Wait => "wait",
            Self::Tool => "tool",
        }
    }

    /// The word for several.
    pub fn words(self) -> String {
        format!("{}s", self.word())
    }
}
