//! `log --verify`: whether the ledgers are whole.

use serde_json::{Value, json};

use crate::commands::ctx::Ctx;
use crate::core::verify::{self, Cause, Finding, Verified};
use crate::error::{Failure, Result};
use crate::output::Style;
use crate::store::ledger_file::WHOLE;
use crate::store::{disk, layout};

/// How many findings of one ledger are shown.
const SHOWN: usize = 10;

pub(super) fn run(ctx: &Ctx) -> Result<()> {
    let place = ctx.place()?;
    let desk = Ctx::look(&place)?;
    let ledgers = desk.ledgers(WHOLE);
    let read: Vec<verify::Ledger<'_>> = ledgers
        .iter()
        .map(|(agent, bytes)| {
            let size = disk::kind(&desk.path().join(layout::ledger(agent))).map_or(0, |kind| kind.size);
            // One that grew since it was read is no shorter than what was read.
            let left_out = if size > WHOLE { size.saturating_sub(bytes.len() as u64) } else { 0 };
            verify::Ledger { agent, bytes, left_out }
        })
        .collect();
    let all = verify::verify(&read, &desk.run.ledgers);
    let first = all.iter().find_map(|ledger| Some((ledger, ledger.first(Cause::Damage)?)));
    if ctx.out.json {
        ctx.out.value(&json!({
            "whole": first.is_none(),
            "first_bad": first.map(|(ledger, finding)| with_agent(ledger, finding)),
            "ledgers": all.iter().map(value).collect::<Vec<_>>(),
        }));
    } else {
        for ledger in &all {
            print(ctx, ledger);
        }
    }
    let Some((ledger, finding)) = first else { return Ok(()) };
    if ctx.out.json {
        return Err(Failure::no("", "", ""));
    }
    let path = desk.path().join(layout::ledger(&ledger.agent));
    Err(Failure::no(
        "the history is not what was written",
        format!("first in {}: {}", layout::ledger(&ledger.agent), words(finding)),
        format!(
            "less +{}g {}  # no verb decides by this line",
            finding.line,
            crate::output::quote(&path.display().to_string())
        ),
    ))
}

fn words(finding: &Finding) -> String {
    let place = if finding.line == 0 { String::new() } else { format!("line {}: ", finding.line) };
    format!("{place}{} ({})", finding.what, finding.cause.word())
}

fn print(ctx: &Ctx, ledger: &Verified) {
    let records = if ledger.records == 1 { "1 record".to_owned() } else { format!("{} records", ledger.records) };
    let whole = if ledger.findings.is_empty() { ", whole" } else { "" };
    ctx.out.line(&format!("{}: {records}{whole}", ctx.out.paint(Style::Bold, &ledger.agent)));
    for finding in ledger.findings.iter().take(SHOWN) {
        ctx.out.line(&format!("  {}", ctx.out.paint(Style::Plain, &words(finding))));
    }
    let more = ledger.findings.len().saturating_sub(SHOWN) + ledger.more;
    if more > 0 {
        ctx.out.line(&format!("  and {more} more"));
    }
}

fn value(ledger: &Verified) -> Value {
    let finding = |f: &Finding| json!({ "line": f.line, "cause": f.cause.word(), "what": f.what });
    json!({
        "agent": ledger.agent, "records": ledger.records,
        "findings": ledger.findings.iter().map(finding).collect::<Vec<_>>(), "more": ledger.more,
    })
}

fn with_agent(ledger: &Verified, finding: &Finding) -> Value {
    json!({ "agent": ledger.agent, "line": finding.line, "cause": finding.cause.word(), "what": finding.what })
}
