//! Dependencies: names become ids, and nothing waits for itself.

use std::collections::{HashMap, HashSet};

use crate::core::contract::ContractPhase;
use crate::core::plan::{Plan, Problem};

/// Fills [`ContractPhase::depends_on`] with ids.
pub(super) fn resolve(plan: &Plan, phases: &mut [ContractPhase], problems: &mut Vec<Problem>) {
    let mut names: HashMap<String, usize> = HashMap::new();
    for (index, phase) in plan.phases.iter().enumerate() {
        if let Some(number) = &phase.number {
            names.entry(number.clone()).or_insert(index);
        }
    }
    // An id wins over a number that looks like it.
    for (index, phase) in plan.phases.iter().enumerate() {
        if let Some(id) = &phase.id {
            names.insert(id.clone(), index);
        }
    }
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for (index, phase) in plan.phases.iter().enumerate() {
        let mut own = Vec::new();
        for name in &phase.fields.depends_on {
            match find(&names, name) {
                Some(found) if found == index => problems.push(Problem {
                    line: phase.line,
                    what: "the phase depends on itself".to_owned(),
                    fix: "take its own name out of `DependsOn`".to_owned(),
                }),
                Some(found) if own.contains(&found) => {}
                Some(found) => own.push(found),
                None if is_nothing(name) => {}
                None => problems.push(Problem {
                    line: phase.line,
                    what: format!("no phase is called `{}`", name.chars().take(60).collect::<String>()),
                    fix: "name the id or the number of a phase in `DependsOn`".to_owned(),
                }),
            }
        }
        edges.push(own);
    }
    if let Some(at) = in_cycle(&edges) {
        problems.push(Problem {
            line: plan.phases.get(at).map_or(0, |phase| phase.line),
            what: "the phase depends on itself by way of others".to_owned(),
            fix: "take one of the dependencies out".to_owned(),
        });
    }
    let ids: Vec<String> = phases.iter().map(|phase| phase.id.clone()).collect();
    for (phase, own) in phases.iter_mut().zip(edges) {
        phase.depends_on = own.into_iter().filter_map(|at| ids.get(at).cloned()).collect();
    }
}

/// By id, by number, or by `Phase 1` and `#survey`.
fn find(names: &HashMap<String, usize>, name: &str) -> Option<usize> {
    let bare = name.strip_prefix('#').unwrap_or(name);
    let number = || crate::core::plan_read::phase_number(name);
    names.get(name).or_else(|| names.get(bare)).copied().or_else(|| names.get(&number()?).copied())
}

fn is_nothing(name: &str) -> bool {
    ["none", "-", "–", "—", "n/a", "nothing", "无", "無"].iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// A phase that cannot come at all, because what it depends on cannot.
fn in_cycle(edges: &[Vec<usize>]) -> Option<usize> {
    let mut done: HashSet<usize> = HashSet::new();
    let mut open: Vec<usize> = (0..edges.len()).collect();
    let mut waiting: Vec<usize> = edges.iter().map(Vec::len).collect();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (at, own) in edges.iter().enumerate() {
        for before in own {
            if let Some(list) = after.get_mut(*before) {
                list.push(at);
            }
        }
    }
    open.retain(|at| waiting.get(*at) == Some(&0));
    while let Some(at) = open.pop() {
        done.insert(at);
        for next in after.get(at).into_iter().flatten() {
            if let Some(left) = waiting.get_mut(*next) {
                *left -= 1;
                if *left == 0 {
                    open.push(*next);
                }
            }
        }
    }
    (0..edges.len()).find(|at| !done.contains(at))
}
