//! The approve dialogue of a chat: what could be approved is shown with a code each, and exactly what was shown is approved.

use crate::core::candidate::{self, Candidate};
use crate::core::change::{self, Change};
use crate::core::contract::{Contract, digest_start};
use crate::core::ledger::rfc3339;
use crate::core::plan::Status;
use crate::core::text::flatten;
use crate::hook::progress;
use crate::hook::scene::Scene;
use crate::store::approval::{self, Grant, Shown};
use crate::store::pending::{self, MAX_OFFERED, Offer, Pending};
use crate::store::proposals::{self, Answer, Proposal};
use crate::store::{Attestation, By, Session, Snapshot, layout};

/// The most lines of differences, and of commands, that fit a chat: of all offers together.
const LINES: usize = 60;
/// The least that is shown of each offer.
const LEAST: usize = 3;

/// Something that could be approved, and who asks for it.
struct Choice {
    candidate: Candidate,
    own: bool,
    proposals: Vec<(u32, String)>,
}

pub(super) fn show(scene: &mut Scene<'_, '_>) -> String {
    let snapshot = scene.snapshot();
    if snapshot.head.is_none() {
        return "steadfast: this plan was not made here. Approve it in a terminal: steadfast attest".to_owned();
    }
    let waiting = proposals::open(&scene.desk, &snapshot);
    scene.desk.run.looked = scene.desk.run.proposed;
    let version = snapshot.head.as_ref().map_or(0, |h| h.version);
    let shown = waiting.iter().filter(|p| !p.digest.is_empty()).map(|p| (p.n, p.digest.clone())).collect();
    let mut pending =
        Pending { session: key(scene), version, proposals: shown, nonce: nonce(scene), ..Pending::default() };
    let (choices, mut asides) = choices(&snapshot, waiting);
    let each = (LINES / choices.len().max(1)).max(LEAST);
    let mut parts = Vec::new();
    let mut size = 0;
    for choice in choices {
        let contract = String::from_utf8(choice.candidate.contract.to_bytes()).unwrap_or_default();
        size += contract.len();
        if size > MAX_OFFERED {
            asides.push(format!("{} is too large for the chat; in a terminal: steadfast attest", name(&choice)));
            break;
        }
        let (text, commands) = describe(&snapshot, &choice, each);
        let numbers = choice.proposals.iter().map(|(n, _)| *n).collect();
        let offer = Offer { contract, own: choice.own, proposals: numbers, commands };
        parts.push(format!("{text}\nTo approve exactly this: approve plan {}", pending.code(&offer.contract)));
        pending.offers.push(offer);
    }
    parts.extend(asides.into_iter().map(|aside| format!("steadfast: {aside}")));
    if parts.is_empty() {
        return "steadfast: nothing to approve: the plan asks for what is approved.".to_owned();
    }
    if let Err(error) = pending::save(&scene.call.state, &scene.desk.path(), &pending) {
        return format!("steadfast: nothing can be approved: the state directory cannot be written ({error}).");
    }
    if !(pending.offers.is_empty() && pending.proposals.is_empty()) {
        let all = if parts.len() > 1 { "all of it" } else { "it" };
        parts.push(format!("To leave {all}: reject plan"));
    }
    parts.join("\n")
}

/// What could be approved, the plan file first; what asks for the same is one choice. And a line for whatever cannot be.
fn choices(snapshot: &Snapshot, waiting: Vec<Proposal>) -> (Vec<Choice>, Vec<String>) {
    let mut choices: Vec<Choice> = Vec::new();
    let mut asides = Vec::new();
    if snapshot.attestation != Attestation::Approved {
        match snapshot.weigh(&snapshot.bytes) {
            Ok(candidate) if candidate.change != Some(Change::Same) => {
                choices.push(Choice { candidate, own: true, proposals: Vec::new() });
            }
            Ok(_) => {}
            Err(problems) => asides.push(format!(
                "task_plan.md cannot be approved yet:\n  {}",
                candidate::lines(&problems, 8).join("\n  ")
            )),
        }
    }
    for proposal in waiting {
        let n = proposal.n;
        match proposal.asked {
            Err(why) => asides.push(format!("proposal {n} cannot be approved: {}", flatten(&why))),
            Ok(asked) if asked.change == Some(Change::Same) => {
                asides.push(format!("proposal {n} asks for what is approved already"));
            }
            Ok(candidate) => {
                let by = (n, proposal.why);
                match choices.iter_mut().find(|c| c.candidate.contract == candidate.contract) {
                    Some(same) => same.proposals.push(by),
                    None => choices.push(Choice { candidate, own: false, proposals: vec![by] }),
                }
            }
        }
    }
    (choices, asides)
}

