//! `attest --log`: who approved what when, and what each version changed.

use serde_json::{Value, json};

use crate::commands::attest::diff;
use crate::commands::ctx::Ctx;
use crate::core::contract::{Contract, digest};
use crate::core::differences;
use crate::core::text::first_chars;
use crate::error::Result;
use crate::output::Style;
use crate::store::head::Approval;
use crate::store::{Desk, Head, Place, layout};

pub(super) fn run(ctx: &Ctx, place: &Place) -> Result<()> {
    let desk = Ctx::look(place)?;
    let snapshot = ctx.snapshot(&desk);
    let Some(head) = snapshot.head.as_ref().filter(|head| !head.log.is_empty()) else {
        return Ctx::approved(&snapshot);
    };
    let mut values = Vec::new();
    let mut before = Before::Nothing;
    for entry in &head.log {
        if entry.revoked {
            values.push(value(entry, None, None));
            print(ctx, entry);
            continue;
        }
        let text = text(head, &desk, entry);
        let compared = text.as_ref().and_then(|new| Some((before.contract(new)?, new)));
        let differences = compared.as_ref().map(|(old, new)| differences::values(old, new));
        values.push(value(entry, text.as_ref(), differences.as_deref()));
        print(ctx, entry);
        if !ctx.out.json {
            match (&text, &compared) {
                (None, _) => ctx.out.line("  its text is not kept"),
                (Some(_), None) => ctx.out.line("  the text of the version before is not kept"),
                (Some(new), Some(_)) if before == Before::Nothing => {
                    ctx.out.line(&format!("  the first, with {} phases", new.phases.len()));
                }
                (Some(_), Some((old, new))) if old == *new => ctx.out.line("  the same text"),
                (Some(_), Some((old, new))) => diff::list(ctx, &differences::differences(old, new), "  "),
            }
        }
        before = text.map_or(Before::Lost, |text| Before::Kept(Box::new(text)));
    }
    if ctx.out.json {
        ctx.out.value(&json!({ "plan": place.id, "version": head.version, "revoked": head.revoked(), "log": values }));
    }
    Ok(())
}

/// The version before the one that is looked at.
#[derive(PartialEq)]
enum Before {
    /// There was none.
    Nothing,
    /// Its text is not kept.
    Lost,
    Kept(Box<Contract>),
}

impl Before {
    /// What `new` is compared with.
    fn contract(&self, new: &Contract) -> Option<Contract> {
        match self {
            Self::Nothing => Some(Contract { v: new.v, mode: new.mode, gate: new.gate, ..Contract::default() }),
            Self::Lost => None,
            Self::Kept(contract) => Some((**contract).clone()),
        }
    }
}

/// The contract of a version: from the head, else from its mirror beside the plan, which anybody can write and which counts
/// only where its digest is the one in the head's log.
fn text(head: &Head, desk: &Desk, entry: &Approval) -> Option<Contract> {
    let own = head.contract.as_ref().filter(|_| head.digest == entry.digest).cloned();
    let text = own.or_else(|| {
        let bytes = desk.file(&layout::contract(entry.version), layout::MAX_HEAD).bytes()?;
        String::from_utf8(bytes).ok().filter(|text| digest(text.as_bytes()) == entry.digest)
    })?;
    Contract::read(&text).ok()
}

fn value(entry: &Approval, text: Option<&Contract>, differences: Option<&[Value]>) -> Value {
    json!({
        "version": entry.version, "event": if entry.revoked { "revoked" } else { "approved" }, "by": entry.by.word(),
        "at": entry.at, "digest": entry.digest, "kept": text.is_some(), "differences": differences,
    })
}

fn print(ctx: &Ctx, entry: &Approval) {
    if ctx.out.json {
        return;
    }
    let (what, style) = if entry.revoked { ("revoked", Style::Red) } else { ("approved", Style::Green) };
    ctx.out.line(&format!(
        "version {} {} by {}, {}, {}",
        entry.version,
        ctx.out.paint(style, what),
        entry.by.word(),
        ctx.out.paint(Style::Plain, &entry.at),
        ctx.out.paint(Style::Dim, first_chars(&entry.digest, 8)),
    ));
}
