//! `sessions`: which session is bound to which plan, and whether it lives; and removing what nobody comes back to.

use std::path::Path;

use serde_json::{Value, json};

use crate::commands::ctx::Ctx;
use crate::commands::{args, pause};
use crate::core::text::{first_chars, flatten};
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::store::locate::Place;
use crate::store::{Desk, Session, attach, session};

/// The most characters of a session id in a line.
const ID: usize = 12;

/// How a session stands to the plan it is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bond {
    /// It is the one that is held.
    Attached,
    /// Another one took the plan over, or its run state is lost.
    Former,
    /// The plan is gone.
    Gone,
}

impl Bond {
    fn of(key: &str, place: &Place) -> Self {
        match Desk::look(place) {
            Ok(desk) if desk.run.owner == key => Self::Attached,
            // A plan in a project's root has no run, so nobody can take it over.
            Ok(_) if place.id.is_empty() => Self::Attached,
            Ok(_) => Self::Former,
            Err(_) => Self::Gone,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Attached => "attached",
            Self::Former => "former",
            Self::Gone => "plan gone",
        }
    }
}

struct Seen {
    key: String,
    session: Session,
    bond: Bond,
    live: bool,
}

pub(super) fn run(ctx: &Ctx, args: &args::Sessions) -> Result<()> {
    let state = ctx.state()?;
    let mut all: Vec<Seen> = session::all(&state)
        .into_iter()
        .map(|(key, session)| Seen {
            bond: Bond::of(&key, &session.place()),
            live: attach::is_live(&session),
            key,
            session,
        })
        .collect();
    all.sort_by(|a, b| (a.bond, !a.live, &a.session.root, &a.key).cmp(&(b.bond, !b.live, &b.session.root, &b.key)));
    if args.prune {
        return prune(ctx, &state, &all);
    }
    if ctx.out.json {
        ctx.out.value(&json!({ "sessions": all.iter().map(value).collect::<Vec<_>>() }));
        return Ok(());
    }
    if all.is_empty() {
        ctx.out.line("no session is bound to a plan");
    }
    for seen in &all {
        print(ctx, seen);
    }
    let over = all.iter().filter(|seen| is_over(seen)).count();
    if over > 0 {
        ctx.out.line(&format!("nobody comes back to {over} of them. To forget those: steadfast sessions --prune"));
    }
    Ok(())
}

/// Whether nothing is lost with it: it is not the one that a plan counts on, and its host is gone.
fn is_over(seen: &Seen) -> bool {
    !seen.live && seen.bond != Bond::Attached
}

fn value(seen: &Seen) -> Value {
    let session = &seen.session;
    json!({
        "host": session.host, "session": session.session, "plan": session.place().name(), "root": session.root,
        "bond": seen.bond.word(), "live": seen.live, "ended": session.ended, "pid": session.pid,
        "holds_this_turn": session.turn_holds, "last_stop": Some(&session.last_stop.verdict).filter(|v| !v.is_empty()),
    })
}

fn print(ctx: &Ctx, seen: &Seen) {
    let session = &seen.session;
    let life = match (seen.live, session.ended) {
        (true, _) => {
            format!("live, process {}", session.pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string()))
        }
        (false, true) => "ended".to_owned(),
        // No end was seen, and its process is not there: it crashed, or the machine was started anew.
        (false, false) => "not there any more".to_owned(),
    };
    let style = if seen.live && seen.bond == Bond::Attached { Style::Green } else { Style::Dim };
    let id = flatten(&session.session);
    ctx.out.line(&format!(
        "{} {} {}: {} ({life})",
        ctx.out.paint(style, seen.bond.word()),
        session.host,
        ctx.out.paint(Style::Plain, first_chars(&id, ID)),
        ctx.out.paint(Style::Bold, session.place().name()),
    ));
    ctx.out.line(&format!("  {}", ctx.out.paint(Style::Dim, &session.root.display().to_string())));
}

/// Forgets sessions. The one a plan counts on stays, so that its next start is told at which step it ended.
fn prune(ctx: &Ctx, state: &Path, all: &[Seen]) -> Result<()> {
    pause::only_a_person(ctx, "sessions --prune")?;
    let mut removed = 0;
    for seen in all.iter().filter(|seen| is_over(seen)) {
        session::forget(state, &seen.key).map_err(|error| {
            Failure::fault("a session could not be forgotten", error.to_string(), "steadfast doctor")
        })?;
        removed += 1;
    }
    if ctx.out.json {
        ctx.out.value(&json!({ "removed": removed }));
    } else {
        ctx.out.line(&if removed == 1 { "forgot 1 session".to_owned() } else { format!("forgot {removed} sessions") });
    }
    Ok(())
}
