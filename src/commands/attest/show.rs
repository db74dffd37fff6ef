//! `attest --show`: what is approved.

use crate::commands::ctx::Ctx;
use crate::core::contract::Contract;
use crate::error::Result;
use crate::output::Style;
use crate::store::{By, Place};

pub(super) fn run(ctx: &Ctx, place: &Place) -> Result<()> {
    let desk = Ctx::look(place)?;
    let snapshot = ctx.snapshot(&desk);
    let (Some(head), Some(contract)) = (&snapshot.head, &snapshot.contract) else {
        Ctx::approved(&snapshot)?;
        return Ok(());
    };
    if ctx.out.json {
        let by = head.log.last().map_or(By::Agent, |a| a.by);
        ctx.out.value(&serde_json::json!({
            "plan": place.id, "version": head.version, "digest": head.digest, "mode": head.mode.word(), "by": by.word(),
            "at": head.log.last().map(|a| a.at.as_str()), "contract": contract,
        }));
        return Ok(());
    }
    let by = head.log.last().map(|a| format!(", by {} at {}", a.by.word(), a.at)).unwrap_or_default();
    ctx.out.line(&format!("version {} of {}, {}{by}", head.version, place.id, head.mode.word()));
    ctx.out.line(&format!("sha256 {}", head.digest));
    ctx.out.line(&format!("goal: {}", ctx.out.paint(Style::Plain, &contract.goal)));
    list(ctx, contract);
    Ok(())
}

fn list(ctx: &Ctx, contract: &Contract) {
    for (index, phase) in contract.phases.iter().enumerate() {
        let id = ctx.out.paint(Style::Dim, &format!("({})", phase.id));
        ctx.out.line(&format!("{}. {} {id}", index + 1, ctx.out.paint(Style::Bold, &phase.title)));
        for step in &phase.steps {
            ctx.out.line(&format!("   - {}", ctx.out.paint(Style::Plain, step)));
        }
        if !phase.depends_on.is_empty() {
            ctx.out.plain(&format!("   depends on: {}", phase.depends_on.join(", ")));
        }
        for command in &phase.checks {
            ctx.out.line(&format!("   check: {}", ctx.out.paint(Style::Cyan, command)));
        }
        let lists = [
            ("artifact", &phase.artifacts),
            ("receipt", &phase.receipts),
            ("approval", &phase.approvals),
            ("waits for", &phase.waits_for),
            ("tool", &phase.tools),
        ];
        for (word, texts) in lists {
            for text in texts {
                ctx.out.plain(&format!("   {word}: {text}"));
            }
        }
        if let Some(every) = &phase.every {
            ctx.out.plain(&format!("   every: {every}"));
        }
    }
}
