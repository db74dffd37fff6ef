use proptest::prelude::*;

use super::*;
use crate::core::run::Mark;

const BASE: Facts = Facts {
    gated: true,
    paused: false,
    attached: true,
    work: Work::Open,
    active: false,
    hold: false,
    behind: Behind::Nothing,
    asks: false,
    blocks: Some(0),
    cap: DEFAULT_CAP,
    turn_holds: 0,
    held_before: false,
    progressed: false,
};

/// One change to the all-hold base a row, in the order of the rows, and the verdict it names.
fn rows() -> Vec<(Facts, Verdict)> {
    vec![
        (Facts { gated: false, ..BASE }, Verdict::NotGated),
        (Facts { paused: true, ..BASE }, Verdict::Paused),
        (Facts { attached: false, ..BASE }, Verdict::NotAttached),
        (Facts { work: Work::Done, ..BASE }, Verdict::Done),
        (Facts { work: Work::NeedsYou, ..BASE }, Verdict::NeedsYou),
        (Facts { active: true, ..BASE }, Verdict::Forced),
        (Facts { behind: Behind::Subagent, ..BASE }, Verdict::Background),
        (Facts { behind: Behind::Shell, ..BASE }, Verdict::Background),
        (Facts { work: Work::Waiting, ..BASE }, Verdict::Waiting),
        (Facts { asks: true, ..BASE }, Verdict::Question),
        (Facts { blocks: None, ..BASE }, Verdict::Cap),
        (Facts { blocks: Some(20), ..BASE }, Verdict::Cap),
        (Facts { cap: 0, ..BASE }, Verdict::Cap),
        (Facts { turn_holds: 5, ..BASE }, Verdict::TurnLimit),
        (Facts { held_before: true, ..BASE }, Verdict::NoProgress),
    ]
}

#[test]
fn the_base_is_held() {
    assert_eq!(decide(&BASE), Verdict::Hold);
}

#[test]
fn one_fact_names_each_row() {
    for (facts, verdict) in rows() {
        assert_eq!(decide(&facts), verdict, "{facts:?}");
    }
}

#[test]
fn what_does_not_stand_against_a_hold() {
    for facts in [
        Facts { work: Work::Stale, ..BASE },
        Facts { active: true, hold: true, ..BASE },
        Facts { hold: true, ..BASE },
        Facts { behind: Behind::OldShell, ..BASE },
        Facts { blocks: Some(19), ..BASE },
        Facts { turn_holds: 4, ..BASE },
        Facts { held_before: true, progressed: true, ..BASE },
        Facts { progressed: true, ..BASE },
    ] {
        assert_eq!(decide(&facts), Verdict::Hold, "{facts:?}");
    }
}

/// Takes from `row` every fact in which it differs from the base, and the rest from `under`.
fn laid_over(row: &Facts, under: &Facts) -> Facts {
    fn pick<T: PartialEq>(row: T, base: &T, under: T) -> T {
        if row == *base { under } else { row }
    }
    Facts {
        gated: pick(row.gated, &BASE.gated, under.gated),
        paused: pick(row.paused, &BASE.paused, under.paused),
        attached: pick(row.attached, &BASE.attached, under.attached),
        work: pick(row.work, &BASE.work, under.work),
        active: pick(row.active, &BASE.active, under.active),
        hold: pick(row.hold, &BASE.hold, under.hold),
        behind: pick(row.behind, &BASE.behind, under.behind),
        asks: pick(row.asks, &BASE.asks, under.asks),
        blocks: pick(row.blocks, &BASE.blocks, under.blocks),
        cap: pick(row.cap, &BASE.cap, under.cap),
        turn_holds: pick(row.turn_holds, &BASE.turn_holds, under.turn_holds),
        held_before: pick(row.held_before, &BASE.held_before, under.held_before),
        progressed: pick(row.progressed, &BASE.progressed, under.progressed),
    }
}

