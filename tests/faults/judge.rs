//! What may be found after a fault. Each file is judged by what it is; one that is not known here is a finding of its own.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use steadfast::store::layout;

use crate::calls::is_temp;
use crate::tree::{self, Tree};

/// How a file is written, and so what may be seen of it at any moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Put in place by one rename or link: one of the contents it has in an undisturbed run, whole.
    Whole,
    /// As [`Kind::Whole`], and nobody's acknowledgement depends on it.
    Memory,
    /// A slot with a checksum, written in place by one write.
    Slot,
    /// A number, written in place.
    Number,
    /// Appended to, line by line.
    Lines,
    /// What a replace writes to before it is shown. The next verb takes it away.
    Temp,
    /// The project's own: none of our business.
    Foreign,
}

/// What a path is, from the names of the layout.
pub(crate) fn kind(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_str()?;
    let within = |part: &str| path.iter().any(|p| p == part);
    let plan = within(layout::PLANNING);
    let state = within("state");
    if is_temp(path) {
        return Some(Kind::Temp);
    }
    if !plan && !state {
        let settings = within(".claude") && name == "settings.json";
        return Some(if settings { Kind::Whole } else { Kind::Foreign });
    }
    let numbered = |before: &str, after: &str| {
        name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).is_some_and(|n| n.parse::<u64>().is_ok())
    };
    Some(match name {
        layout::RUN if plan => Kind::Slot,
        layout::BLOCKS if plan => Kind::Number,
        layout::PLAN | layout::FINDINGS | layout::PROGRESS | layout::MODE | layout::ATTESTATION if plan => Kind::Whole,
        layout::POINTER | layout::IGNORE | layout::ATTRIBUTES if plan => Kind::Whole,
        layout::PRIORITIES | layout::PROPOSED_PRIORITIES if plan => Kind::Whole,
        layout::BEFORE_RESTORE | layout::BEFORE_PROPOSAL if plan => Kind::Whole,
        layout::HEAD | layout::PENDING | layout::WAKES if state => Kind::Whole,
        layout::TREE if state => Kind::Memory,
        _ if plan && within(layout::PROOFS) => Kind::Memory,
        _ if plan && within(layout::PROPOSALS) => Kind::Whole,
        _ if plan && numbered("contract-v", ".json") => Kind::Whole,
        _ if plan && name.starts_with("ledger-") && name.ends_with(".jsonl") => Kind::Lines,
        _ if plan && name.starts_with(layout::REQUEST) => Kind::Lines,
        _ if state && within(layout::SESSIONS) && name.ends_with(".json") => Kind::Slot,
        _ => return None,
    })
}

/// What an undisturbed run comes to.
pub(crate) struct Truth<'a> {
    pub(crate) before: &'a Tree,
    pub(crate) after: &'a Tree,
    /// Every whole content that a name had meanwhile.
    pub(crate) versions: &'a BTreeMap<std::path::PathBuf, Vec<Vec<u8>>>,
    /// A write may have been cut in the middle: then a slot may be torn, which counts as missing.
    pub(crate) torn_slots: bool,
}

