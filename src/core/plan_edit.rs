//! stub
use crate::core::plan::{Plan, Status, StepState};
#[derive(Debug)]
pub struct EditError;
impl std::fmt::Display for EditError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot")
    }
}
fn put(b: &[u8], r: std::ops::Range<usize>, t: &str) -> Vec<u8> {
    let mut v = b[..r.start].to_vec();
    v.extend_from_slice(t.as_bytes());
    v.extend_from_slice(&b[r.end..]);
    v
}
pub fn set_status(b: &[u8], p: &Plan, i: usize, s: Status) -> Result<Vec<u8>, EditError> {
    let ph = p.phases.get(i).ok_or(EditError)?;
    Ok(match &ph.spans.status {
        Some(r) => put(b, r.clone(), s.word()),
        None => put(b, ph.spans.status_insert..ph.spans.status_insert, &format!("\n- **Status:** {}", s.word())),
    })
}
pub fn set_step(b: &[u8], p: &Plan, i: usize, j: usize, s: StepState) -> Result<Vec<u8>, EditError> {
    let m = p.phases.get(i).and_then(|p| p.steps.get(j)).and_then(|s| s.mark.clone()).ok_or(EditError)?;
    Ok(put(
        b,
        m,
        match s {
            StepState::Done => "x",
            StepState::Dropped => "-",
            StepState::Open => " ",
        },
    ))
}
pub fn set_id(b: &[u8], p: &Plan, i: usize, id: &str) -> Result<Vec<u8>, EditError> {
    let ph = p.phases.get(i).ok_or(EditError)?;
    Ok(put(b, ph.spans.heading.end..ph.spans.heading.end, &format!(" {{#{id}}}")))
}
