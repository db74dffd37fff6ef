//! Verbs in a shell that cannot write the state directory hand over to the next hook of their session.

use std::fs;

use serde_json::json;

use crate::stage::{PLAN, Stage};

fn stage() -> Stage {
    let stage = Stage::new();
    fs::create_dir(&stage.state).unwrap();
    stage.write("plan.md", PLAN);
    stage
}

fn requests(stage: &Stage) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(stage.project.join(".planning"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.starts_with(".request"))
        .collect();
    names.sort();
    names
}

const LATER: &str = "takes effect at the next hook";

#[test]
fn a_whole_gated_run_from_a_shell_that_cannot_write_the_state_directory() {
    let stage = stage();
    let made = stage.boxed("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    assert!(made.out.contains(LATER), "{made:?}");
    assert_eq!(requests(&stage).len(), 1);
    // The rest of the same command: nothing is in force yet, and it says why.
    let early = stage.boxed("main", &["start", "survey"]);
    assert_eq!(early.code, 1);
    assert!(early.err.contains(LATER), "{early:?}");

    let answer = stage.after("main", "steadfast init --gated --from plan.md 'Replace the parser'");
    assert!(answer.context().contains("approved as version 1"), "{answer:?}");
    assert!(answer.context().contains("steadfast step survey 1"), "{answer:?}");
    assert_eq!(answer.notice(), "");
    assert_eq!(requests(&stage), [""; 0]);
    let status = stage.status();
    assert_eq!(status["plan"]["attestation"], "approved");
    assert_eq!(status["plan"]["mode"], "gate");
    assert_eq!(status["session"]["attached"], "main");
    assert!(stage.stop("main", false).held().is_some());

    // Bound and approved: verbs go on without asking anybody.
    for verb in [["step", "survey", "1"].as_slice(), &["step", "survey", "2"], &["done", "survey"]] {
        stage.boxed("main", verb).fine();
        assert_eq!(requests(&stage), [""; 0], "{verb:?}");
    }
    // An extension is handed over too; a check proves from within.
    let more = stage.read(stage.plan_file())
        + "\n### Phase 4: Tell {#tell}\n- **Status:** pending\n- **DependsOn:** release\n";
    fs::write(stage.plan_file(), more).unwrap();
    let asked = stage.boxed("main", &["attest"]).fine();
    assert!(asked.out.contains(LATER), "{asked:?}");
    assert!(stage.after("main", "steadfast attest").context().contains("approved as version 2"));
    stage.write("built", "");
    for phase in ["build", "release", "tell"] {
        stage.boxed("main", &["done", phase, "--anyway", "--why", "looked at"]).fine();
    }
    assert_eq!(stage.stop("main", false).held(), None);
    assert_eq!(stage.status()["counts"]["complete"], 4);
}

#[test]
fn a_draft_is_handed_over_and_its_plan_approved_in_the_same_command() {
    let stage = stage();
    stage.boxed("main", &["init", "--gated", "Replace the parser"]).fine();
    fs::write(stage.plan_file(), PLAN).unwrap();
    stage.boxed("main", &["attest"]).fine();
    let answer = stage.after("main", "make the-plan");
    assert!(answer.context().contains("approved as version 1"), "{answer:?}");
    assert_eq!(stage.status()["plan"]["mode"], "gate");
}

#[test]
fn a_request_of_another_session_does_nothing_and_doctor_names_it() {
    let stage = stage();
    stage.boxed("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    let before = stage.tree(&stage.state);
    for event in ["PostToolUse", "Stop", "UserPromptSubmit", "SessionStart"] {
        let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "steadfast status" }, "prompt": "hello" });
        assert_eq!(stage.hook("other", event, fields).raw, "", "{event}");
    }
    assert_eq!(stage.tree(&stage.state), before);
    assert_eq!(requests(&stage).len(), 1);
    assert!(stage.verb(&["doctor"]).out.contains("a request of another session"));
    assert!(stage.agent("main", &["doctor"]).out.contains("waits for its next hook"));
}

