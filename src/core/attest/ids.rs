//! Ids for phases that have none.

use std::collections::HashSet;

use crate::core::plan::Plan;

/// Longest slug, in bytes.
const LONGEST: usize = 40;

/// The ids to write into the headings of phases without one: index of the phase and id, a slug of the title. Titles that are
/// not ASCII give `phase-<n>`. No id comes twice, nor equals one that is there.
pub fn missing_ids(plan: &Plan) -> Vec<(usize, String)> {
    let mut taken: HashSet<String> = plan.phases.iter().filter_map(|phase| phase.id.clone()).collect();
    let mut next = std::collections::HashMap::new();
    let mut out = Vec::new();
    for (index, phase) in plan.phases.iter().enumerate().filter(|(_, phase)| phase.id.is_none()) {
        let base = slug(&phase.title).unwrap_or_else(|| format!("phase-{}", index + 1));
        let mut id = base.clone();
        let count = next.entry(base.clone()).or_insert(1_usize);
        while !taken.insert(id.clone()) {
            *count += 1;
            id = format!("{base}-{count}");
        }
        out.push((index, id));
    }
    out
}

/// Lower-case ASCII letters and digits joined by hyphens. `None` where that would lose letters, or leave a mere number.
pub(crate) fn slug(title: &str) -> Option<String> {
    let mut slug = String::new();
    for c in title.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if c.is_alphanumeric() {
            return None;
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_end_matches('-');
    slug.contains(|c: char| c.is_ascii_alphabetic()).then(|| slug.to_owned())
}
