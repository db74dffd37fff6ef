//! `next --all`: which of the unfinished plans of this project comes next, and what in it.

use serde_json::{Value, json};

use crate::commands::ctx::Ctx;
use crate::commands::{plans, render};
use crate::core::across::{self, Because, Candidate};
use crate::core::next::{self, Next};
use crate::error::Result;
use crate::output::Style;
use crate::store::{Desk, Place, Snapshot, locate, priorities};

/// How many plans are named behind the first.
const MORE: usize = 9;

/// A plan that somebody approved here.
struct Seen {
    place: Place,
    snapshot: Snapshot,
    next: Next,
    paused: bool,
    woken: Vec<String>,
    evidence: Vec<String>,
}

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let Some(root) = plans::root(ctx)? else {
        // Says what to do where there is none.
        return ctx.place_here().map(|_| ());
    };
    let in_use = ctx.place().ok().filter(|place| place.root == root).map(|place| place.id);
    let order = priorities::confirmed(&root);
    let seen: Vec<Seen> =
        locate::list(&root, 10_000).into_iter().filter_map(|id| look(ctx, Place { root: root.clone(), id })).collect();
    let candidates: Vec<Candidate<'_>> = seen
        .iter()
        .map(|plan| Candidate {
            in_use: in_use.as_ref() == Some(&plan.place.id),
            rank: order.iter().position(|id| *id == plan.place.id),
            paused: plan.paused,
            woken: &plan.woken,
            view: &plan.snapshot.view,
            next: &plan.next,
        })
        .collect();
    let ordered = across::order(&candidates);
    let rows: Vec<(&Seen, Because)> =
        ordered.iter().filter_map(|(index, because)| Some((seen.get(*index)?, *because))).collect();
    if ctx.out.json {
        let first = rows.first().filter(|(_, because)| because.is_work());
        let value = |(plan, because): &(&Seen, Because)| plan.value(*because, in_use.as_deref());
        ctx.out.value(&json!({ "next": first.map(value), "plans": rows.iter().map(value).collect::<Vec<_>>() }));
        return Ok(());
    }
    let Some(((first, because), rest)) = rows.split_first() else {
        ctx.out.line(&format!("{} every approved plan here is done", ctx.out.paint(Style::Bold, "next:")));
        return Ok(());
    };
    first.print(ctx, *because, in_use.as_deref());
    for (plan, because) in rest.iter().take(MORE) {
        ctx.out.line(&ctx.out.paint(Style::Dim, &format!("then {}: {}", plan.place.id, because.words())));
    }
    if rest.len() > MORE {
        ctx.out.line(&ctx.out.paint(Style::Dim, &format!("and {} more", rest.len() - MORE)));
    }
    Ok(())
}

/// `None` where nothing is approved here, or the plan cannot be looked at.
fn look(ctx: &Ctx, place: Place) -> Option<Seen> {
    let desk = Desk::look(&place).ok()?;
    let (snapshot, over) = super::ahead(ctx, &desk);
    snapshot.contract.as_ref()?;
    let paused = desk.run.paused;
    let next = next::next(&snapshot.view);
    let (woken, evidence) = over.into_iter().map(|woken| (woken.phase, woken.evidence)).unzip();
    Some(Seen { place, snapshot, next, paused, woken, evidence })
}

impl Seen {
    /// The command that moves it on, from wherever it is typed.
    fn command(&self, in_use: Option<&str>) -> String {
        if self.next.command.is_empty() || in_use == Some(self.place.id.as_str()) {
            return self.next.command.clone();
        }
        format!("{} --plan {}", self.next.command, self.place.id)
    }

    /// Why it comes when it comes: for one that woke, by what.
    fn why(&self, because: Because) -> String {
        let phase = self.next.phase.and_then(|index| self.snapshot.view.phases.get(index));
        let at = self.woken.iter().position(|id| phase.is_some_and(|p| p.id == *id));
        match at.and_then(|at| self.evidence.get(at)).filter(|_| because == Because::Woken) {
            Some(evidence) => evidence.clone(),
            None => because.words().to_owned(),
        }
    }

    fn value(&self, because: Because, in_use: Option<&str>) -> Value {
        let mut value = render::next_json(&self.snapshot.view, &self.next);
        if let Some(map) = value.as_object_mut() {
            map.insert("command".to_owned(), self.command(in_use).into());
            map.insert("plan".to_owned(), self.place.id.as_str().into());
            map.insert("because".to_owned(), because.word().into());
            map.insert("evidence".to_owned(), self.why(because).into());
        }
        value
    }

    fn print(&self, ctx: &Ctx, because: Because, in_use: Option<&str>) {
        let next = Next { command: self.command(in_use), ..self.next.clone() };
        ctx.out.line(&format!(
            "{}  {}",
            ctx.out.paint(Style::Bold, &self.place.id),
            ctx.out.paint(Style::Dim, &self.why(because))
        ));
        ctx.out.line(&render::next_line(ctx.out, &self.snapshot.view, &next));
    }
}
