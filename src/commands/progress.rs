//! The line at a terminal that says how long a check runs, and above it what the check prints.

use std::time::Duration;

use crate::core::text::{cut, flatten};
use crate::output::{Output, Style, clean};

/// The longest piece of a line that is held back until its end comes, in bytes.
const HELD: usize = 8 * 1024;
/// Columns of the command in the line, so that it is one line on any terminal.
const COLUMNS: usize = 48;

/// A check that runs.
pub(super) struct Progress {
    out: Output,
    command: String,
    /// What came since the last line end.
    held: Vec<u8>,
    /// The seconds that stand in the line.
    said: Option<u64>,
}

impl Progress {
    /// Nobody sees it where standard output is no terminal, or carries JSON.
    pub(super) fn new(out: Output, command: &str) -> Self {
        let progress = Self { out, command: cut(&flatten(command), COLUMNS), held: Vec::new(), said: None };
        if progress.seen() && !out.moves {
            out.line(&format!("running {}", progress.command));
        }
        progress
    }

    fn seen(&self) -> bool {
        self.out.terminal && !self.out.json
    }

    /// Takes in what the check printed, which may be nothing, so long after it began.
    pub(super) fn see(&mut self, part: &[u8], after: Duration) {
        if !self.seen() {
            return;
        }
        self.held.extend_from_slice(part);
        let whole = self.held.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let whole = if whole == 0 && self.held.len() > HELD { self.held.len() } else { whole };
        if whole > 0 {
            self.erase();
            let lines: Vec<u8> = self.held.drain(..whole).collect();
            self.out.raw(clean(&String::from_utf8_lossy(&lines)).as_bytes());
        }
        let secs = after.as_secs();
        if self.out.moves && self.said != Some(secs) {
            self.erase();
            let line = format!("running {secs} s  {}", self.command);
            self.out.raw(self.out.paint(Style::Dim, &line).as_bytes());
            self.said = Some(secs);
        }
    }

    /// The check ended: its line goes, its last words stay.
    pub(super) fn end(mut self) {
        if !self.seen() {
            return;
        }
        self.erase();
        if !self.held.is_empty() {
            self.out.plain(&String::from_utf8_lossy(&self.held));
        }
    }

    fn erase(&mut self) {
        if self.said.take().is_some() {
            self.out.raw(b"\r\x1b[K");
        }
    }
}
