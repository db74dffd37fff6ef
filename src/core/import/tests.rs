use super::*;
use crate::core::candidate;
use crate::core::contract::{Contract, GateOptions, Mode};
use crate::core::plan::{Plan, StepState};
use crate::core::plan_read;

fn source(name: &str, text: &str) -> Source {
    let file = File { name: name.into(), bytes: text.as_bytes().to_vec() };
    Source { name: name.into(), files: vec![file], tag: None }
}

#[track_caller]
fn made(kind: Kind, source: &Source) -> (Plan, Contract, Converted) {
    let made = convert(kind, source, "").unwrap_or_else(|problems| panic!("{problems:#?}"));
    let (bytes, contract) = candidate::strict(made.text.as_bytes(), Mode::Gate, GateOptions::default()).unwrap();
    assert_eq!(bytes, made.text.as_bytes(), "every phase has its id");
    (plan_read::read(&bytes), contract, made)
}

#[track_caller]
fn refused(kind: Kind, text: &str, parts: &[&str]) {
    let problems = convert(kind, &source("x", text), "").expect_err(text);
    let whats: Vec<&str> = problems.iter().map(|p| p.what.as_str()).collect();
    for part in parts {
        assert!(whats.iter().any(|what| what.contains(part)), "{part}: {whats:?}");
    }
    assert!(problems.iter().all(|p| !p.fix.is_empty()), "{problems:?}");
}

/// Ids, statuses, dependencies of each phase.
fn gist(plan: &Plan) -> Vec<(String, String, String)> {
    let phases = plan.phases.iter();
    phases
        .map(|p| (p.id.clone().unwrap_or_default(), p.status.word().to_owned(), p.fields.depends_on.join(",")))
        .collect()
}

fn rows(rows: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    rows.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned())).collect()
}

#[test]
fn words_are_those_of_their_kinds() {
    for kind in Kind::ALL {
        assert_eq!(Kind::of(kind.word()), Some(kind));
    }
    assert_eq!(Kind::of("yaml"), None);
}

#[test]
fn a_check_of_a_form_that_has_none_is_no_note() {
    let what = "`check` is no key of this form";
    refused(Kind::TaskMaster, r#"{"tasks":[{"id":1,"title":"Mend","check":"make"}]}"#, &[what]);
    refused(
        Kind::TaskMaster,
        r#"{"tasks":[{"id":1,"title":"Mend","subtasks":[{"id":1,"title":"Oil","check":"make"}]}]}"#,
        &[what],
    );
    refused(
        Kind::FeatureList,
        r#"[{"category":"a","description":"Mend","steps":[],"passes":false,"check":"make"}]"#,
        &[what],
    );
}

#[test]
fn a_typed_plan_keeps_ids_order_and_commands() {
    let text = r#"[{"id":"survey","do":"List  the\ncallers","tool":"grep"},
        {"id":"two words","do":"Build","depends_on":["survey"],"check":["make","test `date` != x","echo '<!-- x -->'"]},
        {"id":7,"do":"Ship","depends_on":"two words"}]"#;
    let (plan, contract, made) = made(Kind::PlanJson, &source("plan.json", text));
    assert_eq!(
        gist(&plan),
        rows(&[("survey", "pending", ""), ("two-words", "pending", "survey"), ("7", "pending", "two-words")])
    );
    assert_eq!(contract.phases[0].title, "List the callers");
    assert_eq!(contract.phases[1].checks, ["make", "test `date` != x", "echo '<!-- x -->'"]);
    let tool = "- **Tool:** grep\n";
    assert!(made.text.contains(tool), "{}", made.text);
    assert!(made.text.contains("- **Known as:** two words\n"), "{}", made.text);
}

