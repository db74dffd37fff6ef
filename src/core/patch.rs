//! Patches as agents write them: `*** Begin Patch`, then `*** Add File:`, `*** Delete File:` or `*** Update File:` with hunks,
//! `*** End Patch` (seen in codex-cli 0.171.0).

/// One hunk of an update: lines that stand in the file, and what they become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// What stands behind `@@`: a line to be found before the hunk.
    pub anchor: String,
    /// The lines as they stand in the file.
    pub old: Vec<String>,
    /// The lines as they will stand there.
    pub new: Vec<String>,
    /// The hunk is at the end of the file.
    pub at_end: bool,
}

/// The text with the hunks applied; `None` where one finds no place.
pub fn apply(_: &str, _: &[Hunk]) -> Option<String> {
    None
}
