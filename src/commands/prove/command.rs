//! Running one command of a check, and what of its output is shown and kept.

use std::time::Duration;

use crate::commands::ctx::Ctx;
use crate::commands::progress::Progress;
use crate::error::{Failure, Result};
use crate::output::clean;
use crate::store::{Place, disk, layout};
use crate::world::run::{End, shell};

/// In the environment of a check: the plan it belongs to.
pub(super) const CHECKING: &str = "STEADFAST_CHECKING";
/// Lines of a failed command that are shown off a terminal.
const SHOWN: usize = 15;
/// Lines of output that are kept.
const KEPT: usize = 200;

/// How a command went.
#[derive(Clone)]
pub(super) struct Ran {
    pub(super) end: End,
    pub(super) millis: u128,
    pub(super) digest: String,
    pub(super) tail: Vec<String>,
}

/// Runs a command in the project root, in a process group of its own.
pub(super) fn execute(ctx: &Ctx, place: &Place, command: &str, limit: Duration) -> Result<Ran> {
    let mut progress = Progress::new(ctx.out, command);
    let dir = place.dir().display().to_string();
    let ran = shell(command, &place.root, &[(CHECKING, &dir)], limit, &mut |part, after| progress.see(part, after));
    progress.end();
    let outcome = ran.map_err(|error| {
        Failure::fault("the check could not be started", format!("sh: {error}"), "steadfast doctor")
    })?;
    let text = clean(&String::from_utf8_lossy(&outcome.output));
    let lines: Vec<&str> = text.lines().collect();
    let tail = lines.iter().skip(lines.len().saturating_sub(KEPT)).map(|l| (*l).to_owned()).collect();
    Ok(Ran { end: outcome.end, millis: outcome.took.as_millis(), digest: outcome.digest, tail })
}

/// Why a command did not pass, off a terminal with the end of what it printed.
pub(super) fn explain(ctx: &Ctx, command: &str, outcome: &Ran) -> String {
    let how = match outcome.end {
        End::Exit(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("ended by signal {signal}"),
        End::Timeout => "it took too long and was ended".to_owned(),
        End::Interrupted => "it was interrupted".to_owned(),
    };
    let mut text = format!("`{command}`: {how}");
    if !ctx.out.terminal {
        for line in outcome.tail.iter().skip(outcome.tail.len().saturating_sub(SHOWN)) {
            text.push_str("\n       ");
            text.push_str(line);
        }
    }
    text
}

/// Keeps the last lines of output beside the plan. That they cannot be kept is no reason to refuse a proof.
pub(super) fn keep(place: &Place, id: &str, lines: &[String]) {
    let dir = place.dir().join(layout::PROOFS);
    if disk::make_private_dir(&dir).is_err() {
        return;
    }
    let Ok(fd) = disk::open_dir(&dir) else { return };
    let mut text = lines.join("\n");
    text.push('\n');
    let _ = disk::replace_at(&fd, &format!("{id}.log"), text.as_bytes(), disk::Readers::User, false);
}
