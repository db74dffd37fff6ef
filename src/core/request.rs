//! What a verb asks the next hook of its session to do, because its own shell cannot write the state directory (seen in the
//! sandbox of Codex). JSON lines in `.planning/.request.<session key>`. It lies in the project, so it is a wish and no
//! proof: the hook judges every one of them anew, as it would judge the agent's verb.

use serde::{Deserialize, Serialize};

use crate::core::contract::{GateOptions, Mode};
use crate::core::ledger::is_name;

/// The most requests that are read.
pub const MAX: usize = 64;

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Bind this session to the plan.
    #[default]
    Attach,
    /// Keep the mode and goal of a plan that `init` made, as a draft.
    Init,
    /// Approve the contract with this digest.
    Attest,
}

/// One request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// What.
    pub what: What,
    /// Id of the plan.
    pub plan: String,
    /// SHA-256 of the contract, in hex; of an attest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The task, of an init.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// The mode, of an init.
    pub mode: Mode,
    /// Gate options, of an init.
    pub gate: GateOptions,
}

/// One request as a line.
pub fn line(request: &Request) -> String {
    serde_json::to_string(request).unwrap_or_default() + "\n"
}

/// The requests of a file, in order. Lines that say nothing are left out.
pub fn read(bytes: &[u8]) -> Vec<Request> {
    String::from_utf8_lossy(bytes)
        .lines()
        .filter_map(|line| serde_json::from_str::<Request>(line).ok())
        .filter(|request| is_name(&request.plan))
        .take(MAX)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_and_junk_is_left_out() {
        let init = Request {
            what: What::Init,
            plan: "p-1".into(),
            goal: "a \"quoted\"\nline".into(),
            mode: Mode::Gate,
            gate: GateOptions { hold: Some(true) },
            ..Request::default()
        };
        let attest = Request { what: What::Attest, plan: "p-1".into(), digest: "ab".repeat(32), ..Request::default() };
        let junk = "\u{0}\n[]\n{\"what\":\"release\",\"plan\":\"p-1\"}\n{\"plan\":\"../x\"}\n{\"what\":\"attach\"}\n";
        let text = format!("{junk}{}{junk}{}torn {{", line(&init), line(&attest));
        assert_eq!(read(text.as_bytes()), [init, attest]);
        let many = line(&Request { plan: "p".into(), ..Request::default() }).repeat(MAX + 5);
        assert_eq!(read(many.as_bytes()).len(), MAX);
    }
}
