//! Plans in and out: `import` and `export`, by the real binary.

use std::fs;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::stage::{NOW, PLAN, Stage};

const TYPED: &str = r#"[{"id":"survey","do":"List the callers"},
    {"id":"build","do":"Write the tables","depends_on":["survey"],"check":"test -f built"}]"#;

#[test]
fn import_makes_a_gated_plan_that_is_approved_at_once() {
    let stage = Stage::new();
    stage.write("plan.json", TYPED);
    let made = stage.agent("main", &["import", "--gated", "plan.json", "Replace the parser"]).fine();
    for part in
        ["read plan.json as plan-json: 2 phases", "made gated plan 2026-03-01-replace-the-parser", "approved as"]
    {
        assert!(made.out.contains(part), "{part}: {made:?}");
    }
    let status = stage.status();
    assert_eq!(status["plan"]["attestation"], "approved");
    assert_eq!(status["plan"]["mode"], "gate");
    assert_eq!(status["plan"]["goal"], "Replace the parser");
    assert_eq!(status["phases"][1]["depends_on"], json!(["survey"]));
    assert_eq!(status["session"]["attached"], "main");
    assert!(stage.stop("main", false).held().is_some());
    let json = stage.agent("main", &["attest", "--show", "--json"]).fine().json();
    assert_eq!(json["by"], "agent");
    // Its commands are the agent's: another session does not run them.
    let other = stage.agent("other", &["check", "build"]);
    assert_eq!(other.code, 1);
    assert!(other.err.contains("test -f built"), "{other:?}");
}

#[test]
fn a_person_approves_the_commands_of_an_import_as_their_own() {
    let stage = Stage::new();
    stage.write("plan.json", TYPED);
    let shown = stage.person(&["import", "--gated", "plan.json"], "\n").fine();
    assert!(shown.out.contains("runs: test -f built"), "{shown:?}");
    assert_eq!(stage.verb(&["attest", "--show", "--json"]).fine().json()["by"], "agent");
    let wrong = Stage::new();
    wrong.write("plan.json", TYPED);
    assert_eq!(wrong.person(&["import", "--gated", "plan.json"], "00000000\n").code, 1);
}

