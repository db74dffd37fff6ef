//! What verbs of this session asked for because their shell cannot write the state directory. Hooks can; so the hook does
//! it, by the rules that hold for the agent's verb. The file lies in the project, so nothing in it is believed.

use crate::core::change::Change;
use crate::core::contract::digest;
use crate::core::event::{Event, Kind, Reply};
use crate::core::ledger::rfc3339;
use crate::core::next;
use crate::core::request::{Request, What};
use crate::core::text::flatten;
use crate::hook::{Call, scene, unattached};
use crate::store::approval::{self, Grant, Shown, Trouble};
use crate::store::desk::{Found as RunFound, Trouble as DeskTrouble};
use crate::store::locate::Found;
use crate::store::state_dir::Depth;
use crate::store::{Attestation, By, Desk, Head, HeadRead, Place, Session, Snapshot, attach, head, request, state_dir};

/// What was answered.
#[derive(Debug, Default)]
pub(super) struct Answered {
    /// For the agent, a line each.
    told: Vec<String>,
    /// One of them was refused, which the user hears too.
    refused: Option<String>,
    /// Why one of them could not be answered, for the user where they look: it is tried again at every event.
    later: Option<String>,
}

impl Answered {
    /// Puts it into the reply of the event that came with it.
    pub(super) fn tell(self, event: &Event, reply: &mut Reply) {
        if !self.told.is_empty() && !matches!(event.kind, Kind::Stop(_)) {
            let before = reply.context.take().map(|text| format!("\n{text}")).unwrap_or_default();
            reply.context = Some(format!("{}{before}", self.told.join("\n")));
        }
        let later = self.later.filter(|_| matches!(event.kind, Kind::Prompt(_) | Kind::Stop(_)));
        if reply.notice.is_none() {
            reply.notice = self.refused.or(later);
        }
    }
}

/// The project whose requests an event may bring: that of the bound plan, else, cheaply, where the session works.
pub(super) fn root(call: &Call<'_>, session: Option<&Session>, key: &str) -> Option<std::path::PathBuf> {
    if let Some(session) = session {
        return Some(session.root.clone()).filter(|root| request::waits(root, key));
    }
    let event = call.event;
    if !matches!(event.kind, Kind::PostTool(_) | Kind::Prompt(_) | Kind::Stop(_)) {
        return None;
    }
    if let Some(near) = event.places().find(|dir| request::waits(dir, key)) {
        return crate::store::disk::canonical(near).ok();
    }
    match &event.kind {
        Kind::PostTool(tool) if tool.command.as_deref().is_some_and(|c| c.contains("steadfast")) => {
            let root = match unattached::locate(call) {
                Found::Plan(place) => place.root,
                Found::Several(root, _) => root,
                Found::None | Found::BrokenPin(_) => return None,
            };
            Some(root).filter(|root| request::waits(root, key))
        }
        _ => None,
    }
}

/// Carries out what can be, and takes all of it away. A plan that is locked, and a disk that fails, leave everything to the next
/// hook.
pub(super) fn answer(call: &Call<'_>, root: &std::path::Path, key: &str) -> Answered {
    let mut answered = Answered::default();
    let Some(taken) = request::take(root, key) else { return answered };
    for request in &taken.requests {
        let place = Place { root: root.to_path_buf(), id: request.plan.clone() };
        match one(call, &place, request, key) {
            Ok(told) => answered.told.extend(told),
            Err(No::Busy) => return answered,
            Err(No::Later(why)) => {
                answered.later = Some(format!(
                    "steadfast: what `steadfast {}` asked for {} waits for another hook: {why}. See: steadfast doctor",
                    verb(request),
                    request.plan
                ));
                return answered;
            }
            Err(No::Refused(why)) => {
                let verb = verb(request);
                let text = format!("steadfast: what `steadfast {verb}` asked for {} was refused: {why}", request.plan);
                answered.refused.get_or_insert_with(|| text.clone());
                answered.told.push(text);
            }
        }
    }
    taken.settle();
    answered
}

fn verb(request: &Request) -> &'static str {
    match request.what {
        What::Attach => "attach",
        What::Init => "init",
        What::Attest => "attest",
    }
}

enum No {
    /// Another process has the lock.
    Busy,
    /// The system failed: it is asked for again.
    Later(String),
    /// The rules say no.
    Refused(String),
}

impl From<&str> for No {
    fn from(why: &str) -> Self {
        Self::Refused(why.to_owned())
    }
}

fn one(call: &Call<'_>, place: &Place, request: &Request, key: &str) -> Result<Option<String>, No> {
    if state_dir::outside(&call.state, &place.root, call.world.home().as_deref(), Depth::Repository).is_err() {
        return Err("the state directory lies where the project could write it".into());
    }
    if let Some(from) = attach::held_by(&call.state, key, Some(place)) {
        return Err(No::Refused(format!("this session is held by {}, whose work is open", from.id)));
    }
    match request.what {
        What::Init => init(call, place, request).map(|()| None),
        What::Attach => bind(call, place, key),
        What::Attest => {
            let told = bind(call, place, key)?;
            let approved = attest(call, place, &request.digest)?;
            Ok(Some([told, Some(approved)].into_iter().flatten().collect::<Vec<_>>().join("\n")))
        }
    }
}

