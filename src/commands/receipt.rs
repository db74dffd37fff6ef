//! `receipt`: a side effect happened, once. The same key twice is one receipt, so that nothing is done a second time.

use serde_json::json;

use crate::commands::args::Receipt;
use crate::commands::condition::receipt_tag;
use crate::commands::ctx::Ctx;
use crate::error::{Failure, Result};
use crate::store::Desk;

/// The longest reference, in characters.
const REFERENCE: usize = 500;

pub(super) fn run(ctx: &Ctx, args: &Receipt) -> Result<()> {
    let place = ctx.place()?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    Ctx::approved(&snapshot)?;
    let phases = snapshot.contract.iter().flat_map(|c| &c.phases);
    let asking: Vec<_> = phases.clone().filter(|p| p.receipts.contains(&args.key)).map(|p| p.id.clone()).collect();
    let Some(phase) = asking.first() else {
        let known: Vec<&str> = phases.flat_map(|p| &p.receipts).map(String::as_str).collect();
        return Err(Failure::no(
            format!("no phase asks for the receipt `{}`", crate::output::clean(&args.key)),
            if known.is_empty() {
                "the plan asks for none".to_owned()
            } else {
                format!("it asks for {}", known.join(", "))
            },
            "steadfast attest --show",
        ));
    };
    let tag = receipt_tag(&args.key);
    let known = known(&desk, &args.key);
    if desk.run.receipts.contains(&tag) || known.is_some() {
        if !desk.run.receipts.contains(&tag) {
            // Whoever recorded it was killed before the run knew.
            desk.run.receipts.push(tag);
            ctx.commit(&mut desk, Vec::new())?;
        }
        let told = known.map(|reference| format!(": {reference}")).unwrap_or_default();
        ctx.say(&desk, &format!("{} is recorded already{told}; do not do it again", args.key));
        return Ok(());
    }
    let reference: String = crate::output::clean(&args.reference).replace('\n', " ").chars().take(REFERENCE).collect();
    if reference.trim().is_empty() {
        return Err(Failure::usage(
            "a receipt names where the effect can be seen",
            "`--ref` is empty",
            format!("steadfast receipt {} --ref URL", crate::output::quote(&args.key)),
        ));
    }
    let mut records = Vec::from_iter(ctx.attach(&mut desk, false)?);
    desk.run.receipts.push(tag);
    let mut record = ctx.record("receipt", phase, &format!("{}: {reference}", args.key));
    record.data = json!({ "key": args.key, "ref": reference });
    records.push(record);
    ctx.commit(&mut desk, records)?;
    ctx.say(&desk, &format!("recorded {}", args.key));
    Ok(())
}

/// The reference of a receipt that was recorded before.
fn known(desk: &Desk, key: &str) -> Option<String> {
    let records = desk.history().records;
    let record = records.into_iter().find(|r| r.event == "receipt" && r.data.get("key").is_some_and(|k| k == key))?;
    Some(crate::output::clean(record.data.get("ref")?.as_str()?))
}