impl Truth<'_> {
    /// What is wrong with a tree that a fault left.
    pub(crate) fn wrong(&self, found: &Tree) -> Vec<String> {
        let mut wrong = Vec::new();
        for (path, bytes) in tree::files(found) {
            let Some(kind) = kind(path) else {
                wrong.push(format!("{}: nobody says what this is", path.display()));
                continue;
            };
            if let Err(why) = self.file(path, kind, bytes) {
                wrong.push(format!("{}: {why}", path.display()));
            }
        }
        for (path, _) in tree::files(self.before) {
            if tree::bytes(found, path).is_none() && tree::bytes(self.after, path).is_some() {
                wrong.push(format!("{}: gone, and an undisturbed run keeps it", path.display()));
            }
        }
        wrong
    }

    fn file(&self, path: &Path, kind: Kind, bytes: &[u8]) -> Result<(), String> {
        let (old, new) = (tree::bytes(self.before, path), tree::bytes(self.after, path));
        let is_own = Some(bytes) == old || Some(bytes) == new;
        match kind {
            Kind::Temp => Ok(()),
            _ if is_own => Ok(()),
            Kind::Whole | Kind::Memory => {
                let between = self.versions.get(path).is_some_and(|known| known.iter().any(|known| known == bytes));
                if between { Ok(()) } else { Err(format!("neither old nor new: {}", show(bytes))) }
            }
            Kind::Foreign => Err(format!("not ours to write: {}", show(bytes))),
            Kind::Slot if self.torn_slots => Ok(()),
            // Created, and not written yet: as if it were missing.
            Kind::Slot if bytes.is_empty() && old.is_none() => Ok(()),
            Kind::Slot => slot(bytes).map(|_| ()),
            Kind::Number => match std::str::from_utf8(bytes).ok().and_then(|text| text.trim().parse::<u32>().ok()) {
                Some(_) => Ok(()),
                None => Err(format!("no number: {}", show(bytes))),
            },
            Kind::Lines => lines(old.unwrap_or_default(), bytes),
        }
    }
}

/// The value of a slot, where it is whole.
pub(crate) fn slot(bytes: &[u8]) -> Result<Value, String> {
    use sha2::Digest;
    // Behind the slot of a session stands what was missed.
    let end = bytes.iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| at + 1);
    let text = std::str::from_utf8(&bytes[..end]).map_err(|error| error.to_string())?.trim_end();
    let (sum, json) = text.split_once(' ').ok_or("torn: no checksum")?;
    if hex::encode(sha2::Sha256::digest(json)).get(..16) != Some(sum) {
        return Err("torn: its checksum does not fit".to_owned());
    }
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// What was there stands as it was, and what came is whole lines.
fn lines(old: &[u8], bytes: &[u8]) -> Result<(), String> {
    let Some(new) = bytes.strip_prefix(old) else { return Err("lines that stood there changed".to_owned()) };
    if !new.is_empty() && !new.ends_with(b"\n") {
        return Err(format!("half a line: {}", show(new)));
    }
    match new.split(|b| *b == b'\n').find(|line| !line.is_empty() && serde_json::from_slice::<Value>(line).is_err()) {
        Some(line) => Err(format!("no record: {}", show(line))),
        None => Ok(()),
    }
}

fn show(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    format!("{} bytes, {:?}", bytes.len(), text.chars().take(60).collect::<String>())
}