fn name(choice: &Choice) -> String {
    let numbers: Vec<String> = choice.proposals.iter().map(|(n, _)| format!("proposal {n}")).collect();
    if choice.own { "task_plan.md".to_owned() } else { numbers.join(", ") }
}

/// The text of a choice, and whether every command of it is in there.
fn describe(snapshot: &Snapshot, choice: &Choice, most: usize) -> (String, bool) {
    let mut lines = vec![match choice.proposals.first() {
        None => "steadfast: what would change:".to_owned(),
        Some(_) => format!("steadfast: what would change by {}:", name(choice)),
    }];
    for (n, why) in &choice.proposals {
        let why = if why.is_empty() { "no reason was given".to_owned() } else { format!("why: {why}") };
        lines.push(format!("  proposal {n}, {}", untrusted(&why)));
    }
    let differences = choice.candidate.differences(snapshot.contract.as_ref());
    lines.extend(differences.iter().take(most).map(|d| format!("  {}", untrusted(&d.to_string()))));
    if differences.len() > most {
        let all = match choice.proposals.first() {
            Some((n, _)) if !choice.own => format!("steadfast attest --proposal {n}"),
            _ => "steadfast attest --diff".to_owned(),
        };
        lines.push(format!("  and {} more; see all of them: {all}", differences.len() - most));
    }
    lines.extend(choice.candidate.commands().take(most).map(|c| format!("  runs: {}", untrusted(&c))));
    let hidden = choice.candidate.commands().count().saturating_sub(most);
    if hidden > 0 {
        lines.push(format!(
            "  and {hidden} commands more: what is approved here leaves its commands to the agent's session"
        ));
    }
    (lines.join("\n"), hidden == 0)
}

/// Text of a plan or a reason, in one line. What a person types stands in our own words only, or a proposal could recommend it.
pub(super) fn untrusted(text: &str) -> String {
    let mut flat = flatten(text);
    for word in ["approve plan", "reject plan", "pause plan", "resume plan", "release plan", "approve phase"] {
        while let Some(at) = flat.to_ascii_lowercase().find(word) {
            flat.replace_range(at..at + word.len(), &word.replace(' ', "-"));
        }
    }
    flat
}

/// What makes the codes of a dialogue its own.
pub(super) fn nonce(scene: &Scene<'_, '_>) -> String {
    digest_start(format!("{} {}", scene.call.world.nanos(), scene.call.payload).as_bytes(), 32)
}

pub(super) fn key(scene: &Scene<'_, '_>) -> String {
    Session::key(scene.call.host.id, &scene.call.event.session)
}

