//! Status words of other tools.

use crate::core::import::Entry;
use crate::core::plan::Status;

/// Gives an entry the status a word means. A word nobody knows leaves it open, and stands behind the status.
pub(super) fn set(entry: &mut Entry, word: &str) {
    let folded: String =
        word.trim().chars().map(|c| if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() }).collect();
    let (status, plain) = match folded.as_str() {
        "" | "pending" | "todo" | "to_do" | "open" => (Status::Pending, true),
        "in_progress" | "doing" => (Status::InProgress, true),
        "review" => (Status::InProgress, false),
        "done" | "complete" | "completed" => (Status::Complete, true),
        "cancelled" | "canceled" => (Status::Skipped, true),
        _ => (Status::Pending, false),
    };
    entry.status = status;
    entry.word = if plain { String::new() } else { word.trim().to_owned() };
}
