//! `docs/schema/*.schema.json`: made of the types below, which say what the program prints. A validator that is not ours holds
//! real output against them.
#![allow(dead_code, reason = "the types are made into schemas, never into values")]

use std::collections::BTreeMap;

use jsonschema::Validator;
use schemars::{JsonSchema, Schema, schema_for};
use serde_json::{Value, json};

use crate::docs::{compare, root};
use crate::stage::Stage;

/// The approved content of a plan: `contract-v<N>.json`, and `contract` in `attest --show --json` and `export`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "plan")]
struct Contract {
    /// Format version
    #[schemars(range(min = 1, max = 1))]
    v: u32,
    /// What the run is for
    goal: String,
    mode: Mode,
    gate: GateOptions,
    /// In order
    phases: Vec<ContractPhase>,
}

/// How far a plan binds the agent
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Mode {
    Plain,
    Autonomous,
    Gate,
}

/// What is approved of the gate
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct GateOptions {
    /// Hold again although the host says it is already going on because of a hold; absent: where nobody attends
    #[schemars(default)]
    hold: Option<bool>,
}

/// A phase; empty lists are left out
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ContractPhase {
    #[schemars(regex(pattern = "^[A-Za-z0-9._-]{1,64}$"))]
    id: String,
    title: String,
    #[schemars(default)]
    steps: Vec<String>,
    /// Ids of phases that come first
    #[schemars(default)]
    depends_on: Vec<String>,
    /// Commands that decide whether the phase is done
    #[schemars(default)]
    checks: Vec<String>,
    /// Paths beneath the project root
    #[schemars(default)]
    artifacts: Vec<String>,
    #[schemars(default)]
    receipts: Vec<String>,
    #[schemars(default)]
    approvals: Vec<String>,
    #[schemars(default)]
    waits_for: Vec<String>,
    #[schemars(default)]
    every: Option<String>,
    #[schemars(default)]
    tools: Vec<String>,
}

/// A line of a ledger. Events nobody knows are kept, so `event` is any word.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "ledger record")]
struct Record {
    /// Counts through all ledgers of a plan, from 1
    #[schemars(range(min = 1, max = 9_007_199_254_740_992_u64))]
    tick: u64,
    /// UTC
    #[schemars(regex(pattern = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"))]
    ts: String,
    /// Who wrote it
    #[schemars(regex(pattern = "^[A-Za-z0-9._-]{1,64}$"))]
    agent: String,
    /// Id of the phase it belongs to
    #[schemars(default)]
    phase: String,
    /// What happened
    #[schemars(regex(pattern = "^[a-z_]+$"))]
    event: String,
    /// One line for people
    #[schemars(length(max = 300))]
    summary: String,
    /// Files it is about
    #[schemars(default)]
    files: Vec<String>,
    /// The host's session id
    #[schemars(default)]
    session: String,
    #[schemars(default)]
    host: String,
    /// What the event adds
    #[schemars(default)]
    data: BTreeMap<String, Value>,
    /// First 16 hex of the SHA-256 of the line before in the same file; absent in the first line
    #[schemars(default, regex(pattern = "^[0-9a-f]{16}$"))]
    prev: String,
}

/// What `status --json` prints
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "status")]
struct Status {
    plan: Plan,
    phases: Vec<Phase>,
    counts: Counts,
    next: Next,
    gate: Gate,
    session: Session,
    ledger: Ledger,
    /// Who wakes the run, in words; null where nothing waits
    woken_by: Option<String>,
    /// Of agents that did nothing since, the latest last
    handoffs: Vec<Handoff>,
    problems: Vec<Problem>,
    proposals: Vec<Proposal>,
}

