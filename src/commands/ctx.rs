//! What every verb needs: where it runs, which plan it means, and which session asks.

use std::path::PathBuf;

use crate::core::ledger::{Record, rfc3339};
use crate::core::next;
use crate::core::request::{Request, What};
use crate::core::run::Proof;
use crate::error::{Failure, Result};
use crate::hosts::{self, Host};
use crate::output::Output;
use crate::store::attach::{self, Who};
use crate::store::desk::{Found as RunFound, Trouble};
use crate::store::locate::{self, Found};
use crate::store::state_dir::Depth;
use crate::store::{
    Attestation, Desk, Head, HeadRead, Place, Session, Snapshot, head, leftovers, request, session, state_dir, wakes,
};
use crate::world::World;

/// What a verb says of that which only a hook can write.
pub(super) const LATER: &str = "takes effect at the next hook of this session, when this command ends";

/// The surroundings of one verb.
pub(super) struct Ctx {
    pub(super) world: World,
    pub(super) out: Output,
    plan: Option<String>,
    /// The session whose agent runs this verb.
    pub(super) who: Option<(&'static Host, Who)>,
}

impl Ctx {
    pub(super) fn new(world: World, out: Output, plan: Option<String>) -> Self {
        let who = hosts::here(&|name| world.var(name))
            .map(|(host, session, pid)| (host, Who { host: host.id.to_owned(), session, pid }));
        Self { world, out, plan, who }
    }

    /// The state directory.
    pub(super) fn state(&self) -> Result<PathBuf> {
        state_dir::find(&|name| self.world.var(name)).map_err(|trouble| {
            Failure::fault(
                "there is no usable state directory",
                trouble.to_string(),
                "export STEADFAST_HOME=\"$HOME/.local/state/steadfast\"",
            )
        })
    }

    /// The state directory, judged against the project of a plan.
    pub(super) fn state_for(&self, place: &Place) -> Result<PathBuf> {
        let state = self.state()?;
        state_dir::outside(&state, &place.root, self.world.home().as_deref(), Depth::Repository).map_err(
            |trouble| Failure::no("nothing can be approved here", trouble.to_string(), "unset STEADFAST_HOME"),
        )?;
        Ok(state)
    }

    /// Whether a person types this: a terminal, and no variable of a host.
    pub(super) fn person(&self) -> bool {
        self.who.is_none() && self.world.can_ask() && !hosts::inside(&|name| self.world.var(name))
    }

    /// Where the search for a plan starts.
    pub(super) fn from(&self) -> locate::From {
        locate::From {
            pinned_root: self.world.var("PWF_PLAN_ROOT").map(Into::into),
            pinned_id: self.plan.clone().or_else(|| self.world.var("PLAN_ID")),
            cwd: self.world.cwd(),
            project: None,
            home: self.world.home(),
        }
    }

    /// The plan that is meant: a pin, else the one this session is attached to, else what lies here.
    pub(super) fn place(&self) -> Result<Place> {
        let from = self.from();
        let pinned = from.pinned_id.is_some() || from.pinned_root.is_some();
        if !pinned && let Some(place) = self.bound() {
            return Ok(place);
        }
        self.place_here()
    }

    /// As [`Ctx::place`], whatever this session is attached to.
    pub(super) fn place_here(&self) -> Result<Place> {
        let from = self.from();
        match locate::find(&from) {
            Found::Plan(place) => Ok(place),
            Found::None => Err(Failure::no(
                "no plan lies here",
                "neither this directory nor one above it, up to the repository root, has a plan",
                "steadfast init --gated \"what is to be done\"",
            )),
            Found::Several(root, ids) => Err(Failure::no(
                "it is not clear which plan is meant",
                format!("{} has several ({}), and none is in use", root.display(), ids.join(", ")),
                format!("steadfast use {}", ids.first().map_or("ID", String::as_str)),
            )),
            Found::BrokenPin(why) => {
                let fix = if from.pinned_root.is_some() { "unset PWF_PLAN_ROOT PLAN_ID" } else { "steadfast plans" };
                Err(Failure::no("the plan that was named is not here", why, fix))
            }
        }
    }

    fn bound(&self) -> Option<Place> {
        let (_, who) = self.who.as_ref()?;
        let state = state_dir::find(&|name| self.world.var(name)).ok()?;
        let session = session::read(&state, &who.key())?;
        Some(session.place()).filter(|p| crate::store::disk::kind(&p.dir()).is_some_and(|k| k.dir))
    }

    /// Refuses to take the session of an agent away from a gated plan whose work is open: by that it would walk out of its gate.
    pub(super) fn may_leave(&self, to: Option<&Place>) -> Result<()> {
        let Some((_, who)) = &self.who else { return Ok(()) };
        let state = state_dir::find(&|name| self.world.var(name)).ok();
        let Some(from) = state.and_then(|state| attach::held_by(&state, &who.key(), to)) else { return Ok(()) };
        Err(Failure::no(
            format!("this session is held by {}", from.id),
            "its work is open; another plan would be a way around its gate",
            "steadfast next  # or ask the user to type: steadfast pause",
        ))
    }