#[test]
fn a_plan_that_changed_after_the_verb_is_not_approved() {
    let stage = stage();
    stage.boxed("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
    stage.edit_plan("Tokenizer", "Something else");
    let answer = stage.after("main", "steadfast init");
    assert!(answer.context().contains("the plan changed since"), "{answer:?}");
    assert!(answer.notice().contains("refused"), "{answer:?}");
    assert_eq!(stage.status()["plan"]["attestation"], "draft");
    assert_eq!(requests(&stage), [""; 0]);
}

#[test]
fn a_forged_request_gets_no_more_than_the_agents_verb_would() {
    let stage = Stage::gated();
    let id = stage.plan_dir().file_name().unwrap().to_str().unwrap().to_owned();
    let file = stage
        .project
        .join(".planning")
        .join(format!(".request.{}", steadfast::store::Session::key("claude-code", "main")));
    // A weakened plan, whatever digest is named, and words that no request has.
    stage.edit_plan("- [ ] Tokenizer\n", "");
    let weak = {
        let bytes = fs::read(stage.plan_file()).unwrap();
        let (_, contract) = steadfast::core::candidate::strict(
            &bytes,
            steadfast::core::contract::Mode::Gate,
            steadfast::core::contract::GateOptions::default(),
        )
        .unwrap();
        steadfast::core::contract::digest(&contract.to_bytes())
    };
    let lines = [
        json!({ "what": "attest", "plan": id, "digest": weak }),
        json!({ "what": "init", "plan": id, "mode": "plain", "goal": "nothing" }),
        json!({ "what": "release", "plan": id }),
        json!({ "what": "attest", "plan": "../../elsewhere", "digest": weak }),
    ];
    fs::write(&file, lines.map(|l| l.to_string()).join("\n")).unwrap();
    let answer = stage.after("main", "true");
    assert!(answer.context().contains("a person has to approve it"), "{answer:?}");
    assert!(!file.exists());
    let status = stage.status();
    assert_eq!(status["plan"]["mode"], "gate");
    assert_eq!(status["plan"]["version"], 1);
    assert!(stage.stop("main", false).held().is_some());
}

#[test]
fn a_request_is_no_way_out_of_a_gated_plan_and_none_into_a_cloned_one() {
    let stage = Stage::gated();
    let first = stage.plan_dir();
    let cloned = stage.project.join(".planning/cloned");
    fs::create_dir(&cloned).unwrap();
    for name in ["task_plan.md", ".attestation", "contract-v1.json", ".run"] {
        fs::copy(first.join(name), cloned.join(name)).unwrap();
    }
    let text = json!({ "what": "attach", "plan": "cloned" }).to_string();
    let file = |session: &str| {
        let key = steadfast::store::Session::key("claude-code", session);
        stage.project.join(".planning").join(format!(".request.{key}"))
    };
    fs::write(file("main"), &text).unwrap();
    let answer = stage.after("main", "true");
    assert!(answer.context().contains("whose work is open"), "{answer:?}");

    let init = json!({ "what": "init", "plan": "cloned", "mode": "gate", "goal": "x" }).to_string();
    fs::write(file("second"), init).unwrap();
    let answer = stage.after("second", "steadfast init");
    assert!(answer.context().contains("approved somewhere else"), "{answer:?}");
    let shown = stage.verb(&["--plan", "cloned", "status", "--json"]).fine().json();
    assert_eq!(shown["plan"]["attestation"], "unapproved");
}

#[test]
fn what_is_no_request_file_is_left_alone() {
    use std::os::unix::fs::symlink;
    let stage = Stage::gated();
    let key = steadfast::store::Session::key("claude-code", "main");
    let file = stage.project.join(".planning").join(format!(".request.{key}"));
    let outside = stage.home.join("outside");
    fs::write(&outside, "{\"what\":\"attach\"}\n").unwrap();
    symlink(&outside, &file).unwrap();
    assert_eq!(stage.after("main", "true").raw, "");
    assert_eq!(stage.read(&outside), "{\"what\":\"attach\"}\n");
    fs::remove_file(&file).unwrap();
    std::process::Command::new("mkfifo").arg(&file).status().unwrap();
    assert_eq!(stage.after("main", "true").raw, "");
    fs::remove_file(&file).unwrap();
    fs::write(&file, vec![b'x'; 1 << 20]).unwrap();
    assert_eq!(stage.after("main", "true").raw, "");
    assert!(stage.stop("main", false).held().is_some());
}

#[test]
fn an_attach_is_handed_over() {
    let stage = Stage::gated();
    let asked = stage.boxed("second", &["attach"]).fine();
    assert!(asked.out.contains(LATER), "{asked:?}");
    // Until then the first one is held.
    assert!(stage.stop("main", false).held().is_some());
    let answer = stage.after("second", "steadfast attach");
    assert!(answer.context().contains("this session is attached"), "{answer:?}");
    assert!(stage.stop("second", false).held().is_some());
    assert_eq!(stage.stop("main", false).held(), None);
}