/// How often each event stands in the ledgers.
pub(crate) fn events(tree: &Tree) -> BTreeMap<String, usize> {
    let mut events = BTreeMap::new();
    for (_, bytes) in tree::files(tree).filter(|(path, _)| path.extension().is_some_and(|end| end == "jsonl")) {
        for line in bytes.split(|b| *b == b'\n') {
            if let Ok(record) = serde_json::from_slice::<Value>(line) {
                *events.entry(record["event"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
            }
        }
    }
    events
}

/// Ticks that two records have.
pub(crate) fn double_ticks(tree: &Tree) -> usize {
    let mut seen = BTreeMap::<(String, u64), usize>::new();
    for (path, bytes) in tree::files(tree).filter(|(path, _)| path.extension().is_some_and(|end| end == "jsonl")) {
        let plan = path.parent().unwrap().display().to_string();
        for record in bytes.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
            *seen.entry((plan.clone(), record["tick"].as_u64().unwrap_or(0))).or_default() += 1;
        }
    }
    seen.values().filter(|n| **n > 1).count()
}

/// A judge that never says no is none.
#[test]
fn the_judge_sees_what_is_torn_lost_strange_or_changed() {
    let file = |bytes: &[u8]| (tree::Node::File(bytes.to_vec()), 0o644);
    let plan = Path::new("/t/project/.planning/p");
    let head = std::path::PathBuf::from("/t/state/plans/x/head.json");
    let line = "{\"tick\":1,\"event\":\"note\"}\n";
    let whole = |value: &str| {
        use sha2::Digest;
        format!("{} {value}\n", &hex::encode(sha2::Sha256::digest(value))[..16])
    };
    let before = Tree::from([
        (plan.join("task_plan.md"), file(b"old plan")),
        (plan.join(".run"), file(whole("1").as_bytes())),
        (plan.join(".stop_blocks"), file(b"1\n")),
        (plan.join("ledger-a.jsonl"), file(line.as_bytes())),
        (head.clone(), file(b"old head")),
    ]);
    let mut after = before.clone();
    after.insert(plan.join("task_plan.md"), file(b"new plan"));
    let versions = BTreeMap::from([(plan.join("task_plan.md"), vec![b"between".to_vec()])]);
    let judge = |torn_slots, path: &Path, bytes: Option<&[u8]>| {
        let mut found = before.clone();
        match bytes {
            Some(bytes) => found.insert(path.to_path_buf(), file(bytes)),
            None => found.remove(path),
        };
        Truth { before: &before, after: &after, versions: &versions, torn_slots }.wrong(&found)
    };
    let torn = &whole("[1,2,3]").into_bytes()[..20];
    let (second, twice) = (whole("2"), line.repeat(2));
    let strange = format!("{line}not one\n");
    let good: [(&Path, &[u8]); 8] = [
        (&plan.join("task_plan.md"), b"new plan"),
        (&plan.join("task_plan.md"), b"between"),
        (&plan.join(".run"), second.as_bytes()),
        (&plan.join(".stop_blocks"), b"2\n\n"),
        (&plan.join("ledger-a.jsonl"), twice.as_bytes()),
        (&plan.join("ledger-b.jsonl"), line.as_bytes()),
        (&plan.join(".task_plan.md.9-0.tmp"), b"new"),
        (&head, b"old head"),
    ];
    for (path, bytes) in good {
        assert_eq!(judge(false, path, Some(bytes)), [""; 0], "{}", path.display());
    }
    let bad: [(&Path, Option<&[u8]>, &str); 13] = [
        (&plan.join("task_plan.md"), Some(b"new p"), "neither old nor new"),
        (&plan.join("task_plan.md"), Some(b""), "neither old nor new"),
        (&plan.join("task_plan.md"), None, "gone"),
        (&head, Some(b"new head"), "neither old nor new"),
        (&plan.join(".run"), Some(torn), "torn"),
        (&plan.join(".run"), Some(b""), "torn"),
        (&plan.join(".stop_blocks"), Some(b"7\n0\n"), "no number"),
        (&plan.join("ledger-a.jsonl"), Some(&twice.as_bytes()[..line.len() + 9]), "half a line"),
        (&plan.join("ledger-a.jsonl"), Some(b"{}\n"), "changed"),
        (&plan.join("ledger-a.jsonl"), Some(strange.as_bytes()), "no record"),
        (&plan.join("contract-v1.json"), Some(b""), "neither old nor new"),
        (&plan.join("notes.bak"), Some(b"x"), "nobody says what this is"),
        (Path::new("/t/project/src/main.rs"), Some(b"x"), "not ours"),
    ];
    for (path, bytes, why) in bad {
        let wrong = judge(false, path, bytes);
        assert!(wrong.len() == 1 && wrong[0].contains(why), "{}, {bytes:?}: {wrong:?}", path.display());
    }
    assert_eq!(judge(true, &plan.join(".run"), Some(torn)), [""; 0], "a write that was cut");
}

/// Every file that the layout has is judged as something.
#[test]
fn the_judge_knows_every_file_of_the_layout() {
    for (root, entries) in [("project", layout::IN_PROJECT), ("state", layout::IN_STATE)] {
        for entry in entries {
            let path = entry.path.split('`').nth(1).unwrap().replace("<id>", ".planning/p");
            let named = path.split(['<', '>']).enumerate().map(|(n, part)| if n % 2 == 0 { part } else { "1" });
            let path = Path::new("/t").join(root).join(named.collect::<String>());
            let known = kind(&path);
            assert!(!matches!(known, None | Some(Kind::Foreign)), "{}", path.display());
        }
    }
}