    /// As [`Ctx::open`], and what a crash left beside its files is removed.
    pub(super) fn desk(&self, place: &Place) -> Result<Desk> {
        let desk = self.open(place)?;
        leftovers::remove(&leftovers::find(place, self.state().ok().as_deref()));
        Ok(desk)
    }

    /// The plan, locked. A run state that is missing or torn is rebuilt from the ledgers.
    pub(super) fn open(&self, place: &Place) -> Result<Desk> {
        if place.id.is_empty() {
            return Err(Failure::no(
                "this plan lies in the project root",
                "such a plan is read and shown, but it is never held and has no run",
                "steadfast init --from task_plan.md",
            ));
        }
        self.may_leave(Some(place))?;
        let mut desk = Desk::verb(place).map_err(|trouble| Self::no_desk(place, &trouble))?;
        desk.synced = self.world.syncs();
        if desk.found != RunFound::Whole {
            self.rebuild(&mut desk)?;
        }
        Ok(desk)
    }

    /// The plan, for reading.
    pub(super) fn look(place: &Place) -> Result<Desk> {
        Desk::look(place).map_err(|trouble| Self::no_desk(place, &trouble))
    }

    fn no_desk(place: &Place, trouble: &Trouble) -> Failure {
        let fix = if matches!(trouble, Trouble::Busy) {
            "steadfast status  # when the other process is done"
        } else {
            "steadfast doctor"
        };
        Failure::fault(format!("the plan `{}` cannot be used", place.name()), trouble.to_string(), fix)
    }

    /// Puts a lost run state together from the ledgers, as far as they can be trusted: they lie in the project, so what they
    /// say of proofs has to be shown again.
    ///
    /// # Errors
    /// Where a ledger cannot be read: what it does not say would be lost for good.
    fn rebuild(&self, desk: &mut Desk) -> Result<()> {
        let folded = desk.whole_history().map_err(|error| {
            Failure::fault(
                format!("the run state of `{}` is lost and cannot be rebuilt from its ledgers", desk.place.name()),
                error.to_string(),
                "steadfast doctor",
            )
        })?;
        if folded.run.ledgers.is_empty() {
            return Ok(());
        }
        let blocks = desk.blocks().unwrap_or(0);
        desk.run = folded.run.clone();
        let snapshot = self.snapshot(desk);
        desk.run = folded.rebuilt(snapshot.view.counts(folded.run.mark.files));
        desk.run.heed(snapshot.contract.as_ref());
        desk.run.adopted = snapshot.head.as_ref().map_or(0, |head| head.version);
        desk.run.blocks = desk.run.blocks.max(blocks);
        let mut unproven = false;
        for phase in desk.run.phases.values_mut() {
            unproven |= phase.proof == Proof::Passed;
            phase.proof = Proof::None;
        }
        let last = folded.records.iter().rev().find(|r| r.event == "attach" && !r.session.is_empty());
        desk.run.owner = last.map(|r| Session::key(&r.host, &r.session)).unwrap_or_default();
        let again = if unproven { "; its proofs have to be shown again: steadfast check --all" } else { "" };
        self.out
            .aside(&format!("steadfast: the run state was missing or damaged and was rebuilt from the ledgers{again}"));
        Ok(())
    }

    /// One look at a plan.
    pub(super) fn snapshot(&self, desk: &Desk) -> Snapshot {
        let state = self.state().ok().filter(|s| {
            state_dir::outside(s, &desk.place.root, self.world.home().as_deref(), Depth::Repository).is_ok()
        });
        let mut read = state.map_or(HeadRead::None, |s| head::read(&s, &desk.path()));
        let mut requested = false;
        for request in self.requests(&desk.place) {
            match request.what {
                What::Init if matches!(read, HeadRead::None) => {
                    read = HeadRead::Head(Box::new(Head::draft(&desk.place, &request)), None);
                }
                What::Attest => requested = true,
                What::Init | What::Attach => {}
            }
        }
        Snapshot { requested, ..Snapshot::of(read, desk) }
    }

    /// What this session asked of its next hook, about one plan.
    fn requests(&self, place: &Place) -> Vec<Request> {
        let Some((_, who)) = &self.who else { return Vec::new() };
        let key = who.key();
        if !request::waits(&place.root, &key) {
            return Vec::new();
        }
        let mut requests = request::left(&place.root, &key);
        requests.retain(|r| r.plan == place.id);
        requests
    }

    /// Whether this session asked its next hook for something about this plan.
    pub(super) fn waits_for_a_hook(&self, place: &Place) -> bool {
        !self.requests(place).is_empty()
    }

    /// Whether the next hook of this session can do what failed here: it writes the state directory, which the shell of some
    /// hosts cannot.
    pub(super) fn hands_over(&self, error: &std::io::Error) -> bool {
        use std::io::ErrorKind;
        self.who.is_some() && matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
    }

