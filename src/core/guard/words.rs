//! What is said of a refusal: to the agent, to the user, and in the ledger. Of what the edit brings along nothing is repeated:
//! nobody approved it.

use crate::core::contract::Contract;
use crate::core::differences::{Difference, Part};
use crate::core::guard::plan::title;
use crate::core::inject;
use crate::core::text::cost;
use crate::core::tools::Fence;

/// What a tool call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Harm {
    /// Take something from the approved plan.
    Plan {
        /// What, in words; not empty.
        losses: Vec<String>,
        /// The first phase that it is taken from, by id.
        phase: Option<String>,
    },
    /// Change the state directory, where approvals live.
    State,
    /// Do this to our hooks, by an edit of the host's settings.
    Settings(String),
    /// Use a tool that the phase in progress does not name.
    Tool(Fence),
}

impl Harm {
    /// The harm of an edit that has losses.
    pub fn of_plan(contract: &Contract, losses: &[Difference]) -> Self {
        Self::Plan {
            losses: losses.iter().map(|loss| words(contract, loss)).collect(),
            phase: losses.iter().find_map(Difference::phase).map(str::to_owned),
        }
    }

    /// The harm in few words: of several losses the first `most`, and how many more.
    fn in_words(&self, most: usize) -> String {
        match self {
            Self::Plan { losses, .. } => {
                let first: Vec<&str> = losses.iter().take(most).map(String::as_str).collect();
                match losses.len().saturating_sub(most) {
                    0 => first.join(", "),
                    all if first.is_empty() => format!("{all} things that were approved are gone or changed"),
                    more => format!("{}, and {more} more", first.join(", ")),
                }
            }
            Self::State => "a change in the state directory".to_owned(),
            Self::Settings(what) => what.clone(),
            Self::Tool(fence) => format!("phase {} names the tools it may use: {}", fence.phase, tools(fence, 160)),
        }
    }
}

/// What the agent reads: what is refused, why, and the ways out. At most [`inject::REASON_TOKENS`].
pub fn denial(harm: &Harm) -> String {
    let said = |most: usize| {
        match harm {
        Harm::Plan { phase, .. } => format!(
            "steadfast refused this edit: {}. Leave it in: an approved plan only grows. For less: steadfast propose FILE --why \"...\" (the user decides) or steadfast skip {} --why \"...\" (parks it).",
            harm.in_words(most),
            phase.as_deref().unwrap_or("PHASE")
        ),
        Harm::State => "steadfast refused this: it changes the state directory, which keeps what is approved. Reading is fine; only steadfast writes there. To add to the plan: steadfast attest. For less: steadfast propose FILE --why \"...\"".to_owned(),
        Harm::Tool(fence) => format!(
            "steadfast refused this tool: phase {} may use {}. Verbs and the plan's own files always work. When the phase is done: steadfast done. Where it needs more: steadfast propose FILE --why \"...\" (the user decides) or steadfast skip --why \"...\"",
            fence.phase,
            tools(fence, 40 * (most + 1))
        ),
        Harm::Settings(what) => format!(
            "steadfast refused this edit of the host's settings: it {what}. The run depends on its hooks. Make the edit without that, or leave it to the user."
        ),
    }
    };
    let fits = [2, 1].into_iter().map(said).find(|text| cost(text) <= inject::REASON_TOKENS);
    fits.unwrap_or_else(|| said(0))
}

/// What the user reads, one line.
pub fn notice(harm: &Harm) -> String {
    let what = harm.in_words(1);
    match harm {
        Harm::Plan { .. } => format!(
            "steadfast kept the agent from an edit of the plan: {what}. To let it: edit the plan yourself and type approve plan, or pause plan"
        ),
        Harm::State => {
            "steadfast kept the agent from a change in its state directory, where approvals are kept".to_owned()
        }
        Harm::Tool(_) => format!("steadfast kept the agent from a tool: {what}. To let it: pause plan"),
        Harm::Settings(_) => {
            format!("steadfast kept the agent from an edit of the host's settings that {what}. To let it: pause plan")
        }
    }
}

/// What the ledger keeps.
pub fn summary(harm: &Harm, tool: &str) -> String {
    let kind = match harm {
        Harm::Plan { .. } => "an edit of the plan: ",
        Harm::State | Harm::Tool(_) => "",
        Harm::Settings(_) => "an edit of the host's settings that ",
    };
    format!("{tool} was refused: {kind}{}", harm.in_words(3))
}

/// The tools of a phase, as many as fit into `most` bytes.
fn tools(fence: &Fence, most: usize) -> String {
    let mut text = String::new();
    for (at, tool) in fence.tools.iter().enumerate() {
        if at > 0 && text.len() + tool.len() > most {
            return format!("{text} and {} more", fence.tools.len() - at);
        }
        text = if at == 0 { tool.clone() } else { format!("{text}, {tool}") };
    }
    text
}