#[test]
fn import_runs_no_command_and_a_dry_run_makes_nothing() {
    let stage = Stage::new();
    stage.write("plan.json", r#"[{"do":"x","check":"touch ran"}]"#);
    let before = stage.tree(&stage.project);
    let dry = stage.verb(&["import", "--dry-run", "plan.json"]).fine();
    assert!(dry.out.starts_with("# Task Plan: ") && dry.out.contains("- **Check:** `touch ran`\n"), "{dry:?}");
    assert!(dry.err.contains("as plan-json"), "{dry:?}");
    let json = stage.verb(&["import", "--print", "--json", "plan.json"]).fine().json();
    assert_eq!((json["format"].as_str(), json["phases"].as_u64()), (Some("plan-json"), Some(1)));
    assert_eq!(json["plan"].as_str(), Some(dry.out.as_str()));
    assert_eq!(stage.tree(&stage.project), before);
    stage.agent("main", &["import", "plan.json"]).fine();
    assert!(!stage.project.join("ran").exists());
    // What a dry run prints is a plan for init.
    stage.write("made.md", &dry.out);
    stage.verb(&["init", "--from", "made.md"]).fine();
}

#[test]
fn what_cannot_be_imported_makes_nothing_and_names_every_entry() {
    let stage = Stage::new();
    stage.write("plan.json", r#"[{"id":"a","do":"x"},{"id":"a"},{"do":"y","status":"complete","depends_on":["b"]}]"#);
    let refused = stage.verb(&["import", "--gated", "plan.json"]);
    assert_eq!(refused.code, 1);
    for part in ["error: plan.json cannot be imported as plan-json", "entry 2: `do` is missing", "entry 3: a planner"] {
        assert!(refused.err.contains(part), "{part}: {refused:?}");
    }
    assert!(refused.err.contains("fix: steadfast import --dry-run plan.json\n"), "{refused:?}");
    std::os::unix::fs::symlink("plan.json", stage.project.join("link.json")).unwrap();
    stage.write("large.json", &" ".repeat(1024 * 1024 + 1));
    stage.write("ours.md", PLAN);
    stage.write("several.json", r#"{"a":{"tasks":[{"id":1,"title":"x"}]},"b":{"tasks":[{"id":1,"title":"x"}]}}"#);
    fs::create_dir(stage.project.join("empty")).unwrap();
    for (args, part) in [
        (&["none.json"][..], "no such file"),
        (&["link.json"], "not a regular file"),
        (&["large.json"], "more than 1 MiB"),
        (&["ours.md"], "fix: steadfast init --from ours.md\n"),
        (&["several.json"], "fix: steadfast import --dry-run --tag=a several.json\n"),
        (&["empty"], "no task files"),
        (&["empty", "--format", "spec-kit"], "is a directory"),
        (&["plan.json", "--format", "spec-kit"], "no section has tasks"),
    ] {
        let refused = stage.verb(&[&["import"], args].concat());
        assert_eq!(refused.code, 1, "{args:?}: {refused:?}");
        assert!(refused.err.contains(part) && refused.err.contains("fix: steadfast "), "{args:?}: {refused:?}");
    }
    assert_eq!(stage.verb(&["import", "plan.json", "--format", "yaml"]).code, 2);
    assert!(!stage.project.join(".planning").exists());
    stage.verb(&["import", "several.json", "--tag", "b"]).fine();
}

#[test]
fn a_held_session_cannot_leave_by_an_import() {
    let stage = Stage::gated();
    stage.write("plan.json", TYPED);
    let refused = stage.agent("main", &["import", "plan.json"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("held by"), "{refused:?}");
    stage.agent("main", &["import", "--dry-run", "plan.json"]).fine();
}

#[test]
fn a_directory_of_tasks_is_one_plan_and_what_is_left_out_is_said() {
    let stage = Stage::new();
    stage.write(
        "backlog/tasks/task-10 - b.md",
        "---\nid: task-10\ntitle: B\nstatus: To Do\ndependencies: [task-1, task-9]\n---\n",
    );
    stage.write("backlog/tasks/task-1 - a.md", "---\nid: task-1\ntitle: A\nstatus: Done\n---\n## Description\nx\n");
    let made = stage.agent("main", &["import", "--gated", "backlog", "Two"]).fine();
    assert!(made.out.contains("read backlog as backlog: 2 phases"), "{made:?}");
    assert!(made.err.contains("left out: task-10 B: it waited for task-9, which is not here"), "{made:?}");
    let status = stage.status();
    assert_eq!(status["phases"][0]["status"], "complete");
    assert_eq!(status["phases"][1]["status"], "in_progress");
    assert_eq!(status["phases"][1]["depends_on"], json!(["task-1"]));
}

#[test]
fn a_claim_counts_without_a_check_and_not_with_one() {
    let stage = Stage::new();
    stage.write(
        "feature_list.json",
        r#"[{"category":"c","description":"New chat","steps":["Open"],"passes":true},
        {"category":"c","description":"Dark mode","steps":["Switch"],"passes":false}]"#,
    );
    stage.agent("main", &["import", "--gated", "feature_list.json"]).fine();
    let status = stage.status();
    assert_eq!((&status["phases"][0]["status"], &status["phases"][0]["claimed"]), (&json!("complete"), &json!(false)));
    assert_eq!(status["phases"][1]["status"], "in_progress");
    // A person who wants it shown adds a check: then the claim alone is none.
    stage.edit_plan("### Phase 2", "- **Check:** `test -f chat`\n\n### Phase 2");
    let attested = stage.person(&["attest"], &format!("{}\n", code(&stage)));
    assert_eq!(attested.code, 0, "{attested:?}");
    let status = stage.status();
    assert_eq!(
        (&status["phases"][0]["status"], &status["phases"][0]["claimed"]),
        (&json!("in_progress"), &json!(true))
    );
}

/// The code that `attest` asks a person for.
fn code(stage: &Stage) -> String {
    let shown = stage.person(&["attest"], "\n");
    let text = shown.out.split("type ").nth(1).unwrap_or_else(|| panic!("{shown:?}"));
    text.chars().take(8).collect()
}

/// A run with a check, an artifact, a reason and a proof.
fn played() -> Stage {
    let stage = Stage::new();
    let check = "- **Check:** `test -f built`";
    let plan = PLAN.replace(check, &format!("{check}\n- **Artifact:** out/tables.txt"));
    stage.write("plan.md", &plan.replace("Phase 3: Release", "Phase 3: =Release, \"now\""));
    stage.agent("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    stage.agent("main", &["done", "--anyway", "--why", "seen"]).fine();
    stage.write("built", "x");
    stage.write("out/tables.txt", "a b\n");
    stage.agent("main", &["done", "build", "--anyway", "--why", "seen"]).fine();
    stage.verb(&["log", "note", "from a person"]).fine();
    stage.agent("main", &["skip", "release", "--why=-the owner, \"Ada\", does it"]).fine();
    stage
}

#[test]
fn json_is_the_status_with_the_contract() {
    let stage = played();
    let plan = stage.verb(&["export"]).fine().json();
    let status = stage.status();
    for key in ["plan", "counts", "ledger", "problems"] {
        assert_eq!(plan[key], status[key], "{key}");
    }
    assert_eq!(plan["phases"][1]["checks"], json!(["test -f built"]));
    assert_eq!(plan["phases"][1]["artifacts"], json!(["out/tables.txt"]));
    assert_eq!(plan["phases"][1]["proof"], "passed");
    let shown = stage.verb(&["attest", "--show", "--json"]).fine().json();
    assert_eq!(plan["contract"], shown["contract"]);
    assert_eq!(plan["approval"]["sha256"], shown["digest"]);
    assert!(plan.get("session").is_none() && plan.get("next").is_none());
    let draft = Stage::new();
    draft.verb(&["init", "x"]).fine();
    let plan = draft.verb(&["export", "--format", "json"]).fine().json();
    assert_eq!((&plan["contract"], &plan["approval"]), (&Value::Null, &Value::Null));
}

#[test]
fn jsonl_is_every_record_of_every_agent_by_tick() {
    let stage = played();
    let mut lines: Vec<String> = Vec::new();
    for name in ["ledger-claude-code.jsonl", "ledger-user.jsonl"] {
        lines.extend(stage.read(stage.plan_dir().join(name)).lines().map(str::to_owned));
    }
    lines.sort_by_key(|line| serde_json::from_str::<Value>(line).unwrap()["tick"].as_u64());
    let whole = stage.verb(&["export", "--format", "jsonl"]).fine();
    assert_eq!(whole.out, lines.join("\n") + "\n");
    assert_eq!(whole.err, "");
    fs::write(stage.plan_dir().join("ledger-x.jsonl"), "junk\n").unwrap();
    let bad = stage.verb(&["export", "--format", "jsonl"]).fine();
    assert_eq!(bad.out, whole.out);
    assert!(bad.err.contains("1 lines are no record"), "{bad:?}");
}

#[test]
fn csv_is_a_row_a_phase_and_no_cell_is_a_formula() {
    let stage = played();
    let at = "2026-03-01T12:00:00Z";
    assert_eq!(stage.verb(&["export", "--format", "csv", "--json"]).code, 2);
    let text = stage.verb(&["export", "--format", "csv"]).fine().out;
    assert_eq!(
        text,
        format!(
            "id,title,status,proof,tries,why,started,completed\r\n\
             survey,Survey,complete,none,0,,{at},{at}\r\n\
             build,Build,complete,passed,1,,{at},{at}\r\n\
             release,\"'=Release, \"\"now\"\"\",skipped,none,0,\"'-the owner, \"\"Ada\"\", does it\",{at},\r\n"
        )
    );
}

#[test]
fn in_toto_states_artifacts_contract_and_proofs() {
    let stage = played();
    let statement = stage.verb(&["export", "--format", "in-toto"]).fine().json();
    let shown = stage.verb(&["attest", "--show", "--json"]).fine().json();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], "urn:steadfast:predicate:plan:v1");
    let subjects = statement["subject"].as_array().unwrap();
    assert_eq!(subjects[0]["name"], "tree");
    assert_eq!(subjects[0]["digest"]["steadfastTree"].as_str().unwrap().len(), 64);
    assert_eq!(
        json!(subjects[1..]),
        json!([
            { "name": "out/tables.txt", "digest": { "sha256": hex::encode(Sha256::digest(b"a b\n")) } },
            { "name": "contract-v1.json", "digest": { "sha256": shown["digest"] } },
        ])
    );
    let mirror = fs::read(stage.plan_dir().join("contract-v1.json")).unwrap();
    assert_eq!(shown["digest"], hex::encode(Sha256::digest(&mirror)));
    let predicate = &statement["predicate"];
    assert_eq!(predicate["approval"]["version"], 1);
    assert_eq!(predicate["exportedAt"], "2026-03-01T12:00:00Z", "{NOW}");
    let build = &predicate["phases"][1];
    assert_eq!((&build["proof"]["result"], &build["proof"]["exit"]), (&json!("passed"), &json!(0)));
    assert_eq!(build["proof"]["runs"][0]["exit"], 0);
    assert_eq!(build["artifacts"][0]["path"], "out/tables.txt");
    fs::remove_file(stage.project.join("out/tables.txt")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", stage.project.join("out/tables.txt")).unwrap();
    let statement = stage.verb(&["export", "--format", "in-toto"]).fine().json();
    assert_eq!(statement["subject"].as_array().unwrap().len(), 2, "the tree and the contract: {statement:#}");
    assert_eq!(statement["predicate"]["phases"][1]["artifacts"][0]["sha256"], Value::Null);
    let draft = Stage::new();
    draft.verb(&["init", "x"]).fine();
    assert_eq!(draft.verb(&["export", "--format", "in-toto"]).code, 1);
}

#[test]
fn export_changes_nothing() {
    let stage = played();
    let before = (stage.tree(&stage.project), stage.tree(&stage.state));
    for form in ["json", "jsonl", "csv", "in-toto"] {
        stage.agent("other", &["export", "--format", form]).fine();
    }
    assert_eq!((stage.tree(&stage.project), stage.tree(&stage.state)), before);
}

/// Every verb that edits the plan, on endings and a mark as editors leave them.
#[test]
fn every_verb_keeps_line_endings_and_the_mark() {
    for ending in ["\r\n", "\r", "\n"] {
        let stage = Stage::gated();
        let file = stage.plan_file();
        let start = format!("\u{feff}{}", stage.read(&file).replace('\n', ending));
        fs::write(&file, &start).unwrap();
        let mut want = start;
        let mut to = |args: &[&str], changes: &[(&str, &str)]| {
            stage.agent("main", args).fine();
            for (old, new) in changes {
                assert!(want.contains(old), "{old}: {want:?}");
                want = want.replacen(old, new, 1);
            }
            assert_eq!(stage.read(&file), want, "{args:?} {ending:?}");
        };
        to(&["step", "1"], &[("[ ] List", "[x] List")]);
        to(&["step", "1", "--undo"], &[("[x] List", "[ ] List")]);
        to(&["step", "1", "--drop", "--why", "x"], &[("[ ] List", "[-] List")]);
        to(&["step", "2"], &[("[ ] Measure", "[x] Measure")]);
        to(&["done"], &[("in_progress", "complete"), ("pending", "in_progress")]);
        to(&["fail", "--why", "x"], &[("in_progress", "failed")]);
        to(&["start", "build"], &[("failed", "in_progress")]);
        to(&["skip", "build", "--why", "x"], &[("in_progress", "skipped"), ("pending", "in_progress")]);
        to(&["status"], &[]);
        to(&["attest"], &[]);
    }
}