#[test]
fn the_earlier_row_wins() {
    let rows = rows();
    for (earlier, (first, verdict)) in rows.iter().enumerate() {
        for (second, other) in &rows[earlier + 1..] {
            // `work` is one value: the later row cannot be true at the same time.
            let both = laid_over(first, second);
            assert_eq!(decide(&both), *verdict, "{verdict:?} comes before {other:?}");
        }
    }
    // Waiting comes after the rows between needs-you and itself.
    for (fact, verdict) in [
        (Facts { active: true, ..BASE }, Verdict::Forced),
        (Facts { behind: Behind::Shell, ..BASE }, Verdict::Background),
    ] {
        assert_eq!(decide(&Facts { work: Work::Waiting, ..fact }), verdict);
    }
}

#[test]
fn words_are_unique() {
    let words: std::collections::BTreeSet<_> = Verdict::ALL.iter().map(|v| v.word()).collect();
    assert_eq!(words.len(), 15);
    for verdict in Verdict::ALL {
        assert!(verdict.word().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
    }
}

#[test]
fn asking() {
    for text in [
        "Shall I go on?",
        "I moved the tables.\n\nShall I delete the old file?\n\n",
        "**Shall I go on?**",
        "Shall I go on? 🙂",
        "Shall I go on? 👩‍💻\u{fe0f}",
        "> _Is that right?_ \"",
        "他问：“可以继续吗？”",
        "可以继续吗？",
        "هل أتابع؟",
        "Which one (a or b)?)",
        "Overwrite it? [y/N]",
        "Overwrite it? (yes/no)",
        "Really?\n---",
        "Run this?\n```",
        "Ready?\r\n",
    ] {
        assert!(asks(text), "{text:?}");
    }
    for text in [
        "",
        "  \n\t\n",
        "---",
        "Done.",
        "Is it right? Yes, it is.",
        "What was open?\nAll of it is done now.",
        "Did it work? (it did, and the tests of the tokenizer pass too)",
        "Why not?!",
        "See a?b=1",
        "完成了。",
    ] {
        assert!(!asks(text), "{text:?}");
    }
}

/// A run as the runtime keeps it, small enough to be enumerated.
#[derive(Clone, Debug)]
struct Sim {
    phases: [bool; 3],
    ever: [bool; 3],
    boxes: [bool; 4],
    files: u32,
    seen: Vec<u8>,
    mark: Mark,
    mark_at_hold: Option<Mark>,
    blocks: u32,
    turn_holds: u32,
    cap: u32,
    hold: bool,
    attached: bool,
    active: bool,
    junk: u32,
}

#[derive(Clone, Debug)]
enum Move {
    Stop,
    StopActive,
    Prompt,
    Phase(usize, bool),
    Box(usize, bool),
    Edit(u8),
    Junk,
    Attach(bool),
}

impl Sim {
    fn new(cap: u32, hold: bool) -> Self {
        Self {
            phases: [false; 3],
            ever: [false; 3],
            boxes: [false; 4],
            files: 0,
            seen: Vec::new(),
            mark: Mark::default(),
            mark_at_hold: None,
            blocks: 0,
            turn_holds: 0,
            cap,
            hold,
            attached: true,
            active: false,
            junk: 0,
        }
    }

    fn counts(&self) -> Mark {
        let count = |list: &[bool]| u32::try_from(list.iter().filter(|b| **b).count()).unwrap();
        Mark { phases: count(&self.phases), boxes: count(&self.boxes), proofs: 0, files: self.files }
    }

    fn stop(&mut self, active: bool) -> Verdict {
        self.mark = self.mark.max(self.counts());
        let verdict = decide(&Facts {
            attached: self.attached,
            work: if self.phases.iter().all(|p| *p) { Work::Done } else { Work::Open },
            active,
            hold: self.hold,
            blocks: Some(self.blocks),
            cap: self.cap,
            turn_holds: self.turn_holds,
            held_before: self.mark_at_hold.is_some(),
            progressed: self.mark_at_hold.is_some_and(|old| self.mark.exceeds(old)),
            ..BASE
        });
        self.active = verdict == Verdict::Hold;
        if verdict == Verdict::Hold {
            self.blocks += 1;
            self.turn_holds += 1;
            self.mark_at_hold = Some(self.mark);
        }
        verdict
    }

    fn apply(&mut self, step: &Move) -> Option<Verdict> {
        match *step {
            Move::Stop => return Some(self.stop(self.active)),
            Move::StopActive => return Some(self.stop(true)),
            Move::Prompt => {
                self.blocks = 0;
                self.turn_holds = 0;
                self.active = false;
            }
            Move::Phase(index, done) => {
                self.phases[index] = done;
                if done && !self.ever[index] {
                    self.ever[index] = true;
                    self.blocks = 0;
                }
            }
            Move::Box(index, done) => self.boxes[index] = done,
            Move::Edit(content) => {
                if !self.seen.contains(&content) {
                    self.seen.push(content);
                    self.files += 1;
                }
            }
            Move::Junk => self.junk += 1,
            Move::Attach(attached) => self.attached = attached,
        }
        None
    }
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        8 => Just(Move::Stop),
        1 => Just(Move::StopActive),
        1 => Just(Move::Prompt),
        2 => (0..3usize, any::<bool>()).prop_map(|(i, d)| Move::Phase(i, d)),
        3 => (0..4usize, any::<bool>()).prop_map(|(i, d)| Move::Box(i, d)),
        3 => any::<u8>().prop_map(Move::Edit),
        1 => Just(Move::Junk),
        1 => any::<bool>().prop_map(Move::Attach),
    ];
    proptest::collection::vec(one, 0..200)
}