/// An agent handed its work over
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Handoff {
    agent: String,
    /// Null where a record says it in other words
    status: Option<HandoffStatus>,
    /// Empty where none was named
    phase: String,
    summary: String,
    tick: u64,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum HandoffStatus {
    Done,
    DoneWithConcerns,
    Blocked,
    NeedsInput,
}

/// A change that waits for a person
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Proposal {
    n: u32,
    why: String,
    /// Against what is approved now, a line each
    differences: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Plan {
    /// Empty for a plan in the project root
    id: String,
    /// An absolute path
    dir: String,
    mode: Mode,
    goal: String,
    attestation: Attestation,
    /// Of the approved contract; 0: nothing is approved
    version: u64,
    paused: bool,
}

/// `none`: nothing was ever approved. `draft`: made here, not approved yet. `changed`: the file asks for something else than
/// what is approved. `unapproved`: approved somewhere else
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Attestation {
    None,
    Draft,
    Approved,
    Changed,
    Unapproved,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Phase {
    id: String,
    number: u32,
    title: String,
    status: PhaseStatus,
    /// The file says complete, and the proof that is asked for is missing
    claimed: bool,
    proof: Proof,
    /// Such as `flaky 1/3` or `green, never red`
    remark: Option<String>,
    /// Exit code of the last check
    exit: Option<i32>,
    /// How often the check was run
    tries: u32,
    depends_on: Vec<String>,
    /// The reason given by `fail`, `skip` or `wait`
    why: String,
    /// What it waits for, in words; empty where it does not
    waits: String,
    steps: Vec<Step>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum PhaseStatus {
    Pending,
    InProgress,
    Complete,
    Failed,
    Skipped,
    Waiting,
    Unknown,
}

/// `none`: none is asked for. `missing`: one is, and there is none yet. `stale`: it passed on another working tree.
/// `interrupted`: a check was begun, and its end is not known
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Proof {
    None,
    Missing,
    Passed,
    Failed,
    Stale,
    Interrupted,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Step {
    text: String,
    state: StepState,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum StepState {
    Open,
    Done,
    Dropped,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Counts {
    total: u32,
    complete: u32,
    in_progress: u32,
    pending: u32,
    failed: u32,
    skipped: u32,
    waiting: u32,
    unknown: u32,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Next {
    /// Such as `work`, `blocked`, `plan`, `done`
    #[schemars(regex(pattern = "^[a-z_-]+$"))]
    kind: String,
    phase: Option<String>,
    step: Option<String>,
    why: String,
    command: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Gate {
    /// Null: the counter cannot be read, and counts as full
    blocks: Option<u32>,
    cap: u32,
    /// All holds of this run
    holds: u32,
    hold: Option<bool>,
    /// What the gate would say if the attached session stopped now
    #[schemars(regex(pattern = "^[a-z-]+$"))]
    verdict: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Session {
    /// Its id
    attached: Option<String>,
    host: Option<String>,
    live: bool,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Ledger {
    /// Of the last record
    tick: u64,
    agents: Vec<String>,
    bad_lines: u32,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Problem {
    /// 0: it concerns the whole file
    line: u32,
    what: String,
    fix: String,
}

fn schemas() -> [(&'static str, Schema); 3] {
    [("plan", schema_for!(Contract)), ("ledger", schema_for!(Record)), ("status", schema_for!(Status))]
}

fn text(schema: &Schema) -> String {
    serde_json::to_string_pretty(schema.as_value()).unwrap() + "\n"
}

#[test]
fn schemas_in_the_documents_are_those_of_the_types() {
    for (name, schema) in schemas() {
        compare(&root().join(format!("docs/schema/{name}.schema.json")), &text(&schema));
    }
}

/// The validators of what lies in `docs/schema`.
fn validators() -> BTreeMap<&'static str, Validator> {
    let read = |name: &str| std::fs::read_to_string(root().join(format!("docs/schema/{name}.schema.json"))).unwrap();
    let one = |name| (name, jsonschema::validator_for(&serde_json::from_str(&read(name)).unwrap()).unwrap());
    ["plan", "ledger", "status"].map(one).into()
}

#[track_caller]
fn valid(validator: &Validator, value: &Value) {
    let errors: Vec<String> = validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
}

#[test]
fn real_output_is_what_the_schemas_say() {
    let all = validators();
    let none = Stage::new();
    none.write("task_plan.md", "# Task Plan: x\n## Goal\ng\n### Phase 1: a\n- **Status:** odd\n### Phase 2: b\n");
    valid(&all["status"], &none.status());
    let draft = Stage::new();
    draft.verb(&["init", "--gated", "--no-hold", "x"]).fine();
    valid(&all["status"], &draft.status());

    let stage = Stage::gated();
    let mut seen = vec![stage.status()];
    stage.start("main", "startup");
    stage.prompt("main", "go on");
    stage.agent("main", &["step", "1"]).fine();
    stage.agent("main", &["step", "2", "--drop", "--why", "measured already"]).fine();
    stage.agent("main", &["done"]).fine();
    assert_eq!(stage.agent("main", &["done", "build", "--anyway", "--why", "x"]).code, 1);
    stage.agent("main", &["log", "decision", "tables", "--files", "a,b"]).fine();
    stage.agent("main", &["log", "handoff", "--status", "blocked", "--agent", "two", "no grammar"]).fine();
    assert!(stage.stop("main", false).held().is_some());
    seen.push(stage.status());
    stage.agent("main", &["fail", "build", "--why", "ambiguous"]).fine();
    stage.agent("main", &["start", "build"]).fine();
    stage.edit("main", "built", "x");
    stage.edit_plan("- [ ] Tables", "- [ ] Trees");
    seen.push(stage.status());
    stage.edit_plan("- [ ] Trees", "- [ ] Tables");
    stage.edit_plan("in_progress\n- **DependsOn:** survey", "complete\n- **DependsOn:** survey");
    stage.prompt("main", "again");
    seen.push(stage.status());
    assert_eq!(seen[3]["phases"][1]["claimed"], true);
    stage.agent("main", &["done", "build", "--anyway", "--why", "x"]).fine();
    stage.agent("main", &["wait", "release", "--human", "Which day?"]).fine();
    seen.push(stage.status());
    assert_eq!(seen[4]["woken_by"], "nothing: asleep");
    stage.agent("main", &["skip", "release", "--why", "the owner does it"]).fine();
    assert_eq!(stage.person(&["pause"], "").code, 0);
    stage.stop("main", false);
    stage.hook("main", "SessionEnd", json!({ "reason": "exit" }));
    seen.push(stage.status());
    let words: Vec<&str> = seen.iter().map(|s| s["plan"]["attestation"].as_str().unwrap()).collect();
    assert_eq!(words, ["approved", "approved", "changed", "approved", "approved", "approved"]);
    for status in &seen {
        valid(&all["status"], status);
    }

    let ledger = stage.ledger();
    assert!(ledger.len() > 15, "{ledger:#?}");
    for record in &ledger {
        valid(&all["ledger"], record);
    }
    let shown = stage.verb(&["attest", "--show", "--json"]).fine().json();
    valid(&all["plan"], &shown["contract"]);
    let mirror: Value = serde_json::from_str(&stage.read(stage.plan_dir().join("contract-v1.json"))).unwrap();
    valid(&all["plan"], &mirror);

    // Each of them is told apart from what is nearly it.
    for (name, good) in [("plan", &mirror), ("ledger", &ledger[0]), ("status", &seen[1])] {
        broken(&all[name], good, name);
    }
}

/// A field more, a field less, or of another type, anywhere, is an error, unless the schema says that it may be missing.
fn broken(validator: &Validator, good: &Value, name: &str) {
    let mut paths = Vec::new();
    objects(good, String::new(), &mut paths);
    for path in paths.iter().filter(|path| !path.starts_with("/data")) {
        let mut more = good.clone();
        more.pointer_mut(path).unwrap().as_object_mut().unwrap().insert("another".into(), json!(1));
        assert!(!validator.is_valid(&more), "{name}{path}: a field more");
        let keys: Vec<String> = good.pointer(path).unwrap().as_object().unwrap().keys().cloned().collect();
        for key in keys {
            let mut other = good.clone();
            let map = other.pointer_mut(path).unwrap().as_object_mut().unwrap();
            let value = map.remove(&key).unwrap();
            map.insert(key.clone() + "s", value);
            assert!(!validator.is_valid(&other), "{name}{path}: `{key}` renamed");
            let mut typed = good.clone();
            typed.pointer_mut(path).unwrap()[&key] = json!([[1]]);
            assert!(!validator.is_valid(&typed), "{name}{path}: `{key}` of another type");
        }
    }
}

/// The pointers of all objects in a value.
fn objects(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                objects(value, format!("{path}/{key}"), found);
            }
            found.push(path);
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                objects(value, format!("{path}/{at}"), found);
            }
        }
        _ => {}
    }
}