pub(super) fn approve(scene: &mut Scene<'_, '_>, code: &str) -> String {
    let state = scene.call.state.clone();
    let path = scene.desk.path();
    let Some(pending) = pending::read(&state, &path, &key(scene)) else {
        return "steadfast: nothing was shown to be approved. Type: approve plan".to_owned();
    };
    let Some(offer) = pending.offered(code) else {
        return "steadfast: nothing was approved: that is not the code that was shown. Type: approve plan".to_owned();
    };
    let snapshot = scene.snapshot();
    let (Some(mut head), Some(contract)) = (snapshot.head.clone(), offer.parsed()) else {
        return "steadfast: nothing was approved: the approval of this plan cannot be used. See: steadfast doctor"
            .to_owned();
    };
    if head.version != pending.version {
        return "steadfast: nothing was approved: another version was approved since. Type: approve plan".to_owned();
    }
    // The text that comes with a proposal is that of its file, so that has to be what it was.
    let adopted = if offer.own { None } else { same_as_shown(scene, &snapshot, &pending, offer, &contract) };
    if !offer.own && adopted.is_none() {
        return "steadfast: nothing was approved: the proposal was changed or taken away since it was shown. Type: approve plan"
            .to_owned();
    }
    let finished = |id: &str| snapshot.view.phases.iter().any(|p| p.id == id && p.status == Status::Complete);
    let weakened =
        snapshot.contract.as_ref().is_some_and(|old| change::change(old, &contract, &finished) == Change::Weakens);
    let shown = if offer.commands { Shown::Commands } else { Shown::Nothing };
    let grant = Grant { by: By::Person, shown, at: rfc3339(scene.call.now()) };
    let mut said = Vec::new();
    match approval::grant(&state, &scene.desk, &mut head, &contract, grant) {
        Ok(()) => {}
        Err(approval::Trouble::NotApproved(error)) => {
            return format!("steadfast: nothing was approved: the state directory cannot be written ({error}).");
        }
        Err(approval::Trouble::NoMirror(_)) => {
            said.push(" Its mirrors beside the plan could not be written.".to_owned());
        }
    }
    // Forgetting fails only where the next `approve plan` writes it anew.
    let _ = pending::clear(&state, &path);
    if let Some(candidate) = &adopted {
        said.push(match proposals::put_in_place(&scene.desk, &snapshot, candidate) {
            Ok(true) if snapshot.bytes.is_empty() => String::new(),
            Ok(true) => format!(" What stood in task_plan.md is in {}.", layout::BEFORE_PROPOSAL),
            Ok(false) => " task_plan.md was changed meanwhile and was left as it is.".to_owned(),
            Err(error) => format!(" task_plan.md could not be written ({error})."),
        });
    } else if let Ok(bytes) = candidate::with_ids(&snapshot.bytes)
        && bytes != snapshot.bytes
    {
        // Without its ids the file asks for something else, which the user is then told.
        let _ = scene.desk.replace_plan(&snapshot.bytes, &bytes);
    }
    let approved = scene.snapshot();
    progress::adopt(scene, &approved, weakened, "");
    if weakened {
        // Measured against the larger plan, nothing done for the smaller one would count.
        scene.session.mark_at_hold = None;
    }
    progress::open_next(scene, &approved);
    format!("steadfast: approved as version {}.{} The agent reads it at its next turn.", head.version, said.concat())
}

/// The plan of a proposal whose file still has the bytes that were shown, and which asks for what was.
fn same_as_shown(
    scene: &Scene<'_, '_>,
    snapshot: &Snapshot,
    pending: &Pending,
    offer: &Offer,
    contract: &Contract,
) -> Option<Candidate> {
    offer.proposals.iter().find_map(|n| {
        let proposal = proposals::find(&scene.desk, snapshot, *n)?;
        let same = pending.digest(*n) == Some(&proposal.digest);
        proposal.asked.ok().filter(|asked| same && asked.contract == *contract)
    })
}

pub(super) fn reject(scene: &mut Scene<'_, '_>) -> String {
    let pending = pending::read(&scene.call.state, &scene.desk.path(), &key(scene));
    if let Err(error) = pending::clear(&scene.call.state, &scene.desk.path()) {
        return format!("steadfast: what was shown cannot be forgotten ({error}).");
    }
    let Some(pending) = pending else { return "steadfast: nothing was shown to be approved.".to_owned() };
    let mut left = Vec::new();
    for (n, digest) in &pending.proposals {
        match proposals::settle(&scene.desk, *n, digest, Answer::Rejected) {
            Ok(true) => scene.record("note", "", &format!("a person rejected proposal {n}")),
            Ok(false) => left.push(format!(" Proposal {n} was changed since it was shown, and is shown again.")),
            Err(error) => left.push(format!(" Proposal {n} cannot be put away ({error}).")),
        }
    }
    if pending.offers.iter().any(|o| o.own) {
        scene.record("note", "", "a person rejected the changed plan");
    }
    format!("steadfast: rejected. What was approved before goes on.{}", left.concat())
}
