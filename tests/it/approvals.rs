//! Approvals over time: what differs, who approved what, taking one back, and plans that move or go.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::stage::Stage;

fn heads(stage: &Stage) -> Vec<PathBuf> {
    stage.tree(&stage.state).into_iter().map(|(path, _)| path).filter(|path| path.ends_with("head.json")).collect()
}

fn list(stage: &Stage) -> Vec<Value> {
    stage.verb(&["approvals", "--json"]).fine().json()["approvals"].as_array().unwrap().clone()
}

fn kinds(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|row| row["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_difference_is_told_by_phase() {
    let stage = Stage::gated();
    let same = stage.verb(&["attest", "--diff", "--json"]).fine().json();
    assert_eq!((&same["change"], &same["differences"]), (&json!("same"), &json!([])));
    stage.edit_plan("- [ ] Tables\n", "- [ ] Tables\n- [ ] Errors\n");
    let more = stage.verb(&["attest", "--diff", "--json"]).fine().json();
    assert_eq!((&more["change"], &more["needs_person"]), (&json!("extends"), &json!(false)));
    stage.edit_plan("test -f built", "true");
    stage.edit_plan("### Phase 3: Release {#release}\n- **Status:** pending\n- **DependsOn:** build\n", "");
    let less = stage.verb(&["attest", "--diff", "--json"]).fine().json();
    assert_eq!((&less["change"], &less["needs_person"]), (&json!("weakens"), &json!(true)));
    assert_eq!(
        less["differences"],
        json!([
            { "phase": "build", "title": "Build", "kind": "step_added", "old": null, "new": "Errors" },
            { "phase": "build", "title": "Build", "kind": "check_changed", "old": "test -f built", "new": "true" },
            { "phase": "release", "title": "Release", "kind": "removed", "old": "Release", "new": null },
        ])
    );
    let plain = stage.agent("main", &["attest", "--diff"]).fine();
    assert_eq!(
        plain.out,
        "build: + step: Errors\nbuild: check: test -f built -> true\n- phase release: Release\n\
         this takes something away or rewords it: only a person can approve it\n"
    );
    let typed = stage.person(&["attest", "--diff"], "").fine();
    assert!(typed.out.contains("build\r\n  + step: Errors\r\n  check: test -f built -> true\r\n"), "{typed:?}");
    let coloured = stage.with("CLICOLOR_FORCE", "1");
    let painted = coloured.verb(&["attest", "--diff"]).fine();
    assert!(painted.out.contains("\u{1b}[32m+ step: Errors\u{1b}[0m"), "{painted:?}");
}

#[test]
fn a_draft_differs_from_nothing() {
    let stage = Stage::new();
    stage.agent("main", &["init", "--gated", "Replace the parser"]).fine();
    std::fs::write(stage.plan_file(), crate::stage::PLAN).unwrap();
    let all = stage.verb(&["attest", "--diff", "--json"]).fine().json();
    assert_eq!((&all["change"], &all["needs_person"], &all["version"]), (&json!("extends"), &json!(false), &json!(0)));
    let plain = stage.agent("main", &["attest", "--diff"]).fine();
    assert!(plain.out.contains("+ phase build: Build (4 more in it)\n"), "{plain:?}");
    stage.agent("main", &["attest"]).fine();
    assert_eq!(stage.status()["plan"]["version"], 1);
}

#[test]
fn the_log_says_who_approved_what_when() {
    let stage = Stage::gated();
    stage.edit_plan("- [ ] Tables\n", "- [ ] Tables\n- [ ] Errors\n");
    stage.agent("main", &["attest"]).fine();
    stage.edit_plan("- [ ] Tokenizer\n", "");
    stage.approves(&["attest"]);
    let log = stage.verb(&["attest", "--log", "--json"]).fine().json();
    let rows = log["log"].as_array().unwrap();
    let told: Vec<_> = rows.iter().map(|r| (r["version"].as_u64().unwrap(), r["by"].as_str().unwrap())).collect();
    assert_eq!(told, [(1, "agent"), (2, "agent"), (3, "person")]);
    assert!(rows.iter().all(|r| r["at"] == "2026-03-01T12:00:00Z" && r["event"] == "approved"));
    assert_eq!(rows[1]["differences"][0]["new"], "Errors");
    assert_eq!(rows[2]["differences"][0]["old"], "Tokenizer");
    assert_eq!(kinds(&rows[2]["differences"]), ["step_removed"]);
    let plain = stage.verb(&["attest", "--log"]).fine();
    let start = &rows[2]["digest"].as_str().unwrap()[..8];
    assert!(
        plain.out.ends_with(&format!(
            "version 3 approved by person, 2026-03-01T12:00:00Z, {start}\n  build: - step: Tokenizer\n"
        )),
        "{plain:?}"
    );
}

#[test]
fn a_forged_mirror_is_no_text_of_the_log() {
    let stage = Stage::gated();
    stage.edit_plan("- [ ] Tables\n", "- [ ] Tables\n- [ ] Errors\n");
    stage.agent("main", &["attest"]).fine();
    let mirror = stage.plan_dir().join("contract-v1.json");
    std::fs::write(&mirror, stage.read(&mirror).replace("Tokenizer", "Publish everything")).unwrap();
    let log = stage.verb(&["attest", "--log", "--json"]).fine();
    assert!(!log.out.contains("Publish everything"), "{log:?}");
    let rows = log.json()["log"].clone();
    assert_eq!((&rows[0]["kept"], &rows[0]["differences"]), (&json!(false), &Value::Null));
    assert_eq!((&rows[1]["kept"], &rows[1]["differences"]), (&json!(true), &Value::Null));
    let plain = stage.verb(&["attest", "--log"]).fine();
    assert!(plain.out.contains("its text is not kept"), "{plain:?}");
    assert!(plain.out.contains("the text of the version before is not kept"), "{plain:?}");
}

#[test]
fn a_revoked_plan_is_not_shown_not_run_and_holds_nobody() {
    let stage = Stage::gated();
    assert!(stage.stop_alone("main", false).held().is_some());
    let refused = stage.agent("main", &["attest", "--revoke"]);
    assert!(refused.code == 1 && refused.err.contains("is for the person"), "{refused:?}");
    assert_eq!(stage.verb(&["attest", "--revoke"]).code, 1, "not off a terminal either");
    assert_eq!(stage.person(&["attest", "--revoke"], "00000000\n").code, 1);
    assert_eq!(stage.status()["plan"]["attestation"], "approved");
    stage.approves(&["attest", "--revoke"]);
    let status = stage.status();
    assert_eq!((&status["plan"]["attestation"], &status["plan"]["version"]), (&json!("unapproved"), &json!(1)));
    assert_eq!(status["gate"]["verdict"], "not-gated");
    assert!(!stage.plan_dir().join(".attestation").exists());
    let told = stage.prompt("main", "go on");
    assert!(!told.context().contains("[plan"), "{told:?}");
    assert!(told.context().contains("the user revoked the approval"), "{told:?}");
    assert!(told.notice().contains("was revoked") && !told.notice().contains('\n'), "{told:?}");
    assert_eq!(stage.prompt("main", "and now").raw, "", "said once");
    assert_eq!(stage.stop_alone("main", false).raw, "");
    assert_eq!(stage.stop("main", false).raw, "");
    assert_eq!(stage.hook("main", "SubagentStart", json!({ "agent_id": "a", "agent_type": "x" })).raw, "");
    for args in [&["attest"][..], &["step"], &["done"], &["check", "build"], &["attest", "--show"], &["restore"]] {
        let refused = stage.agent("main", args);
        assert!(refused.code == 1 && refused.err.contains("was revoked"), "{args:?}: {refused:?}");
    }
    stage.edit("main", "src/x.rs", "x");
    stage.edit_plan("- [ ] Tables\n", "- [ ] Tables\n- [ ] Errors\n");
    stage.hook(
        "main",
        "PostToolUse",
        json!({ "tool_name": "Edit", "tool_input": { "file_path": stage.plan_file(), "new_string": "x" } }),
    );
    assert_eq!(stage.status()["plan"]["attestation"], "unapproved", "no edit brings it back");
    assert_eq!(stage.count("revoke"), 1);
}

#[test]
fn after_a_revocation_a_person_makes_the_next_version() {
    let stage = Stage::gated();
    stage.approves(&["attest", "--revoke"]);
    assert_eq!(stage.agent("main", &["attest"]).code, 1);
    stage.approves(&["attest"]);
    let status = stage.status();
    assert_eq!((&status["plan"]["attestation"], &status["plan"]["version"]), (&json!("approved"), &json!(2)));
    assert!(stage.prompt("main", "go on").context().contains("[plan"));
    assert!(stage.stop_alone("main", false).held().is_some());
    stage.edit_plan("- [ ] Tables\n", "- [ ] Tables\n- [ ] Errors\n");
    stage.agent("main", &["attest"]).fine();
    let log = stage.verb(&["attest", "--log", "--json"]).fine().json();
    let rows: Vec<_> = log["log"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| (r["version"].as_u64().unwrap(), r["event"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [(1, "approved"), (1, "revoked"), (2, "approved"), (3, "approved")]);
    assert_eq!(log["log"][2]["differences"], json!([]));
}

#[test]
fn a_busy_agent_and_its_user_hear_of_a_revocation_at_the_next_tool_call() {
    let stage = Stage::gated();
    stage.approves(&["attest", "--revoke"]);
    let told = stage.edit("main", "a.rs", "a");
    assert!(told.context().contains("revoked") && told.notice().contains("revoked"), "{told:?}");
    assert_eq!(stage.edit("main", "b.rs", "b").raw, "");
    assert_eq!(stage.prompt("main", "x").raw, "");
    assert_eq!(stage.edit("other", "c.rs", "c").raw, "", "others have no part in it");
}

#[test]
fn a_revoked_plan_attaches_and_offers_itself_to_nobody() {
    let stage = Stage::gated();
    stage.approves(&["attest", "--revoke"]);
    stage.hook("main", "SessionEnd", json!({ "reason": "exit" }));
    assert_eq!(stage.start("other", "startup").raw, "");
    assert_eq!(stage.prompt("other", "continue").raw, "");
    stage.agent("main", &["init", "Another task"]).fine();
}

#[test]
fn a_code_shown_before_a_revocation_counts_no_more() {
    let stage = Stage::gated();
    stage.edit_plan("- [ ] Tables\n", "");
    let shown = stage.prompt("main", "approve plan");
    let code = shown.held().unwrap().split("approve plan ").nth(1).unwrap()[..8].to_owned();
    stage.approves(&["attest", "--revoke"]);
    let answer = stage.prompt("main", &format!("approve plan {code}"));
    assert!(answer.held().unwrap().contains("nothing was shown"), "{answer:?}");
    let again = stage.prompt("main", "approve plan");
    let code = again.held().unwrap().split("approve plan ").nth(1).unwrap()[..8].to_owned();
    assert!(stage.prompt("main", &format!("approve plan {code}")).held().unwrap().contains("version 2"));
    assert!(stage.prompt("main", "go on").context().contains("[plan"));
}

#[test]
fn an_older_version_is_never_approved_again() {
    let stage = Stage::gated();
    let first = stage.read(stage.plan_file());
    stage.edit_plan("- [ ] Tables\n", "");
    stage.approves(&["attest"]);
    std::fs::write(stage.plan_file(), first).unwrap();
    stage.agent("main", &["attest"]).fine();
    assert_eq!(stage.status()["plan"]["version"], 3);
    let log = stage.verb(&["attest", "--log", "--json"]).fine().json()["log"].clone();
    assert_eq!(log[0]["digest"], log[2]["digest"], "the old text, as a version of its own");
}

#[test]
fn a_plan_that_was_copied_moved_or_cloned_is_unapproved_and_counts_on() {
    let run = |stage: &Stage, program: &str, args: &[&str]| {
        let mut command = std::process::Command::new(program);
        command.args(args).current_dir(stage.dir.path()).envs(stage.env.iter().map(|(k, v)| (k, v)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{program} {args:?}: {output:?}");
    };
    for way in ["copy", "move", "clone"] {
        let mut stage = Stage::gated();
        stage.edit_plan("- [ ] Tables\n", "- [ ] Tables\n- [ ] Errors\n");
        stage.agent("main", &["attest"]).fine();
        let id = stage.plan_dir().file_name().unwrap().to_str().unwrap().to_owned();
        let mut plan = id.clone();
        match way {
            "copy" => {
                run(&stage, "cp", &["-a", &format!("project/.planning/{id}"), "project/.planning/copy"]);
                plan = "copy".to_owned();
            }
            "move" => {
                run(&stage, "mv", &["project", "moved"]);
                stage.project = stage.project.with_file_name("moved");
            }
            _ => {
                let git = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
                run(&stage, "git", &["init", "-q", "project"]);
                run(&stage, "git", &["-C", "project", "add", "."]);
                run(&stage, "git", &[&git[..], &["-C", "project", "commit", "-qm", "x"]].concat());
                run(&stage, "git", &["clone", "-q", "project", "clone"]);
                stage.project = stage.project.with_file_name("clone");
            }
        }
        let plan = ["--plan", plan.as_str()];
        let status = || stage.verb(&[&plan[..], &["status", "--json"]].concat()).fine().json()["plan"].clone();
        assert_eq!(status()["attestation"], "unapproved", "{way}");
        let refused = stage.agent("new", &[&plan[..], &["attest"]].concat());
        assert!(refused.code == 1 && refused.err.contains("a person has to approve"), "{way}: {refused:?}");
        stage.approves(&[&plan[..], &["attest"]].concat());
        assert_eq!(status()["version"], 3, "{way}: versions 1 and 2 have their texts");
        let dir = stage.project.join(".planning").join(plan[1]);
        let check = std::process::Command::new("sha256sum").args(["-c", ".attestation"]).current_dir(&dir).output();
        assert!(check.unwrap().status.success(), "{way}");
    }
}

#[test]
fn made_up_version_numbers_lead_nowhere() {
    let stage = Stage::new();
    stage.write(".planning/x/task_plan.md", crate::stage::PLAN);
    stage.write(".planning/x/.mode", "autonomous\n");
    for number in ["18446744073709551615", "1000000", "-1", "x"] {
        stage.write(&format!(".planning/x/contract-v{number}.json"), "{}");
    }
    stage.approves(&["attest"]);
    assert_eq!(stage.status()["plan"]["version"], 1);
}

/// Puts other contract bytes into the head, with the digest that fits them, as another version of the program might.
fn rewrite(stage: &Stage, change: impl Fn(&mut Value), pretty: bool) {
    use sha2::Digest;
    let path = heads(stage).pop().unwrap();
    let mut head: Value = serde_json::from_str(&stage.read(&path)).unwrap();
    let mut contract: Value = serde_json::from_str(head["contract"].as_str().unwrap()).unwrap();
    change(&mut contract);
    let text = if pretty { serde_json::to_string_pretty(&contract) } else { serde_json::to_string(&contract) }.unwrap();
    head["digest"] = hex::encode(sha2::Sha256::digest(text.as_bytes())).into();
    head["contract"] = text.into();
    head["a key of the record"] = json!({ "of": "a later version" });
    std::fs::write(&path, head.to_string()).unwrap();
}

#[test]
fn stored_contracts_are_compared_by_value_so_that_an_upgrade_changes_no_approval() {
    for pretty in [false, true] {
        let stage = Stage::gated();
        // Through a map, the keys are sorted: another order than ours.
        rewrite(&stage, |_| {}, pretty);
        assert_eq!(stage.status()["plan"]["attestation"], "approved");
        assert!(stage.prompt("main", "x").context().contains("Survey"));
        assert!(stage.stop_alone("main", false).held().is_some());
        let again = stage.agent("main", &["attest"]).fine();
        assert!(again.out.contains("approved already as version 1"), "{again:?}");
        assert_eq!(stage.verb(&["attest", "--diff", "--json"]).fine().json()["change"], "same");
    }
    let stage = Stage::gated();
    rewrite(&stage, |contract| contract["phases"][0]["tools"] = json!([]), false);
    assert_eq!(stage.status()["plan"]["attestation"], "approved", "an empty list says what no list says");
}

#[test]
fn what_a_newer_version_approved_is_not_followed_in_part() {
    let changes: [fn(&mut Value); 3] = [
        |contract| contract["phases"][0]["only_after"] = json!("2027-01-01"),
        |contract| contract["gate"]["strict"] = json!(true),
        |contract| contract["v"] = json!(2),
    ];
    for change in changes {
        let stage = Stage::gated();
        rewrite(&stage, change, false);
        let answer = stage.prompt("main", "x");
        assert_eq!(answer.context(), "");
        assert!(answer.notice().contains("a newer version of steadfast"), "{answer:?}");
        assert_eq!(stage.stop_alone("main", false).held(), None);
        assert_eq!(stage.agent("main", &["attest"]).code, 3);
        assert_eq!(list(&stage)[0]["state"], "damaged");
    }
    for (from, to) in [
        ("\"v\":1", "\"v\":2"),
        ("\"gate\":{", "\"gate\":{\"strict\":true"),
        ("\"mode\":\"gate\"", "\"mode\":\"guard\""),
    ] {
        let stage = Stage::gated();
        let path = heads(&stage).pop().unwrap();
        std::fs::write(&path, stage.read(&path).replacen(from, to, 1)).unwrap();
        let answer = stage.prompt("main", "x");
        assert!(answer.context().is_empty() && answer.notice().contains("a newer version of steadfast"), "{answer:?}");
    }
}

#[test]
fn the_fix_for_a_damaged_head_makes_the_plan_approvable_again() {
    let stage = Stage::gated();
    std::fs::write(heads(&stage).pop().unwrap(), "{").unwrap();
    let doctor = stage.verb(&["doctor"]);
    let fix = doctor.out.lines().find_map(|l| l.trim().strip_prefix("fix: mv")).unwrap().to_owned();
    let pasted = std::process::Command::new("sh").args(["-c", &format!("mv{fix}")]).output().unwrap();
    assert!(pasted.status.success(), "{pasted:?}");
    assert_eq!(stage.status()["plan"]["attestation"], "unapproved");
    stage.approves(&["attest"]);
    assert_eq!(stage.status()["plan"]["version"], 2);
}

#[test]
fn all_approvals_of_this_machine_are_listed() {
    let stage = Stage::new();
    assert_eq!(list(&stage), Vec::<Value>::new());
    assert_eq!(stage.verb(&["approvals"]).fine().out, "nothing is approved on this machine\n");
    let stage = Stage::gated();
    let dir = stage.plan_dir();
    let row = list(&stage).pop().unwrap();
    assert_eq!(row["dir"], dir.to_str().unwrap());
    assert_eq!(row["id"], dir.file_name().unwrap().to_str().unwrap());
    for (key, right) in [
        ("plan", json!("here")),
        ("state", json!("approved")),
        ("version", json!(1)),
        ("mode", json!("gate")),
        ("by", json!("agent")),
        ("at", json!("2026-03-01T12:00:00Z")),
        ("goal", json!("Replace the hand-written parser without breaking the CLI.")),
        ("trouble", Value::Null),
    ] {
        assert_eq!(row[key], right, "{key}");
    }
    stage.approves(&["attest", "--revoke"]);
    assert_eq!(list(&stage)[0]["state"], "revoked");
    stage.agent("other", &["init", "--autonomous", "Second"]).fine();
    let plain = stage.verb(&["approvals"]).fine();
    assert!(plain.out.contains("revoked 1 by person 2026-03-01T12:00:00Z, gate: Replace the"), "{plain:?}");
    assert!(plain.out.contains("draft, autonomous: Second"), "{plain:?}");
    std::fs::write(&heads(&stage)[0], "{").unwrap();
    assert_eq!(list(&stage).iter().filter(|r| r["state"] == "damaged").count(), 1);
    assert!(stage.verb(&["approvals"]).fine().out.contains("damaged "));
}

#[test]
fn only_approvals_of_plans_that_are_certainly_gone_are_pruned() {
    let mut stage = Stage::gated();
    let home = stage.project.clone();
    let gone = stage.plan_dir();
    for (name, id) in [("here", "a"), ("unmounted", "b"), ("emptied", "c"), ("locked", "d")] {
        stage.project = home.with_file_name(name);
        std::fs::create_dir_all(stage.project.join(".git")).unwrap();
        stage.write("plan.md", crate::stage::PLAN);
        stage.agent(id, &["init", "--gated", "--from", "plan.md"]).fine();
    }
    let of = |name: &str| home.with_file_name(name);
    std::fs::remove_dir_all(&gone).unwrap();
    std::fs::rename(of("unmounted"), of("elsewhere")).unwrap();
    std::fs::remove_dir_all(of("emptied").join(".planning")).unwrap();
    let locked = of("locked").join(".planning");
    std::fs::rename(&locked, of("locked").join("away")).unwrap();
    std::fs::write(&locked, "no folder").unwrap();
    stage.project = of("here");
    let words: Vec<_> = list(&stage).iter().map(|r| r["plan"].as_str().unwrap().to_owned()).collect();
    assert_eq!(words.iter().filter(|w| *w == "gone").count(), 1, "{words:?}");
    assert_eq!(words.iter().filter(|w| *w == "unknown").count(), 3, "{words:?}");
    assert!(stage.verb(&["approvals"]).fine().out.contains("plans that are gone: 1"));
    for refused in [stage.agent("a", &["approvals", "--prune"]), stage.verb(&["approvals", "--prune"])] {
        assert!(refused.code == 1 && refused.err.contains("is for the person"), "{refused:?}");
    }
    let pruned = stage.person(&["approvals", "--prune"], "").fine();
    assert!(pruned.out.contains(&format!("removed the approval of {}", gone.display())), "{pruned:?}");
    let kept: Vec<_> = pruned.out.lines().filter(|l| l.starts_with("kept ")).collect();
    assert_eq!(kept.len(), 3, "{pruned:?}");
    assert_eq!(heads(&stage).len(), 4);
    assert!(stage.prompt("a", "x").context().contains("[plan"), "the others go on");
    let fix = kept[0].split("To remove it: ").nth(1).unwrap();
    assert!(std::process::Command::new("sh").args(["-c", fix]).status().unwrap().success());
    assert_eq!(heads(&stage).len(), 3);
    assert!(stage.person(&["approvals", "--prune"], "").fine().out.contains("nothing to remove"));
}
