//! Line ends, byte order marks and encodings of plan files and payloads: what is read is never changed beyond the word that is
//! meant, and what is not read is refused by name and left as it is.

use std::fs;

use crate::stage::{PLAN, Stage};

const BOM: &str = "\u{feff}";

fn utf16(text: &str, little: bool, bom: bool) -> Vec<u8> {
    let text = if bom { format!("{BOM}{text}") } else { text.to_owned() };
    text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

/// Line ends that take turns.
fn mixed(text: &str) -> String {
    text.split_inclusive('\n').zip(["\n", "\r\n", "\r"].iter().cycle()).map(|(l, end)| l.replace('\n', end)).collect()
}

#[test]
fn verbs_change_one_word_whatever_ends_the_lines() {
    let last_open = PLAN.trim_end().to_owned();
    for (name, text) in [
        ("lf", PLAN.to_owned()),
        ("crlf", PLAN.replace('\n', "\r\n")),
        ("cr", PLAN.replace('\n', "\r")),
        ("mixed", mixed(PLAN)),
        ("bom", format!("{BOM}{PLAN}")),
        ("bom and crlf", format!("{BOM}{}", PLAN.replace('\n', "\r\n"))),
        ("no end", last_open),
    ] {
        let stage = Stage::new();
        stage.write("plan.md", &text);
        stage.agent("main", &["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
        let opened = text.replacen("pending", "in_progress", 1);
        assert_eq!(stage.read(stage.plan_file()), opened, "{name}");
        stage.agent("main", &["step", "survey", "2"]).fine();
        let checked = opened.replace("[ ] Measure", "[x] Measure");
        assert_eq!(stage.read(stage.plan_file()), checked, "{name}");
        stage.agent("main", &["step", "survey", "1"]).fine();
        stage.agent("main", &["done", "survey"]).fine();
        let done = checked.replace("[ ] List", "[x] List").replacen("in_progress", "complete", 1);
        assert_eq!(stage.read(stage.plan_file()), done.replacen("pending", "in_progress", 1), "{name}");
        let status = stage.verb(&["status", "--json"]).fine().json();
        assert_eq!(status["plan"]["attestation"], "approved", "{name}: {status}");
    }
}

#[test]
fn a_plan_in_utf16_is_refused_by_name() {
    for (little, bom) in [(true, true), (false, true), (true, false), (false, false)] {
        let stage = Stage::new();
        let bytes = utf16(PLAN, little, bom);
        fs::write(stage.project.join("plan.md"), &bytes).unwrap();
        for args in [&["init", "--gated", "--from", "plan.md", "x"][..], &["import", "plan.md"]] {
            let ran = stage.agent("main", args);
            assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
            assert!(ran.err.contains("UTF-16") && ran.err.contains("save it as UTF-8"), "{args:?}: {ran:?}");
        }
        assert!(!stage.project.join(".planning").exists());
        assert_eq!(fs::read(stage.project.join("plan.md")).unwrap(), bytes);
    }
}

#[test]
fn a_plan_that_became_utf16_is_not_changed_and_what_is_approved_goes_on() {
    let stage = Stage::gated();
    let plan = stage.plan_file();
    let bytes = utf16(&stage.read(&plan), true, true);
    fs::write(&plan, &bytes).unwrap();
    assert!(stage.prompt("main", "go on").context().contains("Survey"));
    assert!(stage.stop_alone("main", false).held().is_some());
    for args in [&["step", "survey", "1"][..], &["attest"], &["propose", ".planning/utf16.md", "--why", "x"]] {
        fs::write(stage.project.join(".planning/utf16.md"), &bytes).unwrap();
        let ran = stage.agent("main", args);
        assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
        assert!(ran.err.contains("UTF-16") && ran.err.contains("save it as UTF-8"), "{args:?}: {ran:?}");
        assert_eq!(fs::read(&plan).unwrap(), bytes, "{args:?}");
    }
    for args in [&["status"][..], &["doctor"]] {
        let ran = stage.verb(args);
        assert!(ran.out.contains("it is UTF-16"), "{args:?}: {ran:?}");
    }
    // A word that is recorded elsewhere needs no file.
    stage.agent("main", &["wait", "survey", "--human", "which callers?"]).fine();
    assert_eq!(fs::read(&plan).unwrap(), bytes);
    // Not even by the verb that writes the approved plan back: what stands there cannot be kept by being read.
    let ran = stage.agent("main", &["restore"]);
    assert!(ran.code == 1 && ran.err.contains("UTF-16"), "{ran:?}");
    assert_eq!(fs::read(&plan).unwrap(), bytes);
    fs::rename(&plan, stage.plan_dir().join("old.md")).unwrap();
    stage.agent("main", &["restore"]).fine();
    assert!(stage.read(&plan).contains("### Phase 1: Survey {#survey}"));
}

#[test]
fn payloads_with_marks_and_line_ends_are_read_and_utf16_is_named() {
    let stage = Stage::gated();
    let payload = serde_json::json!({ "session_id": "main", "cwd": stage.project, "prompt": "go on" });
    let text = serde_json::to_string_pretty(&payload).unwrap();
    for text in
        [text.replace('\n', "\r\n"), format!("{BOM}{text}"), format!("\r\n{text}\r\n"), text.replace('\n', "\r")]
    {
        let ran = stage.hook_bytes("user-prompt", text.as_bytes(), &[]);
        assert!(ran.code == 0 && ran.out.contains("Survey"), "{text:?}: {ran:?}");
    }
    for (little, bom) in [(true, true), (false, true), (true, false)] {
        let ran = stage.hook_bytes("stop", &utf16(&text, little, bom), &[]);
        assert_eq!((ran.code, ran.out.as_str()), (0, ""));
        assert!(ran.err.contains("UTF-16"), "little {little}, mark {bom}: {ran:?}");
    }
}

#[test]
fn small_files_that_an_editor_marked_are_read() {
    let stage = Stage::gated();
    stage.verb(&["init", "--autonomous", "--from", "plan.md", "Another one"]).fine();
    let planning = stage.project.join(".planning");
    for id in ["2026-03-01-replace-the-parser", "2026-03-01-another-one"] {
        fs::write(planning.join(".active_plan"), format!("{BOM}{id}\r\n")).unwrap();
        assert_eq!(stage.verb(&["status", "--json"]).fine().json()["plan"]["id"], id);
    }
    fs::write(planning.join("priorities"), format!("{BOM}2026-03-01-another-one\r\n2026-03-01-replace-the-parser\r\n"))
        .unwrap();
    let all = stage.verb(&["next", "--all"]).fine().out;
    let at = |id: &str| all.find(id).unwrap_or_else(|| panic!("{id}: {all}"));
    assert!(at("another-one") < at("replace-the-parser"), "{all}");
}

#[test]
fn a_cwd_of_another_system_is_passed_over_for_where_the_hook_runs() {
    for cwd in [r"C:\Users\u\proj", "C:/Users", r"\\wsl$\d\p", r"\\?\C:\p", "proj", ""] {
        let stage = Stage::new();
        stage.write("plan.md", PLAN);
        stage.verb(&["init", "--gated", "--from", "plan.md", "Replace the parser"]).fine();
        let payload = serde_json::json!({ "session_id": "main", "cwd": cwd, "source": "startup" }).to_string();
        let ran = stage.hook_bytes("session-start", payload.as_bytes(), &[("CLAUDE_PROJECT_DIR", "")]);
        assert!(ran.code == 0 && ran.out.contains("Survey"), "{cwd}: {ran:?}");
    }
}
