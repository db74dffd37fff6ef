//! Which of several plans comes next. Each plan has its own answer of the next-work rule; this puts them into an order.

use crate::core::next::{Kind, Next};
use crate::core::view::View;

/// An unfinished plan.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// It is the plan in use.
    pub in_use: bool,
    /// Its place in the order of work, where it has one.
    pub rank: Option<usize>,
    /// A person paused it.
    pub paused: bool,
    /// Phases that waited until just now, by id; they are pending in `view`.
    pub woken: &'a [String],
    /// How it stands.
    pub view: &'a View,
    /// What comes next in it.
    pub next: &'a Next,
}

/// Why a plan stands where it does. In the order of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Because {
    /// What it waited for has come.
    Woken,
    /// A routine of it is due.
    Routine,
    /// It is the plan in use.
    InUse,
    /// The order of work names it.
    Ranked,
    /// It can be worked on.
    Open,
    /// All that is open in it waits.
    Waiting,
    /// Something blocks it, or it has to be planned: a person is needed.
    NeedsYou,
    /// A person paused it.
    Paused,
}

impl Because {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Woken => "woken",
            Self::Routine => "routine",
            Self::InUse => "in_use",
            Self::Ranked => "ranked",
            Self::Open => "open",
            Self::Waiting => "waiting",
            Self::NeedsYou => "needs_you",
            Self::Paused => "paused",
        }
    }

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Woken => "what it waited for has come",
            Self::Routine => "a routine of it is due",
            Self::InUse => "it is in use",
            Self::Ranked => "by the order of work",
            Self::Open => "it can be worked on",
            Self::Waiting => "it waits",
            Self::NeedsYou => "it needs you",
            Self::Paused => "it is paused",
        }
    }

    /// Whether there is work to do.
    pub fn is_work(self) -> bool {
        self <= Self::Open
    }
}

impl Candidate<'_> {
    /// Why it stands where it does; `None` where it is done.
    pub fn because(&self) -> Option<Because> {
        let phase = self.next.phase.and_then(|index| self.view.phases.get(index));
        Some(match self.next.kind {
            Kind::Done => return None,
            _ if self.paused => Because::Paused,
            Kind::Waiting => Because::Waiting,
            Kind::Blocked | Kind::Plan => Because::NeedsYou,
            Kind::Work | Kind::Start if phase.is_some_and(|p| self.woken.contains(&p.id)) => Because::Woken,
            Kind::Start if phase.is_some_and(|p| p.every.is_some()) => Because::Routine,
            Kind::Work | Kind::Start if self.in_use => Because::InUse,
            Kind::Work | Kind::Start if self.rank.is_some() => Because::Ranked,
            Kind::Work | Kind::Start => Because::Open,
        })
    }
}

/// The unfinished ones in order, by index: what waited, routines that are due, the plan in use, the order of work, the others as
/// they were given; then what waits, what needs a person, what is paused. Within each, the plan in use and the order of work count.
pub fn order(candidates: &[Candidate<'_>]) -> Vec<(usize, Because)> {
    let mut order: Vec<(usize, Because)> =
        candidates.iter().enumerate().filter_map(|(index, c)| Some((index, c.because()?))).collect();
    let key = |(index, because): &(usize, Because)| {
        let candidate = candidates.get(*index);
        let rank = candidate.and_then(|c| c.rank).unwrap_or(usize::MAX);
        (*because, !candidate.is_some_and(|c| c.in_use), rank, *index)
    };
    order.sort_by_key(key);
    order
}

/// The ids of an order of work: a line each; what is empty or begins with `#` says nothing. An id that stands twice counts once.
pub fn ranks(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if !ids.iter().any(|id| id == line) {
            ids.push(line.to_owned());
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::next::next;
    use crate::core::plan::Status::{self, Complete, Failed, InProgress, Pending, Skipped, Waiting};
    use crate::core::run::PhaseRun;
    use crate::core::view::PhaseView;

    struct Plan {
        view: View,
        in_use: bool,
        rank: Option<usize>,
        paused: bool,
        woken: Vec<String>,
    }

    fn plan(statuses: &[Status]) -> Plan {
        let phases = statuses.iter().zip(1..).map(|(status, number)| PhaseView {
            id: format!("p{number}"),
            number,
            status: *status,
            run: PhaseRun { tries: 9, by_agent: true, ..PhaseRun::default() },
            ..PhaseView::default()
        });
        let view = View { phases: phases.collect(), ..View::default() };
        Plan { view, in_use: false, rank: None, paused: false, woken: vec![] }
    }

    impl Plan {
        fn in_use(self) -> Self {
            Self { in_use: true, ..self }
        }
        fn rank(self, rank: usize) -> Self {
            Self { rank: Some(rank), ..self }
        }
        fn paused(self) -> Self {
            Self { paused: true, ..self }
        }
        fn woken(self, id: &str) -> Self {
            Self { woken: vec![id.into()], ..self }
        }
        fn routine(mut self) -> Self {
            self.view.phases[0].every = Some(3600);
            self
        }
    }

    #[track_caller]
    fn is(plans: &[Plan], right: &[(usize, Because)]) {
        let nexts: Vec<Next> = plans.iter().map(|p| next(&p.view)).collect();
        let candidates: Vec<Candidate<'_>> = plans
            .iter()
            .zip(&nexts)
            .map(|(p, next)| Candidate {
                in_use: p.in_use,
                rank: p.rank,
                paused: p.paused,
                woken: &p.woken,
                view: &p.view,
                next,
            })
            .collect();
        assert_eq!(order(&candidates), right);
    }

    #[test]
    fn every_branch_of_the_rule() {
        use Because as B;
        is(&[], &[]);
        is(&[plan(&[Complete]), plan(&[])], &[(1, B::NeedsYou)]);
        // All of them, the last first.
        is(
            &[
                plan(&[Pending]).paused().in_use(),
                plan(&[Failed]),
                plan(&[Waiting]),
                plan(&[Pending]),
                plan(&[Pending]).rank(1),
                plan(&[InProgress]).rank(0),
                plan(&[InProgress]).in_use(),
                plan(&[Pending]).routine(),
                plan(&[Pending, Pending]).woken("p1"),
            ],
            &[
                (8, B::Woken),
                (7, B::Routine),
                (6, B::InUse),
                (5, B::Ranked),
                (4, B::Ranked),
                (3, B::Open),
                (2, B::Waiting),
                (1, B::NeedsYou),
                (0, B::Paused),
            ],
        );
        // What woke is first only where it is what comes next there.
        is(&[plan(&[Pending]), plan(&[InProgress, Pending]).woken("p2")], &[(0, B::Open), (1, B::Open)]);
        // A routine that is being worked on is work as any.
        is(&[plan(&[InProgress]).routine(), plan(&[Pending]).in_use()], &[(1, B::InUse), (0, B::Open)]);
        // Of equals the plan in use, then the order of work, then as given.
        is(
            &[plan(&[Waiting]), plan(&[Waiting]).rank(3), plan(&[Waiting]).rank(2), plan(&[Waiting]).in_use()],
            &[(3, B::Waiting), (2, B::Waiting), (1, B::Waiting), (0, B::Waiting)],
        );
        is(&[plan(&[Skipped])], &[(0, B::NeedsYou)]);
    }

    #[test]
    fn an_order_is_read_line_by_line() {
        assert_eq!(ranks("mill\n\n# later\n  race \nmill\n#mill\n"), ["mill", "race"]);
        assert!(ranks("").is_empty());
    }
}