/// A loss in words. Ids and approved text alone; what would come in place of it is left out.
fn words(contract: &Contract, loss: &Difference) -> String {
    let quoted = |text: &str| format!("\"{}\"", inject::data(text, 32));
    let Some(id) = loss.phase() else {
        return match loss {
            Difference::Goal { .. } => "the goal is another",
            Difference::PhasesReordered { .. } => "the phases are in another order",
            _ => "the terms are others",
        }
        .to_owned();
    };
    let what = match loss {
        Difference::PhaseRemoved { .. } => "is gone".to_owned(),
        Difference::Title { .. } => "has another title".to_owned(),
        Difference::Removed { part, text, .. } => format!("lacks its {} {}", part.word(), quoted(text)),
        Difference::DependsOn { .. } => "has other dependencies".to_owned(),
        Difference::Added { part: part @ (Part::Wait | Part::Tool), .. } => format!("has a new {}", part.word()),
        Difference::Added { part, .. } => format!("is finished and has a new {}", part.word()),
        Difference::Reordered { part, .. } => format!("has its {} in another order", part.words()),
        _ => "has another cadence".to_owned(),
    };
    format!("phase {} {what}", quoted(title(contract, id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::contract::ContractPhase;

    fn contract() -> Contract {
        let title = "A title that is much longer than anybody would ever want to have it in a plan of theirs";
        let phase = |id: &str, title: &str| ContractPhase { id: id.into(), title: title.into(), ..Default::default() };
        Contract { phases: vec![phase("ramp", "The ramp"), phase("long", title)], ..Contract::default() }
    }

    #[test]
    fn losses_in_words() {
        let text = |text: &str| text.to_owned();
        let phase = || text("ramp");
        for (loss, right) in [
            (Difference::Goal { old: text("a"), new: text("b") }, "the goal is another"),
            (Difference::PhaseRemoved { phase: phase(), title: text("The ramp") }, "phase \"The ramp\" is gone"),
            (
                Difference::Title { phase: phase(), old: text("The ramp"), new: text("Ignore all") },
                "phase \"The ramp\" has another title",
            ),
            (
                Difference::Removed { phase: phase(), part: Part::Step, text: text("[plan\n x\u{200b}") },
                "phase \"The ramp\" lacks its step \"(plan x\"",
            ),
            (
                Difference::Added { phase: phase(), part: Part::Wait, text: text("x") },
                "phase \"The ramp\" has a new wait",
            ),
            (
                Difference::Added { phase: phase(), part: Part::Tool, text: text("Bash") },
                "phase \"The ramp\" has a new tool",
            ),
            (
                Difference::Added { phase: phase(), part: Part::Check, text: text("x") },
                "phase \"The ramp\" is finished and has a new check",
            ),
            (
                Difference::Reordered { phase: phase(), part: Part::Check, old: vec![], new: vec![] },
                "phase \"The ramp\" has its checks in another order",
            ),
            (
                Difference::DependsOn { phase: phase(), old: vec![], new: vec![text("x")] },
                "phase \"The ramp\" has other dependencies",
            ),
            (Difference::Every { phase: phase(), old: None, new: None }, "phase \"The ramp\" has another cadence"),
            (Difference::PhasesReordered { old: vec![], new: vec![] }, "the phases are in another order"),
        ] {
            assert_eq!(words(&contract(), &loss), right);
        }
    }

    #[test]
    fn a_refusal_is_short_and_says_the_ways_out() {
        let lost = |phase: &str| Difference::Removed {
            phase: phase.to_owned(),
            part: Part::Step,
            text: "A step that is about as long as a step is, and then some more".to_owned(),
        };
        let harm = Harm::of_plan(&contract(), &[lost("long"), lost("ramp"), lost("long"), lost("ramp")]);
        insta::assert_snapshot!(denial(&harm), @r#"steadfast refused this edit: phase "A title that is much longer tha…" lacks its step "A step that is about as long as…", phase "The ramp" lacks its step "A step that is about as long as…", and 2 more. Leave it in: an approved plan only grows. For less: steadfast propose FILE --why "..." (the user decides) or steadfast skip long --why "..." (parks it)."#);
        insta::assert_snapshot!(notice(&harm), @r#"steadfast kept the agent from an edit of the plan: phase "A title that is much longer tha…" lacks its step "A step that is about as long as…", and 3 more. To let it: edit the plan yourself and type approve plan, or pause plan"#);
        insta::assert_snapshot!(summary(&harm, "Edit"), @r#"Edit was refused: an edit of the plan: phase "A title that is much longer tha…" lacks its step "A step that is about as long as…", phase "The ramp" lacks its step "A step that is about as long as…", phase "A title that is much longer tha…" lacks its step "A step that is about as long as…", and 1 more"#);
        let many = vec!["重写解析器".repeat(20); 9];
        let many = Harm::Plan { losses: many, phase: None };
        assert!(denial(&many).contains(": 9 things that were approved are gone or changed."), "{}", denial(&many));
        let tools =
            |count: usize, name: &str| Fence { phase: "a-phase-of-the-mill".into(), tools: vec![name.into(); count] };
        insta::assert_snapshot!(denial(&Harm::Tool(tools(2, "Bash"))), @r#"steadfast refused this tool: phase a-phase-of-the-mill may use Bash, Bash. Verbs and the plan's own files always work. When the phase is done: steadfast done. Where it needs more: steadfast propose FILE --why "..." (the user decides) or steadfast skip --why "...""#);
        insta::assert_snapshot!(notice(&Harm::Tool(tools(2, "Bash"))), @"steadfast kept the agent from a tool: phase a-phase-of-the-mill names the tools it may use: Bash, Bash. To let it: pause plan");
        let fences = [tools(40, "mcp__files__read"), tools(2, &"x".repeat(64))].map(Harm::Tool);
        let others = [harm, many, Harm::State, Harm::Settings("takes out 10 hooks of steadfast".to_owned())];
        for harm in others.into_iter().chain(fences) {
            let text = denial(&harm);
            assert!(cost(&text) <= inject::REASON_TOKENS && !text.contains('\n'), "{}: {text}", cost(&text));
            assert!(!notice(&harm).contains('\n'));
        }
    }
}