/// Opens a plan, locked. A run state that is lost is left to the next verb, which can rebuild it.
fn desk(place: &Place) -> Result<Desk, No> {
    match Desk::attaching(place) {
        Ok(desk) if desk.found == RunFound::Whole => Ok(desk),
        Ok(_) => Err("its run state is gone or damaged; a verb rebuilds it".into()),
        Err(DeskTrouble::Busy) => Err(No::Busy),
        Err(DeskTrouble::Failed(error)) => Err(No::Later(error.to_string())),
        Err(trouble) => Err(No::Refused(trouble.to_string())),
    }
}

/// Keeps a draft for a plan that this session made. One that says it was approved elsewhere was not made here.
fn init(call: &Call<'_>, place: &Place, request: &Request) -> Result<(), No> {
    let desk = desk(place)?;
    match head::read(&call.state, &desk.path()) {
        HeadRead::None => {}
        HeadRead::Head(..) => return Ok(()),
        HeadRead::Damaged(_) => return Err("the approval of this plan cannot be used".into()),
    }
    if Snapshot::take(Some(&call.state), &desk).attestation == Attestation::Unapproved {
        return Err("it was approved somewhere else, so a person has to approve it: steadfast attest".into());
    }
    let goal: String = flatten(&request.goal).chars().take(300).collect();
    let head = Head::draft(place, &Request { goal, ..request.clone() });
    written(approval::publish(&call.state, &desk, &head))
}

fn written(result: Result<(), Trouble>) -> Result<(), No> {
    match result {
        Ok(()) | Err(Trouble::NoMirror(_)) => Ok(()),
        Err(Trouble::NotApproved(error)) => Err(No::Later(format!("the state directory cannot be written ({error})"))),
    }
}

fn bind(call: &Call<'_>, place: &Place, key: &str) -> Result<Option<String>, No> {
    let desk = desk(place)?;
    let known = crate::store::session::read(&call.state, key).is_some_and(|s| s.place() == *place && !s.ended);
    if known && desk.run.owner == key {
        return Ok(None);
    }
    if unattached::bind(call, desk, "a verb").is_none() {
        return Err(No::Later("the attachment cannot be written".to_owned()));
    }
    Ok(Some(format!("steadfast: this session is attached to {}.", place.id)))
}

/// Approves what the file asks for now, if that is what the verb saw and an agent may approve it.
fn attest(call: &Call<'_>, place: &Place, asked_for: &str) -> Result<String, No> {
    let mut desk = desk(place)?;
    let before = Snapshot::take(Some(&call.state), &desk);
    let Some(mut head) = before.head.clone() else {
        return Err("this plan was not made here, so a person has to approve it first: steadfast attest".into());
    };
    let asked = before
        .weigh(&before.bytes)
        .map_err(|_| "the plan changed since, and cannot be approved as it is: steadfast attest")?;
    if digest(&asked.contract.to_bytes()) != asked_for {
        return Err("the plan changed since: steadfast attest".into());
    }
    match asked.change {
        None if !head.made_here => return Err("a person has to approve it first: steadfast attest".into()),
        Some(Change::Weakens) => {
            return Err("it takes something away or rewords it, so a person has to approve it".into());
        }
        // It may be that a hook was killed before the run knew.
        Some(Change::Same) => {}
        None | Some(Change::Extends) => {
            let grant = Grant { by: By::Agent, shown: Shown::Nothing, at: rfc3339(call.now()) };
            written(approval::grant(&call.state, &desk, &mut head, &asked.contract, grant))?;
        }
    }
    let approved = Snapshot::take(Some(&call.state), &desk);
    let Some((summary, data)) = approval::take_over(&mut desk, &approved, false) else {
        return Ok(format!("steadfast: approved already as version {}.", head.version));
    };
    let mut record = scene::record(call, "attest", &summary);
    record.data = data;
    let mut records = vec![record];
    // A file that cannot be written just now is opened by the next event.
    if let Ok(Some(id)) = desk.open_next(&approved) {
        let mut start = scene::record(call, "phase_start", "opened by the approval");
        start.phase = id;
        records.push(start);
    }
    let kept = desk.append(call.host.id, &mut records).and_then(|()| desk.save());
    let next = next::next(&Snapshot::take(Some(&call.state), &desk).view);
    let unkept = if kept.is_ok() { "" } else { " It could not be recorded." };
    let command = if next.command.is_empty() { String::new() } else { format!(" ({})", next.command) };
    Ok(format!(
        "steadfast: approved as version {} of {}.{unkept} Next: {}{command}",
        head.version,
        place.id,
        flatten(&next.why)
    ))
}