    /// Leaves a request for the next hook of this session.
    pub(super) fn hand_over(&self, place: &Place, request: Request) -> Result<()> {
        let Some((_, who)) = &self.who else { return Ok(()) };
        let request = Request { plan: place.id.clone(), ..request };
        request::leave(&place.root, &who.key(), &request).map_err(|error| {
            Failure::fault(
                "nothing was done",
                format!("neither the state directory nor a request to the next hook can be written: {error}"),
                "steadfast doctor",
            )
        })
    }

    /// A record of this verb.
    pub(super) fn record(&self, event: &str, phase: &str, summary: &str) -> Record {
        let who = self.who.as_ref();
        Record {
            ts: rfc3339(self.world.now()),
            event: event.to_owned(),
            phase: phase.to_owned(),
            summary: summary.to_owned(),
            session: who.map(|(_, w)| w.session.clone()).unwrap_or_default(),
            host: who.map(|(h, _)| h.id.to_owned()).unwrap_or_default(),
            ..Record::default()
        }
    }

    /// Whose ledger a verb writes to.
    pub(super) fn agent(&self) -> &str {
        self.who.as_ref().map_or("user", |(host, _)| host.id)
    }

    /// Attaches the session whose agent runs this verb, or lets the next session attach where a person types it.
    pub(super) fn attach(&self, desk: &mut Desk, explicit: bool) -> Result<Option<Record>> {
        let state = self.state_for(&desk.place)?;
        let Some((_, who)) = &self.who else {
            if explicit {
                desk.run.claim_until = self.world.now() + attach::CLAIM;
            }
            return Ok(None);
        };
        match attach::bind(&state, desk, who) {
            Ok((_, _, fresh)) => Ok(fresh.then(|| self.record("attach", "", "session attached by a verb"))),
            Err(error) if self.hands_over(&error) => {
                let bound = session::read(&state, &who.key()).is_some_and(|s| s.place() == desk.place && !s.ended);
                if !bound || desk.run.owner != who.key() {
                    self.hand_over(&desk.place, Request::default())?;
                }
                Ok(None)
            }
            Err(error) => Err(Failure::fault(
                "this session cannot be attached",
                format!("{}: {error}", state.display()),
                "steadfast doctor",
            )),
        }
    }

    /// Appends records and saves the run state: after this the verb may say that it is done.
    pub(super) fn commit(&self, desk: &mut Desk, mut records: Vec<Record>) -> Result<()> {
        let name = desk.place.name().to_owned();
        desk.append(self.agent(), &mut records).and_then(|()| desk.save()).map_err(|error| {
            Failure::fault(format!("the run of `{name}` could not be recorded"), error.to_string(), "steadfast doctor")
        })
    }

    /// Who wakes the run when it waits, in words. `in_sight`: whether a hook that goes on looking can see the end of the wait.
    pub(super) fn woken_by(&self, desk: &Desk, in_sight: bool) -> &'static str {
        self.state().map_or(wakes::ASLEEP, |state| {
            let by_hook =
                in_sight && attach::owner(&state, desk).is_some_and(|session| attach::is_woken_by_hook(&session));
            wakes::who(&state, by_hook, self.world.now())
        })
    }

    /// Says the result of a verb in one line, and what comes next in another.
    pub(super) fn say(&self, desk: &Desk, text: &str) {
        self.say_with(desk, text, &[]);
    }

    /// As [`Ctx::say`], with more keys for programs.
    pub(super) fn say_with(&self, desk: &Desk, text: &str, more: &[(&str, serde_json::Value)]) {
        let snapshot = self.snapshot(desk);
        let next = next::next(&snapshot.view);
        if self.out.json {
            let mut value = super::render::next_json(&snapshot.view, &next);
            if let Some(map) = value.as_object_mut() {
                map.insert("said".to_owned(), text.into());
                map.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
            }
            self.out.value(&value);
            return;
        }
        self.out.line(&crate::output::clean(text));
        if snapshot.contract.is_some() {
            self.out.line(&super::render::next_line(self.out, &snapshot.view, &next));
        }
    }

    /// The contract has to be approved for this verb.
    pub(super) fn approved(snapshot: &Snapshot) -> Result<()> {
        if snapshot.contract.is_some() {
            return Ok(());
        }
        if snapshot.requested {
            return Err(Failure::no(
                "the approval of this plan takes effect at the next hook",
                "this shell cannot write the state directory, so the hook does it when this command ends",
                "steadfast next  # in a command of its own",
            ));
        }
        if let Some(why) = &snapshot.head_trouble {
            return Err(Failure::fault("the approval of this plan cannot be used", why.clone(), "steadfast doctor"));
        }
        if snapshot.attestation == Attestation::Revoked {
            return Err(Failure::no(
                "the approval of this plan was revoked",
                "nothing of it is in force until a person approves it again",
                "steadfast attest  # typed by the user, in a terminal",
            ));
        }
        Err(Failure::no(
            "this plan is not approved yet",
            "statuses and checks count only for phases that were approved",
            "steadfast attest",
        ))
    }
}
