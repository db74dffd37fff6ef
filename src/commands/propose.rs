//! `propose`: keep a change for the person who decides, while what is approved goes on.

use std::path::Path;

use serde_json::json;

use crate::commands::args::Propose;
use crate::commands::attest;
use crate::commands::ctx::Ctx;
use crate::core::candidate::Candidate;
use crate::core::change::Change;
use crate::core::contract::digest;
use crate::core::proposal;
use crate::error::{Failure, Result};
use crate::output::quote;
use crate::store::disk::{self, Read};
use crate::store::{Attestation, Desk, Place, Snapshot, layout, proposals};

pub(super) fn run(ctx: &Ctx, args: &Propose) -> Result<()> {
    let why = proposal::reason(&args.why);
    if why.is_empty() {
        return Err(Failure::usage(
            "a reason is needed",
            "it is what a person reads before the change",
            "steadfast status  # then the same verb with --why \"...\"",
        ));
    }
    let place = ctx.place()?;
    // Whoever writes to standard input may take its time: hooks need the lock meanwhile.
    let given = args.file.as_deref().map(|file| read(ctx, file)).transpose()?;
    let mut desk = ctx.desk(&place)?;
    let snapshot = ctx.snapshot(&desk);
    Ctx::approved(&snapshot)?;
    if given.is_none() && snapshot.attestation == Attestation::Approved {
        return Err(Failure::no(
            "there is nothing to propose",
            format!("{} asks for what is approved; change it, or name the FILE of a whole plan", place.file()),
            "steadfast status",
        ));
    }
    let file = args.file.as_ref().map_or_else(|| place.file(), |f| f.display().to_string());
    let bytes = given.as_deref().unwrap_or(&snapshot.bytes);
    let asked = judge(&snapshot, bytes, &file, args.file.is_some(), &place)?;
    let waiting = proposals::open(&desk, &snapshot);
    let same = |p: &&proposals::Proposal| p.asked.as_ref().is_ok_and(|other| other.contract == asked.contract);
    if let Some(same) = waiting.iter().find(same) {
        if desk.run.proposed < same.n {
            // Whoever kept it was killed before it was recorded.
            record(ctx, &mut desk, same.n, &same.why, &asked)?;
        }
        return say(
            ctx,
            &desk,
            same.n,
            &format!("proposal {} asks for the same already; the approved plan goes on", same.n),
        );
    }
    if waiting.len() >= proposals::MAX_OPEN {
        return Err(Failure::no(
            "nothing was kept",
            format!("{} proposals wait already, and a person reads each", waiting.len()),
            "steadfast status",
        ));
    }
    let n = proposals::keep(&desk, &why, &asked.bytes).map_err(|error| {
        Failure::fault(
            "the proposal could not be kept",
            format!("{}: {error}", desk.path().join(layout::PROPOSALS).display()),
            "steadfast doctor",
        )
    })?;
    record(ctx, &mut desk, n, &why, &asked)?;
    let back = if given.is_none() {
        format!("; {} stays as it is, and `steadfast restore` writes back what is approved", place.file())
    } else {
        String::new()
    };
    say(ctx, &desk, n, &format!("kept as proposal {n} for the user; the approved plan goes on{back}"))
}

/// Records a proposal that was kept.
fn record(ctx: &Ctx, desk: &mut Desk, n: u32, why: &str, asked: &Candidate) -> Result<()> {
    desk.run.proposed = n;
    let mut record = ctx.record("proposal", "", &format!("proposal {n}: {why}"));
    record.data = json!({ "n": n, "sha256": digest(&asked.contract.to_bytes()) });
    ctx.commit(desk, vec![record])
}

fn say(ctx: &Ctx, desk: &Desk, n: u32, text: &str) -> Result<()> {
    ctx.say_with(desk, text, &[("proposal", n.into())]);
    Ok(())
}

/// A whole plan from a file, or from standard input.
fn read(ctx: &Ctx, file: &Path) -> Result<Vec<u8>> {
    let read = if file == Path::new("-") {
        match ctx.world.input(layout::MAX_PLAN + 1) {
            Ok(bytes) if bytes.len() as u64 > layout::MAX_PLAN => Read::TooLarge(bytes.len() as u64),
            Ok(bytes) => Read::Bytes(bytes),
            Err(error) => Read::Failed(error),
        }
    } else {
        let file = if file.is_absolute() { file.to_path_buf() } else { Path::new(".").join(file) };
        disk::read(&file, layout::MAX_PLAN)
    };
    let read = read.as_text();
    let why = read.trouble().unwrap_or_else(|| "no such file".to_owned());
    read.bytes().ok_or_else(|| {
        Failure::no(
            format!("`{}` cannot be read", file.display()),
            why,
            "steadfast status  # then another FILE, in UTF-8 and of at most 1 MiB",
        )
    })
}

/// What is proposed, as it would be approved. Only what an agent may not approve by itself is kept.
fn judge(snapshot: &Snapshot, bytes: &[u8], file: &str, given: bool, place: &Place) -> Result<Candidate> {
    let asked = snapshot.weigh(bytes).map_err(|problems| {
        let mended = if given { format!(" {}", quote(file)) } else { String::new() };
        Failure {
            what: format!("{file} cannot be proposed yet"),
            fix: format!("steadfast status  # then steadfast propose{mended} again, when these places are mended"),
            ..attest::problems_of(file, &problems)
        }
    })?;
    match asked.change {
        Some(Change::Weakens) if asked.bytes.len() as u64 <= layout::MAX_PLAN => Ok(asked),
        Some(Change::Weakens) => Err(Failure::no(
            format!("{file} cannot be proposed"),
            "with its ids it has more than 1 MiB",
            "steadfast status",
        )),
        Some(Change::Extends) => Err(Failure::no(
            "nothing was kept",
            "it only adds to what is approved, so nobody has to be asked",
            if given {
                format!("steadfast attest  # when it stands in {}", place.file())
            } else {
                "steadfast attest".to_owned()
            },
        )),
        Some(Change::Same) | None => Err(Failure::no(
            "there is nothing to propose",
            format!("{file} asks for what is approved"),
            "steadfast status",
        )),
    }
}