#[test]
fn a_typed_plan_fails_closed() {
    for (text, part) in [
        ("[]", "the list: it is empty"),
        ("{}", "it is no list"),
        ("[1]", "entry 1: it is no object"),
        ("[", "it is not JSON"),
        ("[\"\\ud800\"]", "it is not JSON"),
        (r#"[{"do":"a"},{"id":"x"}]"#, "entry 2: `do` is missing"),
        (r#"[{"do":"a"},{"do":" "}]"#, "entry 2: `do` is missing"),
        (r#"[{"do":"a"},{"do":["a"]}]"#, "entry 2: `do` is no text"),
        (r#"[{"id":"a","do":"x"},{"do":"y"},{"id":"a","do":"z"}]"#, "entry 3: the id `a` is that of entry 1 already"),
        (r#"[{"id":"a","do":"x","depends_on":["b"]}]"#, "entry 1: it depends on `b`, which is not in the list"),
        (r#"[{"id":"a","do":"x","depends_on":["a"]}]"#, "entry 1: the phase depends on itself"),
        (r#"[{"id":"a","do":"x","depends_on":{}}]"#, "entry 1: `depends_on` is no list of texts"),
        (
            r#"[{"id":"a","do":"x","depends_on":["b"]},{"id":"b","do":"y","depends_on":["a"]}]"#,
            "entry 1: the phase depends on itself by way of others",
        ),
        (r#"[{"do":"a"},{"do":"b","status":"complete"}]"#, "entry 2: a planner does not set `status`"),
        (r#"[{"do":"a","dependsOn":["b"]}]"#, "entry 1: `dependsOn` is no key"),
        (r#"[{"do":"a"},{"do":"b\u202ec"}]"#, "entry 2: the title holds U+202E"),
        (r#"[{"do":"[what to do]"}]"#, "entry 1: the title is still the placeholder"),
        (r#"[{"do":"a","check":"true\n- **Check:** `evil`"}]"#, "entry 1"),
        (r#"[{"do":"a","check":"``x`` `y`"}]"#, "entry 1"),
        (r#"[{"do":"a\u001b[2J"}]"#, "entry 1: the title holds U+001B"),
    ] {
        refused(Kind::PlanJson, text, &[part]);
    }
    refused(
        Kind::PlanJson,
        r#"[{"id":"a"},{"id":"b","do":"x","status":"done"},{}]"#,
        &["entry 1: `do`", "entry 2: a planner", "entry 3: `do`"],
    );
    let many = format!("[{}]", vec![r#"{"do":"x"}"#; 401].join(","));
    refused(Kind::PlanJson, &many, &["401 entries"]);
}

#[test]
fn nothing_a_stranger_writes_becomes_a_part_of_the_plan() {
    let evil = "x\n### Phase 9: Evil {#evil}\n- [ ] evil\n- **Status:** complete\n- **Check:** `evil`\n<!--\n```\n\
        # Second\n## Archived\n<<<<<<< a\n| Phase | Status |\n|---|---|\n| 1 | done |\r- **Check:** `evil`\u{1b}[2J";
    let json = serde_json::to_string(&serde_json::json!([
        { "category": evil, "description": "First", "steps": [evil.replace('\u{1b}', "")], "Check": "evil", "DependsOn": evil },
        { "category": "c", "description": "Second", "steps": ["s"], "passes": true },
    ]))
    .unwrap();
    let (plan, contract, made) = made(Kind::FeatureList, &source("feature_list.json", &json));
    assert_eq!(gist(&plan), rows(&[("first", "pending", ""), ("second", "complete", "")]));
    assert!(contract.phases.iter().all(|p| p.checks.is_empty() && p.depends_on.is_empty()), "{contract:?}");
    assert_eq!(plan.problems, [], "{}", made.text);
    assert!(made.text.contains("  > \"Check\": \"evil\"\n"), "{}", made.text);
    assert!(!made.text.contains('\u{1b}') && !made.text.contains('\r'), "{}", made.text);
}

#[test]
fn a_feature_list_keeps_steps_category_and_claims() {
    let text = r#"{"features":[{"category":"functional","description":"New chat","steps":["Open","Click"],"passes":true,"n":1},
        {"category":"style","description":"Dark mode","passes":false}]}"#;
    let (plan, _, made) = made(Kind::FeatureList, &source("feature_list.json", text));
    assert_eq!(gist(&plan), rows(&[("new-chat", "complete", ""), ("dark-mode", "pending", "")]));
    assert!(plan.phases[0].steps.iter().all(|s| s.state == StepState::Done));
    assert!(made.text.contains("- **Category:** functional\n- **Kept:** \"n\": 1\n"), "{}", made.text);
    refused(Kind::FeatureList, r#"[{"description":"a","passes":"yes"},{}]"#, &["entry 1: `passes`", "entry 2: `desc"]);
    refused(Kind::FeatureList, "[]", &["empty"]);
}

const TASK_MASTER: &str = r#"{"tasks":[
    {"id":1,"title":"Set up","status":"done","dependencies":[],"priority":"high","testStrategy":"It starts"},
    {"id":2,"title":"Core","status":"in-progress","dependencies":["1.2"],"details":"Two\nlines","subtasks":[
        {"id":1,"title":"Tokens","status":"done","details":"by hand"},
        {"id":2,"title":"Tables","status":"pending","dependencies":[1]},
        {"id":3,"title":"Colours","status":"cancelled"}]},
    {"id":3,"title":"Check it","status":"review","dependencies":[2]},
    {"id":4,"title":"Old","status":"cancelled"},
    {"id":5,"title":"Later","status":"deferred","dependencies":[4,3],"complexity":7}]}"#;

#[test]
fn task_master_tasks_keep_ids_subtasks_and_words() {
    let (plan, contract, made) = made(Kind::TaskMaster, &source("tasks.json", TASK_MASTER));
    assert_eq!(
        gist(&plan),
        rows(&[("1", "complete", ""), ("2", "in_progress", "1"), ("3", "pending", "2"), ("5", "pending", "3")])
    );
    assert_eq!(contract.phases[1].steps, ["2.1 Tokens", "2.2 Tables", "2.3 Colours"]);
    let states: Vec<_> = plan.phases[1].steps.iter().map(|s| s.state).collect();
    assert_eq!(states, [StepState::Done, StepState::Open, StepState::Dropped]);
    for part in [
        "- **Status:** pending (review)\n",
        "- **Status:** pending (deferred)\n",
        "- **TestStrategy:** It starts\n",
        "- **Details:**\n  > Two\n  > lines\n",
        "- **Subtask:** 2.1: by hand\n",
        "- **Subtask:** 2.2: after 1\n",
        "- **Kept:** \"complexity\": 7\n",
        "- **Left out:** 4 Old: it was given up there\n",
    ] {
        assert!(made.text.contains(part), "{part}: {}", made.text);
    }
    assert_eq!(made.left_out, ["4 Old: it was given up there", "5 Later: it waited for 4, which was given up"]);
}

#[test]
fn of_several_tags_one_has_to_be_named() {
    let list = r#"{"tasks":[{"id":1,"title":"A"}],"metadata":{"description":"What it is for"}}"#;
    let one = format!(r#"{{"master":{list},"empty":{{"tasks":[]}}}}"#);
    assert_eq!(made(Kind::TaskMaster, &source("tasks.json", &one)).1.goal, "What it is for");
    let two = format!(r#"{{"master":{list},"dev":{list}}}"#);
    refused(Kind::TaskMaster, &two, &["which of its tags is meant: dev, master"]);
    let tagged = |tag: &str| Source { tag: Some(tag.into()), ..source("tasks.json", &two) };
    made(Kind::TaskMaster, &tagged("dev"));
    let problems = convert(Kind::TaskMaster, &tagged("x"), "").unwrap_err();
    assert!(problems[0].what.contains("no tag `x`") && problems[0].fix.contains("--tag=dev {file}"), "{problems:?}");
    refused(
        Kind::TaskMaster,
        r#"{"tasks":[{"id":1,"title":"A","dependencies":[2]}]}"#,
        &["entry 1: it depends on `2`"],
    );
    refused(Kind::TaskMaster, r#"{"tasks":[{"id":1},{"id":1,"title":"A"}]}"#, &["entry 1: `title` is missing"]);
    refused(
        Kind::TaskMaster,
        r#"{"tasks":[{"id":1,"title":"A","subtasks":[{"id":1,"title":"s"},{"id":2}]}]}"#,
        &["entry 1, subtask 2: `title` is missing"],
    );
    refused(Kind::TaskMaster, r#"{"tasks":[{"id":1,"title":"A","status":"cancelled"}]}"#, &["nothing in it"]);
}

#[test]
fn backlog_tasks_keep_ids_criteria_and_sections() {
    let one = "---\nid: TASK-1\ntitle: 'It''s first'\nstatus: Done\nassignee:\n  - '@ada'\nlabels: [core, ui]\n\
        dependencies: []\npriority: high\nordinal: 1000\n---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nWhy.\n\n\
        - [ ] no criterion\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 It runs\n\
        - [ ] #2 It ends\n<!-- AC:END -->\n";
    let two = "---\nid: task-2\ntitle: >-\n  Second of\n  them\nstatus: Blocked\ndependencies:\n  - task-1\n  - task-99\n---\n## Oddity\nx\n";
    let file = |name: &str, text: &str| File { name: name.into(), bytes: text.as_bytes().to_vec() };
    let files = vec![file("readme.md", "# Read me\n"), file("task-1 - a.md", one), file("task-2 - b.md", two)];
    let all = Source { name: "tasks".into(), files, tag: None };
    assert_eq!(detect(&all, true), Ok(Kind::Backlog));
    let (plan, contract, made) = made(Kind::Backlog, &all);
    assert_eq!(gist(&plan), rows(&[("TASK-1", "complete", ""), ("task-2", "pending", "TASK-1")]));
    assert_eq!(contract.phases[0].title, "It's first");
    assert_eq!(contract.phases[0].steps, ["It runs", "It ends"]);
    assert_eq!(contract.phases[1].title, "Second of them");
    for part in [
        "- **Priority:** high\n",
        "- **Labels:** core, ui\n",
        "- **Assignee:** @ada\n",
        "- **Description:**\n  > Why.\n  >\n  > - [ ] no criterion\n",
        "- **Kept:** ordinal: 1000\n",
        "- **Status:** pending (Blocked)\n",
        "- **Section:**\n  > Oddity\n  > x\n",
    ] {
        assert!(made.text.contains(part), "{part}: {}", made.text);
    }
    assert_eq!(made.left_out.len(), 2, "{:?}", made.left_out);
    refused(Kind::Backlog, "# x\n", &["no front matter"]);
    refused(Kind::Backlog, "---\nid: a\n---\n", &["`title` is missing"]);
}

#[test]
fn claude_tasks_join_blocks_and_blocked_by() {
    let file = |n: u32, text: &str| File { name: format!("{n}.json"), bytes: text.as_bytes().to_vec() };
    let files = vec![
        file(
            1,
            r#"{"id":"1","subject":"Look","activeForm":"Looking","status":"completed","blocks":["2"],"blockedBy":[]}"#,
        ),
        file(
            2,
            r#"{"id":"2","subject":"Build","status":"in_progress","owner":"ada","blocks":["10"],"metadata":{"k":1}}"#,
        ),
        file(
            10,
            r#"{"id":"10","subject":"Ship","description":"d","status":"pending","blocks":[],"blockedBy":["2","8"]}"#,
        ),
    ];
    let all = Source { name: "list".into(), files, tag: None };
    assert_eq!(detect(&all, true), Ok(Kind::ClaudeTasks));
    let (plan, _, made) = made(Kind::ClaudeTasks, &all);
    assert_eq!(gist(&plan), rows(&[("1", "complete", ""), ("2", "in_progress", "1"), ("10", "pending", "2")]));
    assert!(made.text.contains("- **Owner:** ada\n- **Kept:** \"metadata\": {\"k\":1}\n"), "{}", made.text);
    assert_eq!(made.left_out, ["10 Ship: it waited for 8, which is not here"]);
    refused(Kind::ClaudeTasks, r#"{"id":"1"}"#, &["x: `subject` is missing"]);
}

const SPEC_KIT: &str = "# Tasks: Login\n\n## Format: `[ID] [P?] [Story] Description`\n- **[P]**: parallel\n\n\
    ## Phase 1: Setup (Shared)\n\n**Purpose**: begin\n\n- [X] T001 Create it\n- [x] T002 [P] Lint it\n\n---\n\n\
    ## Phase 2: Foundational\n- [ ] T003 Base\n\n## Phase 3: User Story 1 - Sign in (Priority: P1) 🎯 MVP\n\
    ### Tests for User Story 1\n- [ ] T004 [P] [US1] Test in tests/a.py\n### Implementation\n- [ ] T005 [US1] Do (depends on T004, T003)\n\n\
    ## Phase 4: User Story 2 - Sign out\n- [ ] T006 [US2] Do (depends on T005)\n\n## Phase N: Polish\n- [ ] T007 Docs\n\n\
    ## Notes\n- [P] tasks\n```\n- [ ] T999 no task\n```\n";

#[test]
fn spec_kit_phases_wait_as_the_format_says() {
    let (plan, contract, made) = made(Kind::SpecKit, &source("tasks.md", SPEC_KIT));
    assert_eq!(
        gist(&plan),
        rows(&[
            ("phase-1", "complete", ""),
            ("phase-2", "pending", "phase-1"),
            ("phase-3", "pending", "phase-2"),
            ("phase-4", "pending", "phase-2,phase-3"),
            ("phase-N", "pending", "phase-2,phase-3,phase-4"),
        ])
    );
    assert_eq!((plan.title.as_str(), contract.goal.as_str()), ("Login", "Login"));
    assert_eq!(contract.phases[2].steps[1], "T005 [US1] Do (depends on T004, T003)");
    assert!(made.text.contains("- **Part:** Tests for User Story 1: T004\n"), "{}", made.text);
    assert!(!made.text.contains("T999"));
    assert_eq!(made.left_out.len(), 2, "{:?}", made.left_out);
    refused(Kind::SpecKit, "# Tasks: x\n## Phase 1: y\n", &["no section has tasks"]);
}

#[test]
fn plan_mode_files_are_read_by_headings_or_by_lists() {
    let by_list = "# Plan: OAuth\n\n## Context\nUsers want\nOAuth.\n\n## Files\n- a.rs\n\n## Implementation Steps\n1. Create the **provider**\n   \
        - keep it small\n   ```\n   1. no step\n   ```\n2. Update\n\n## Verification\n- run the tests\n";
    let (plan, contract, made1) = made(Kind::ClaudePlan, &source("a.md", by_list));
    assert_eq!(plan.title, "OAuth");
    assert_eq!(contract.goal, "Users want OAuth.");
    let titles: Vec<_> = contract.phases.iter().map(|p| p.title.as_str()).collect();
    assert_eq!(titles, ["Create the provider", "Update", "Verification"]);
    assert_eq!(contract.phases[0].steps, ["keep it small"]);
    assert_eq!(made1.left_out, ["the section `Files`"]);

    let by_heading = "# X\n## Step 1: Tokens ✅\nText.\n1. one\n2. two\n### Files\n- a.rs\n## Step 2 - Tables\n- [x] a\n- [x] b\n## Risks\nr\n";
    let (plan, contract, made2) = made(Kind::ClaudePlan, &source("b.md", by_heading));
    assert_eq!(gist(&plan), rows(&[("tokens", "pending", ""), ("tables", "complete", "")]));
    assert_eq!(contract.phases[0].steps, ["one", "two"]);
    assert!(made2.text.contains("- **Section:**\n  > Files\n  > - a.rs\n"), "{}", made2.text);
    assert_eq!(made2.left_out, ["the section `Risks`"]);

    let boxes = "# X\n- [x] first\n- [ ] second\n";
    let (plan, ..) = made(Kind::ClaudePlan, &source("c.md", boxes));
    assert_eq!(gist(&plan), rows(&[("first", "complete", ""), ("second", "pending", "")]));
    refused(Kind::ClaudePlan, "# X\nprose\n- a\n- b\n", &["neither headings nor a list"]);
}

#[test]
fn long_and_decorated_texts_are_kept_whole_in_notes() {
    let long = "word ".repeat(80);
    let json = serde_json::to_string(&serde_json::json!([
        { "description": long, "steps": [long] }, { "description": "Fix it (done)", "steps": [] }
    ]))
    .unwrap();
    let (_, contract, made) = made(Kind::FeatureList, &source("f.json", &json));
    assert!(contract.phases[0].title.ends_with('…') && contract.phases[0].title.chars().count() <= 300);
    for key in ["Title in full", "Step in full"] {
        assert!(made.text.contains(&format!("- **{key}:** {}\n", long.trim())), "{}", made.text);
    }
    assert!(made.text.contains("Fix it (done)"), "{}", made.text);
}

#[test]
fn names_are_ordered_by_their_numbers() {
    let names = ["10.json", "2.json", "task-2.10 - b.md", "task-2.9 - c.md", "a", "1.json"].map(str::to_owned);
    assert_eq!(in_order(names.into()), ["1.json", "2.json", "10.json", "a", "task-2.9 - c.md", "task-2.10 - b.md"]);
}

#[test]
fn kinds_are_told_apart() {
    for (name, text, kind) in [
        ("p.json", r#"[{"do":"x"}]"#, Kind::PlanJson),
        ("p.json", r#"[{"what":"x"}]"#, Kind::PlanJson),
        ("p.json", "[]", Kind::PlanJson),
        ("feature_list.json", "[]", Kind::FeatureList),
        ("x.json", r#"[{"description":"x","passes":false}]"#, Kind::FeatureList),
        ("x.json", r#"{"features":[]}"#, Kind::FeatureList),
        ("tasks.json", TASK_MASTER, Kind::TaskMaster),
        ("tasks.json", r#"{"master":{"tasks":[]}}"#, Kind::TaskMaster),
        ("1.json", r#"{"id":"1","subject":"x"}"#, Kind::ClaudeTasks),
        ("task-1 - x.md", "---\nid: task-1\ntitle: x\n---\n", Kind::Backlog),
        ("tasks.md", SPEC_KIT, Kind::SpecKit),
        ("plan.md", "# Plan\n1. a\n2. b\n", Kind::ClaudePlan),
    ] {
        assert_eq!(detect(&source(name, text), false), Ok(kind), "{name} {text}");
    }
    for (name, text, part) in [
        ("x.json", "{}", "not known"),
        ("x.json", "nonsense", "not JSON"),
        ("plan.md", "# Task Plan: x\n### Phase 1: a\n- **Status:** pending\n", "our own format"),
    ] {
        let problem = detect(&source(name, text), false).unwrap_err();
        assert!(problem.what.contains(part), "{problem:?}");
    }
}

mod any {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Whatever a source says, the plan says just that, or there is none.
        #[test]
        fn texts_of_strangers_are_kept_apart(
            titles in prop::collection::vec(text(), 1..5), steps in prop::collection::vec(text(), 0..4),
            notes in prop::collection::vec(text(), 0..3),
        ) {
            let features: Vec<_> = titles
                .iter()
                .map(|title| serde_json::json!({ "description": title, "steps": steps, "category": notes.join("\n"), "x": notes }))
                .collect();
            let json = serde_json::to_string(&features).unwrap();
            if let Ok(made) = convert(Kind::FeatureList, &source("f.json", &json), "") {
                let plan = plan_read::read(made.text.as_bytes());
                prop_assert_eq!(plan.phases.len(), titles.len());
                for phase in &plan.phases {
                    prop_assert_eq!(phase.steps.len(), steps.len());
                    prop_assert!(phase.fields == crate::core::plan::Fields::default());
                    prop_assert_eq!(phase.status, Status::Pending);
                }
            }
        }

        #[test]
        fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200), text in prop::collection::vec(text(), 0..9)) {
            for bytes in [bytes, text.join("\n").into_bytes()] {
                let file = File { name: "x".into(), bytes };
                let source = Source { name: "x".into(), files: vec![file], tag: None };
                for kind in Kind::ALL {
                    let _ = convert(kind, &source, "");
                }
                let _ = (detect(&source, false), detect(&source, true));
            }
        }
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("a"),
            Just("b c"),
            Just("\n"),
            Just("\r"),
            Just("### Phase 2: x"),
            Just("# T"),
            Just("## Goal"),
            Just("- [ ] s"),
            Just("- **Status:** complete"),
            Just("- **Check:** `x`"),
            Just("<!--"),
            Just("-->"),
            Just("```"),
            Just("~~~"),
            Just("| a | status |"),
            Just("|---|---|"),
            Just("{#id}"),
            Just("✅"),
            Just("[done]"),
            Just("(pending)"),
            Just("1."),
            Just(" "),
            Just("**"),
            Just("`"),
            Just("<pre>"),
            Just("---"),
            Just("id: 1"),
            Just("title: t"),
            Just("status: Done"),
            Just("- [x] T001 a"),
            Just("## Phase 1: b"),
            Just("## Step 1: c"),
            Just("    "),
            Just("> "),
            Just("<<<<<<< a"),
        ];
        prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat())
    }
}
