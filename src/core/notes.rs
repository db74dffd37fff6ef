//! Notes that agents append to steps: they change what is written, not what is asked for.

use crate::core::contract::Contract;
use crate::core::view::step_matches;

/// Puts the approved text of each step in place of a line that still begins with it, phase by phase.
pub fn forget(asked: &mut Contract, approved: &Contract) {
    for phase in &mut asked.phases {
        let Some(known) = approved.phase(&phase.id) else { continue };
        let mut rest = known.steps.iter();
        for step in &mut phase.steps {
            let mut ahead = rest.clone();
            if let Some(text) = ahead.find(|text| step_matches(step, text)) {
                step.clone_from(text);
                rest = ahead;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::contract::ContractPhase;

    fn contract(steps: &[&str]) -> Contract {
        let phase = ContractPhase {
            id: "a".into(),
            steps: steps.iter().map(|s| (*s).to_owned()).collect(),
            ..ContractPhase::default()
        };
        Contract { phases: vec![phase], ..Contract::default() }
    }

    #[test]
    fn an_appended_note_is_the_same_step() {
        let approved = contract(&["Tokenizer", "Tables"]);
        let mut asked = contract(&["Tokenizer (in lexer.rs)", "Tables: done"]);
        forget(&mut asked, &approved);
        assert_eq!(asked, approved);
    }

    #[test]
    fn another_text_or_order_is_not() {
        let approved = contract(&["Tokenizer", "Tables"]);
        for steps in [&["Tokenizers", "Tables"], &["Tables", "Tokenizer"], &["The Tokenizer", "Tables"]] {
            let mut asked = contract(steps);
            forget(&mut asked, &approved);
            assert_ne!(asked, approved, "{steps:?}");
        }
    }
}
