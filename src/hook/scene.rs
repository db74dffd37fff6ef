//! What the handlers of a bound session share: the call, the open plan, the session, and the records to be written.

use crate::core::ledger::{Record, rfc3339};
use crate::hook::Call;
use crate::store::{Desk, Session, Snapshot};

/// Everything a handler may look at and change.
pub(super) struct Scene<'a, 'b> {
    pub(super) call: &'a Call<'b>,
    pub(super) desk: Desk,
    pub(super) session: Session,
    /// To be appended to the ledger of the event's agent, in order.
    pub(super) records: Vec<Record>,
}

impl Scene<'_, '_> {
    pub(super) fn record(&mut self, event: &str, phase: &str, summary: &str) {
        let record = Record { phase: phase.to_owned(), ..record(self.call, event, summary) };
        self.records.push(record);
    }

    /// One look at the plan.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot::take(Some(&self.call.state), &self.desk)
    }

    /// The ledger an event belongs to: a subagent has its own.
    pub(super) fn agent(&self) -> String {
        let id = self.call.event.agent.as_deref().unwrap_or(self.call.host.id);
        let name: String =
            id.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).take(64).collect();
        if crate::store::locate::is_name(&name) { name } else { self.call.host.id.to_owned() }
    }
}

/// A record of this call.
pub(super) fn record(call: &Call<'_>, event: &str, summary: &str) -> Record {
    Record {
        ts: rfc3339(call.now()),
        event: event.to_owned(),
        summary: summary.to_owned(),
        session: call.event.session.clone(),
        host: call.host.id.to_owned(),
        ..Record::default()
    }
}
