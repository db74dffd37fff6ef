use super::*;
use crate::core::plan_edit;
use crate::core::plan_read::read;

const HEAD: &str = "# Task Plan: Ferry\n## Goal\nRun the ferry on time.\n## Phases\n";

/// A plan with this text after the goal, built with missing ids written in.
fn attest(phases: &str) -> Result<Contract, Vec<Problem>> {
    let text = format!("{HEAD}{phases}");
    let ids = missing_ids(&read(text.as_bytes()));
    let bytes = plan_edit::set_ids(text.as_bytes(), &ids).unwrap();
    build(&read(&bytes), Mode::Gate, GateOptions::default())
}

#[track_caller]
fn refused(phases: &str, what: &str) {
    let problems = attest(phases).expect_err(phases);
    assert!(problems.iter().any(|p| p.what.contains(what)), "{phases}: {problems:?}");
    assert!(problems.iter().all(|p| !p.fix.is_empty()), "{problems:?}");
}

#[test]
fn a_plan_becomes_a_contract() {
    let contract = attest(
        "### Phase 1: Survey the docks\n- [x] List them\n- **Status:** complete\n### Phase 2: Build\n- [ ] Ramp\n\
         - **Status:** in_progress\n- **DependsOn:** 1\n- **Check:** `make -C ramp`\n- **Artifact:** out/ramp.svg\n\
         - **Receipt:** berth\n- **Approval:** human\n- **WaitsFor:** human harbour master\n- **Every:** 7d\n- **Tool:** make\n\
         ### Phase 3: Build\n- **DependsOn:** build, Phase 1, #build\n",
    )
    .unwrap();
    assert_eq!((contract.v, contract.mode, contract.goal.as_str()), (1, Mode::Gate, "Run the ferry on time."));
    let ids: Vec<_> = contract.phases.iter().map(|p| p.id.as_str()).collect();
    assert_eq!(ids, ["survey-the-docks", "build", "build-2"]);
    let build = &contract.phases[1];
    assert_eq!(build.depends_on, ["survey-the-docks"]);
    assert_eq!((&build.checks[..], &build.steps[..]), (&["make -C ramp".to_owned()][..], &["Ramp".to_owned()][..]));
    assert_eq!(build.every.as_deref(), Some("7d"));
    assert_eq!((build.artifacts.len(), build.receipts.len(), build.approvals.len()), (1, 1, 1));
    assert_eq!((build.waits_for.len(), build.tools.len()), (1, 1));
    assert_eq!(contract.phases[2].depends_on, ["build", "survey-the-docks"]);
}

#[test]
fn ids_for_any_title() {
    let plan = read(
        "### Phase 1: 调研\n### Phase 2: Café\n### Phase 3: Don't — stop!\n### Phase 4: 2024\n\
         ### Phase 5: a {#phase-1}\n### Phase 6: Don't stop\n### Phase 7: A title that goes on and on until nobody reads it\n"
            .as_bytes(),
    );
    let ids: Vec<_> = missing_ids(&plan).into_iter().map(|(_, id)| id).collect();
    assert_eq!(
        ids,
        ["phase-1-2", "phase-2", "don-t-stop", "phase-4", "don-t-stop-2", "a-title-that-goes-on-and-on-until-nobody"]
    );
}

#[test]
fn what_is_refused() {
    refused("", "no phases");
    refused("### Phase 1: [Name of the phase]\n- [ ] a\n", "placeholder");
    refused("### Phase 1: a\n- [ ] [First step]\n", "placeholder");
    refused("### Phase 1: a\n- [ ]\n", "the step is empty");
    refused("### Phase 1: a {#x}\n### Phase 2: b {#x}\n", "stands in line 5 already");
    refused("### Phase 1: a {#ä}\n### Phase 2: b\n", "the id is not");
    refused("### Phase 1: a\n- **DependsOn:** 1\n", "depends on itself");
    refused("### Phase 1: a\n- **DependsOn:** 2\n### Phase 2: b\n- **DependsOn:** 1\n", "by way of others");
    refused("### Phase 1: a\n- **DependsOn:** harbour\n", "no phase is called `harbour`");
    refused("### Phase 1: a\n- **Depends on:** 2\n### Phase 2: b\n", "is not a key");
    refused("### Phase 1: a\n- **Check:**\n", "the check is empty");
    refused("### Phase 1: a\n- **Check:** `make` twice\n", "more than one command");
    refused("### Phase 1: a\n- **Artifact:** ../x\n", "not a path beneath");
    refused("### Phase 1: a\n- **Artifact:** /x\n", "not a path beneath");
    refused("### Phase 1: a\n- **Artifact:** .\n", "not a path beneath");
    refused("### Phase 1: a\n<<<<<<< HEAD\n- [ ] a\n=======\n- [ ] b\n>>>>>>> x\n", "merge conflict");
    refused("### Phase 1: a\n### Phase 2: b\n### Phase 1: a\n### Phase 2: b\n", "several ways");
    refused(&format!("### Phase 1: {}\n- [ ] a\n", "a".repeat(301)), "has 301 characters");
    refused(&format!("### Phase 1: a\n- **Check:** {}\n", "a".repeat(1001)), "has 1001 characters");
    for bad in [
        "\u{202E}",
        "\u{2066}",
        "\u{200F}",
        "\u{61C}",
        "\u{200B}",
        "\u{2060}",
        "\u{AD}",
        "\u{2028}",
        "\u{E0041}",
        "\u{7}",
    ] {
        refused(&format!("### Phase 1: a{bad}b\n- [ ] a\n"), "the title holds");
        refused(&format!("### Phase 1: a\n- [ ] a{bad}b\n"), "the step holds");
        refused(&format!("### Phase 1: a\n- **Check:** a{bad}b\n"), "the check holds");
    }
}

#[test]
fn the_goal_is_needed() {
    let long = "a".repeat(1001);
    for (goal, what) in [("", "empty"), ("[One sentence on the end state]", "placeholder"), (&long, "1001 characters")]
    {
        let text = format!("## Goal\n{goal}\n### Phase 1: a {{#a}}\n- [ ] a\n");
        let problems = build(&read(text.as_bytes()), Mode::Plain, GateOptions::default()).unwrap_err();
        assert!(problems[0].what.contains(what), "{problems:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let plan = read(b"## Goal\nx\n### Phase 1: a {#a}\n- [ ] \xD2 b\n");
    let problems = build(&plan, Mode::Plain, GateOptions::default()).unwrap_err();
    assert!(problems.iter().any(|p| p.line == 4 && p.what.contains("not UTF-8")), "{problems:?}");
}

#[test]
fn text_is_composed() {
    let contract =
        attest("### Phase 1: Cafe\u{301} {#cafe}\n- **Check:** `echo e\u{301}`\n- **DependsOn:** none\n").unwrap();
    assert_eq!(contract.phases[0].title, "Caf\u{e9}");
    assert_eq!(contract.phases[0].checks, ["echo \u{e9}"]);
}
