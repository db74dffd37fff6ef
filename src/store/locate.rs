//! Which plan is meant. One resolver for every hook and every verb.

use std::path::{Path, PathBuf};

pub use crate::core::ledger::is_name;
use crate::store::{disk, layout};

/// What the search starts from.
#[derive(Clone, Debug, Default)]
pub struct From {
    /// `PWF_PLAN_ROOT`.
    pub pinned_root: Option<PathBuf>,
    /// `PLAN_ID`, or `--plan`.
    pub pinned_id: Option<String>,
    /// Where the session or the shell works.
    pub cwd: Option<PathBuf>,
    /// Where the host was started.
    pub project: Option<PathBuf>,
    /// The home directory, above which nobody looks.
    pub home: Option<PathBuf>,
}

/// A plan directory that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The project root, links resolved.
    pub root: PathBuf,
    /// The id of the plan; empty for a legacy plan in the root.
    pub id: String,
}

impl Place {
    /// The plan's directory.
    pub fn dir(&self) -> PathBuf {
        if self.id.is_empty() { self.root.clone() } else { self.root.join(layout::PLANNING).join(&self.id) }
    }

    /// The plan file as people would name it from the root.
    pub fn file(&self) -> String {
        if self.id.is_empty() {
            layout::PLAN.to_owned()
        } else {
            format!("{}/{}/{}", layout::PLANNING, self.id, layout::PLAN)
        }
    }

    /// The name people know it by.
    pub fn name(&self) -> &str {
        if self.id.is_empty() { layout::PLAN } else { &self.id }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// This plan.
    Plan(Place),
    /// There is none.
    None,
    /// Several, and nothing says which: the root and some of their ids.
    Several(PathBuf, Vec<String>),
    /// A pin names something that is not there.
    BrokenPin(String),
}

/// Finds the plan.
pub fn find(from: &From) -> Found {
    if let Some(id) = &from.pinned_id
        && !is_name(id)
    {
        return Found::BrokenPin(format!("`{}` is not the id of a plan", short(id)));
    }
    if let Some(root) = &from.pinned_root {
        let Some(root) = ours(root) else {
            return Found::BrokenPin(format!(
                "PWF_PLAN_ROOT names `{}`, which is no directory of yours",
                root.display()
            ));
        };
        return match in_root(&root, from.pinned_id.as_deref()) {
            Found::None => Found::BrokenPin(format!("PWF_PLAN_ROOT names `{}`, where no plan lies", root.display())),
            found => found,
        };
    }
    // Resolved only where the search goes on upwards.
    let home = std::cell::LazyCell::new(|| from.home.as_ref().and_then(|h| disk::canonical(h).ok()));
    for start in [&from.cwd, &from.project].into_iter().flatten() {
        let Some(start) = nearest(start) else { continue };
        for dir in start.ancestors() {
            match in_root(dir, from.pinned_id.as_deref()) {
                Found::None => {}
                found => return found,
            }
            if home.as_deref() == Some(dir) || disk::is_repository(dir) {
                break;
            }
        }
    }
    from.pinned_id.as_ref().map_or(Found::None, |id| Found::BrokenPin(format!("no plan `{id}` lies here")))
}

/// The directory with links resolved, or its nearest parent that is still there.
fn nearest(path: &Path) -> Option<PathBuf> {
    path.ancestors().filter(|p| p.is_absolute()).find_map(|p| disk::canonical(p).ok())
}

fn ours(path: &Path) -> Option<PathBuf> {
    let real = disk::canonical(path).ok()?;
    disk::kind(&real).filter(|k| k.dir && k.is_ours()).map(|_| real)
}

/// The plan that counts in one directory.
fn in_root(root: &Path, id: Option<&str>) -> Found {
    let planning = root.join(layout::PLANNING);
    let place = |id: &str| Found::Plan(Place { root: root.to_path_buf(), id: id.to_owned() });
    if disk::kind(&planning).is_some_and(|k| k.dir && k.is_ours()) {
        if let Some(id) = id {
            if holds_plan(&planning, id) {
                return place(id);
            }
        } else {
            if let Some(pointed) = pointer(root).filter(|p| holds_plan(&planning, p)) {
                return place(&pointed);
            }
            let mut ids = list(root, 3);
            match (ids.pop(), ids.is_empty()) {
                (Some(only), true) => return place(&only),
                (Some(last), false) => {
                    ids.push(last);
                    ids.sort();
                    return Found::Several(root.to_path_buf(), ids);
                }
                (None, _) => {}
            }
        }
    }
    let legacy = disk::kind(&root.join(layout::PLAN)).is_some_and(|k| k.file && k.is_ours());
    if legacy && id.is_none() { place("") } else { Found::None }
}

/// A directory is a plan where it holds a plan file. One whose file vanished is still named by a pin or pointer, so that
/// the run goes on with what is approved.
fn holds_plan(planning: &Path, id: &str) -> bool {
    disk::kind(&planning.join(id)).is_some_and(|k| k.dir && k.is_ours())
}

/// The id in `.active_plan`, where it is one.
pub fn pointer(root: &Path) -> Option<String> {
    let path = root.join(layout::PLANNING).join(layout::POINTER);
    let text = String::from_utf8(disk::read(&path, 256).bytes()?).ok()?;
    Some(text.trim_start_matches('\u{feff}').trim().to_owned()).filter(|id| is_name(id))
}

/// Ids of the plans in a root, at most `max`, in no order.
pub fn list(root: &Path, max: usize) -> Vec<String> {
    let planning = root.join(layout::PLANNING);
    let mut ids: Vec<String> = disk::names(&planning, 20_000)
        .into_iter()
        .filter(|id| is_name(id) && disk::kind(&planning.join(id)).is_some_and(|k| k.dir))
        .filter(|id| disk::kind(&planning.join(id).join(layout::PLAN)).is_some_and(|k| k.file))
        .take(max)
        .collect();
    ids.sort();
    ids
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