proptest! {
    #[test]
    fn holds_are_bounded(moves in moves(), cap in 0u32..8, hold: bool) {
        let mut sim = Sim::new(cap, hold);
        let (mut in_turn, mut in_budget) = (0u32, 0u32);
        for step in &moves {
            let first_time = matches!(step, Move::Phase(i, true) if !sim.ever[*i]);
            let was_active = sim.active || matches!(step, Move::StopActive);
            let was_attached = sim.attached;
            let verdict = sim.apply(step);
            match step {
                Move::Prompt => (in_turn, in_budget) = (0, 0),
                _ if first_time => in_budget = 0,
                _ => {}
            }
            if verdict == Some(Verdict::Hold) {
                in_turn += 1;
                in_budget += 1;
                prop_assert!(was_attached, "an unattached session was held");
                prop_assert!(hold || !was_active, "an active stop was held without hold");
            }
            prop_assert!(in_turn <= TURN_LIMIT);
            prop_assert!(in_budget <= cap);
        }
    }

    #[test]
    fn undoing_redoing_and_junk_never_rearm(before in moves(), after in moves()) {
        let mut sim = Sim::new(DEFAULT_CAP, true);
        for step in &before {
            sim.apply(step);
        }
        sim.attached = true;
        sim.apply(&Move::Prompt);
        let held = sim.stop(false) == Verdict::Hold || sim.mark_at_hold == Some(sim.mark);
        prop_assume!(held);
        let (phases, boxes, seen) = (sim.phases, sim.boxes, sim.seen.clone());
        for step in after {
            // Only what was reached before is undone and redone.
            let old = match step {
                Move::Phase(i, done) => !done || phases[i],
                Move::Box(i, done) => !done || boxes[i],
                Move::Edit(content) => seen.contains(&content),
                _ => true,
            };
            if old {
                prop_assert_ne!(sim.apply(&step), Some(Verdict::Hold), "{:?}", step);
            }
        }
    }

    #[test]
    fn asks_is_total(text in ".{0,80}") {
        let asked = asks(&text);
        prop_assert!(!asked || text.contains(['?', '？', '؟']));
    }
}

#[test]
fn progress_between_holds_is_held_up_to_the_turn_limit() {
    let mut sim = Sim::new(DEFAULT_CAP, true);
    let verdicts: Vec<_> = (0..7)
        .map(|content| {
            sim.apply(&Move::Edit(content));
            sim.stop(true)
        })
        .collect();
    assert_eq!(verdicts[..5], [Verdict::Hold; 5]);
    assert_eq!(verdicts[5..], [Verdict::TurnLimit; 2]);
    sim.apply(&Move::Prompt);
    sim.apply(&Move::Edit(100));
    assert_eq!(sim.stop(true), Verdict::Hold);
}

#[test]
fn twenty_five_idle_stops_are_held_once() {
    let mut sim = Sim::new(DEFAULT_CAP, true);
    let holds = (0..25).filter(|_| sim.stop(true) == Verdict::Hold).count();
    assert_eq!(holds, 1);
}
