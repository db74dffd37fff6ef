//! One immutable look at a plan: what is approved, what is written, and how the two stand to each other. The bytes that
//! are compared are the bytes that are shown.

use std::path::Path;

use crate::core::attest;
use crate::core::candidate::Candidate;
use crate::core::contract::{Contract, Mode, digest_start};
use crate::core::notes;
use crate::core::plan::{Plan, Problem, Shape};
use crate::core::plan_read;
use crate::core::run::Run;
use crate::core::view::View;
use crate::store::desk::Desk;
use crate::store::disk::Read;
use crate::store::head::{self, Head, HeadRead};
use crate::store::layout;

/// How the file stands to what is approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attestation {
    /// Nothing was ever approved, and nothing claims so.
    None,
    /// Made by `init` here, not approved yet.
    Draft,
    /// The file asks for what is approved.
    Approved,
    /// The file asks for something else; what is approved goes on.
    Changed,
    /// The plan claims an approval that this machine knows nothing of.
    Unapproved,
    /// A person took its approval back.
    Revoked,
}

impl Attestation {
    /// The word in `status --json`.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Draft => "draft",
            Self::Approved => "approved",
            Self::Changed => "changed",
            Self::Unapproved | Self::Revoked => "unapproved",
        }
    }
}

/// What a hook or verb decides on.
#[derive(Debug)]
pub struct Snapshot {
    /// The head, where there is a good one.
    pub head: Option<Head>,
    /// What is wrong with a head that is there.
    pub head_trouble: Option<String>,
    /// The approved contract.
    pub contract: Option<Contract>,
    /// The bytes of the plan file; empty where there are none.
    pub bytes: Vec<u8>,
    /// The plan as read; `None` where the file is missing, empty or unreadable.
    pub plan: Option<Plan>,
    /// What is wrong with a plan file that is there.
    pub plan_trouble: Option<String>,
    /// What the file asks for, with appended notes left out, or why it cannot be approved.
    pub asked: Result<Contract, Vec<Problem>>,
    /// How the two stand to each other.
    pub attestation: Attestation,
    /// The effective state.
    pub view: View,
    /// A verb of this session asked for the approval, and the next hook answers it.
    pub requested: bool,
}

impl Snapshot {
    /// Looks at a plan. Without a state directory nothing is approved.
    pub fn take(state: Option<&Path>, desk: &Desk) -> Self {
        Self::of(state.map_or(HeadRead::None, |s| head::read(s, &desk.path())), desk)
    }

    /// Looks at a plan whose head was read.
    pub fn of(read: HeadRead, desk: &Desk) -> Self {
        let (head, contract, head_trouble) = match read {
            HeadRead::Head(head, contract) => (Some(*head), contract, None),
            HeadRead::Damaged(why) => (None, None, Some(why)),
            HeadRead::None => (None, None, None),
        };
        let read = desk.plan();
        let plan_trouble = read.trouble();
        let bytes = read.bytes().unwrap_or_default();
        let plan = Some(plan_read::read(&bytes)).filter(|_| !bytes.iter().all(u8::is_ascii_whitespace));
        let (mode, gate) = head.as_ref().map(|h| (h.mode, h.gate)).unwrap_or_default();
        let asked =
            plan.as_ref().map_or_else(|| Err(Vec::new()), |plan| attest::build(plan, mode, gate)).map(|mut asked| {
                if let Some(approved) = &contract {
                    notes::forget(&mut asked, approved);
                }
                asked
            });
        let attestation = match (&head, &contract) {
            (Some(_), Some(approved)) if asked.as_ref() == Ok(approved) => Attestation::Approved,
            (Some(_), Some(_)) => Attestation::Changed,
            (Some(head), None) if head.is_draft() => Attestation::Draft,
            (Some(_), None) => Attestation::Revoked,
            (None, _) if claims_approval(desk) => Attestation::Unapproved,
            (None, _) => Attestation::None,
        };
        let view = View::default();
        let mut snapshot = Self {
            head,
            head_trouble,
            contract,
            bytes,
            plan,
            plan_trouble,
            asked,
            attestation,
            view,
            requested: false,
        };
        snapshot.look_again(&desk.run);
        snapshot
    }

    /// Derives the effective state anew, after the run state changed: from the bytes read, without reading again.
    pub fn look_again(&mut self, run: &Run) {
        self.view = match (&self.contract, &self.plan) {
            (Some(approved), plan) => View::new(approved, plan.as_ref(), run),
            (None, Some(plan)) => View::unapproved(plan),
            (None, None) => View::default(),
        };
    }

    /// Whether the gate judges the stops of this plan's session.
    pub fn gated(&self) -> bool {
        self.attestation != Attestation::Revoked && self.head.as_ref().is_some_and(|head| head.mode == Mode::Gate)
    }

    /// Whether the file has a phase list at all.
    pub fn has_phases(&self) -> bool {
        self.plan.as_ref().is_some_and(|p| p.shape != Shape::None)
    }

    /// Judges a plan file as one that could be approved in place of what is.
    ///
    /// # Errors
    /// Every problem it has.
    pub fn weigh(&self, bytes: &[u8]) -> Result<Candidate, Vec<Problem>> {
        let (mode, gate) = self.head.as_ref().map(|h| (h.mode, h.gate)).unwrap_or_default();
        Candidate::weigh(bytes, mode, gate, self.contract.as_ref(), &self.view)
    }

    /// A digest of the file as it is, to tell each news once.
    pub fn file_digest(&self) -> String {
        digest_start(&self.bytes, 16)
    }
}

/// Mirrors beside the plan say that it was approved, somewhere.
fn claims_approval(desk: &Desk) -> bool {
    [layout::ATTESTATION, layout::MODE].iter().any(|name| !matches!(desk.file(name, 4096), Read::Missing))
}
