//! An invented archive of postcards in a private home: a project that any client can be run in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::client::{Client, surroundings};

/// The plan of the project. The second phase has a check.
pub const PLAN: &str = "\
# Task Plan: Sort the postcards

## Goal
Sort the postcard archive by country.

## Phases

### Phase 1: List the boxes {#list}
- [ ] Count the boxes
- [ ] Write the list
- **Status:** pending

### Phase 2: Sort the cards {#sort}
- [ ] Sort by country
- **Status:** pending
- **DependsOn:** list
- **Check:** `test -f sorted.txt`

### Phase 3: Report {#report}
- [ ] Write the report
- **Status:** pending
- **DependsOn:** sort
";

/// The beginning of every block.
pub const BLOCK: &str = "[plan ";
/// The beginning of every reason of the gate.
pub const GATE: &str = "[steadfast gate]";

/// The archive.
pub struct Archive {
    /// The client of this test.
    pub client: Client,
    /// The project's directory.
    pub dir: PathBuf,
    temp: tempfile::TempDir,
}

impl Archive {
    /// With a plan in `plan.md`, and nothing of ours.
    pub fn new(client: &Client) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("home/archive");
        fs::create_dir_all(&dir).unwrap();
        fs::create_dir(temp.path().join("tmp")).unwrap();
        fs::write(dir.join("plan.md"), PLAN).unwrap();
        Self { client: client.clone(), dir, temp }
    }

    /// Where what the client printed is kept.
    pub fn logs(&self) -> &Path {
        self.temp.path()
    }

    /// The home of the person and of the client.
    pub fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    /// A private place for what is neither home nor project.
    pub fn aside(&self) -> PathBuf {
        self.temp.path().join("tmp")
    }

    /// A program in this project and home.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        surroundings(&mut command, &self.home(), &self.aside(), &self.client);
        command.current_dir(&self.dir);
        command
    }

    /// A verb typed by a person, outside any host. Its output.
    #[track_caller]
    pub fn steadfast(&self, args: &[&str]) -> String {
        let out = self.command(Path::new(env!("CARGO_BIN_EXE_steadfast"))).args(args).output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let err = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "steadfast {}: {}\n{text}{err}", args.join(" "), out.status);
        text
    }

    /// `status --json`.
    #[track_caller]
    pub fn status(&self) -> Value {
        serde_json::from_str(&self.steadfast(&["status", "--json"])).unwrap()
    }

    /// The directory of the only plan.
    #[track_caller]
    pub fn plan_dir(&self) -> PathBuf {
        let mut dirs: Vec<_> = fs::read_dir(self.dir.join(".planning"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.join("task_plan.md").exists())
            .collect();
        assert_eq!(dirs.len(), 1, "one plan: {dirs:?}");
        dirs.remove(0)
    }

    /// Edits `task_plan.md` by hand.
    #[track_caller]
    pub fn edit_plan(&self, from: &str, to: &str) {
        let file = self.plan_dir().join("task_plan.md");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "`{from}` is not in the plan:\n{text}");
        fs::write(&file, text.replace(from, to)).unwrap();
    }

    /// All records of all ledgers of the plan, by tick.
    pub fn ledger(&self) -> Vec<Value> {
        let mut records = Vec::new();
        for entry in fs::read_dir(self.plan_dir()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "jsonl") {
                for line in fs::read_to_string(&path).unwrap().lines() {
                    records.push(serde_json::from_str::<Value>(line).unwrap());
                }
            }
        }
        records.sort_by_key(|r| r["tick"].as_u64());
        records
    }

    /// The events of the ledger with this name.
    pub fn recorded(&self, event: &str) -> Vec<Value> {
        self.ledger().into_iter().filter(|r| r["event"] == event).collect()
    }

    /// The verdicts of the stops that were let go, in order.
    pub fn verdicts(&self) -> Vec<String> {
        let verdict = |r: &Value| r["data"]["verdict"].as_str().unwrap_or_default().to_owned();
        self.recorded("gate_allow").iter().map(verdict).collect()
    }

    /// Everything of ours on disk, as path and digest: the plan directories, and the state directory.
    pub fn traces(&self) -> BTreeMap<PathBuf, String> {
        let mut traces = BTreeMap::new();
        for dir in [self.dir.join(".planning"), self.home().join(".local/state"), self.home().join(".config")] {
            walk(&dir, &mut traces);
        }
        traces
    }

    /// Fails where anything of ours on disk is not as it was.
    #[track_caller]
    pub fn unchanged(&self, before: &BTreeMap<PathBuf, String>) {
        let after = self.traces();
        let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
        let changed: BTreeSet<_> = before.keys().chain(after.keys()).filter(differs).collect();
        assert!(changed.is_empty(), "traces were left: {changed:#?}");
    }
}

fn walk(dir: &Path, traces: &mut BTreeMap<PathBuf, String>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    traces.insert(dir.to_path_buf(), "directory".to_owned());
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, traces);
        } else {
            traces.insert(path.clone(), hex::encode(Sha256::digest(fs::read(&path).unwrap())));
        }
    }
}
