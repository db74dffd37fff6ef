//! What no approved contract covers never reaches the model, and takes nothing off the gate.

use serde_json::json;

use crate::client::{Client, Run};
use crate::project::BLOCK;
use crate::scenarios::{gated, holds, plain, ungated};
use crate::server::{Reply, Script};

/// What the user is told of an edit that is not in force.
const NEWS: &str = "not in force yet";

fn told(run: &Run) -> usize {
    run.notices().iter().filter(|n| n.contains(NEWS)).count()
}

pub fn a_changed_contract_is_not_injected(client: &Client) {
    let project = ungated(client);
    let run = project.session("first prompt", Script::say("Seen.")).ended_well();
    assert_eq!(told(&run), 0, "{}", run.story());

    project.edit_plan("Sort the cards", "Burn the cards");
    project.edit_plan("test -f sorted.txt", "rm -rf cards");
    let run = project.go_on("second prompt", Script::say("Seen.")).ended_well();
    let text = run.requests.iter().map(|r| r.body.to_string()).collect::<String>();
    assert!(!text.contains("Burn the cards"), "{}", run.story());
    assert!(!text.contains("rm -rf cards"), "{}", run.story());
    let news = run.main()[0].since("second prompt");
    assert!(news.contains(BLOCK) && news.contains("Sort the postcard archive"), "{news}");
    assert!(text.contains("Sort the cards"), "{}", run.story());
    assert_eq!(told(&run), 1, "{}", run.story());
    let notice = run.notices().remove(0);
    assert!(!notice.contains('\n'), "one line: {notice}");
    assert!(!text.contains(NEWS), "the user is told, not the model");

    let run = project.go_on("third prompt", Script::say("Seen.")).ended_well();
    assert_eq!(told(&run), 0, "told once per change\n{}", run.story());

    project.edit_plan("Burn the cards", "Sell the cards");
    let run = project.go_on("fourth prompt", Script::say("Seen.")).ended_well();
    assert_eq!(told(&run), 1, "another change is told again\n{}", run.story());
    assert!(!run.main()[0].text().contains("Sell the cards"), "{}", run.story());
}

pub fn a_phase_taken_out_by_hand_is_still_held(client: &Client) {
    let project = gated(client);
    let file = project.plan_dir().join("task_plan.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (kept, _) = text.split_once("## Phases").unwrap();
    std::fs::write(&file, format!("{kept}## Phases\n\n### Phase 1: Rest {{#rest}}\n- **Status:** complete\n")).unwrap();
    let run = project.session("begin", Script::say("All done.")).ended_well();
    assert_eq!(holds(&run.main()), 1, "{}", run.story());
    for request in run.main() {
        assert!(request.text().contains("List the boxes"), "{}", run.story());
        assert!(!request.text().contains("Rest"), "{}", run.story());
    }
    assert_eq!(told(&run), 1, "{}", run.story());
}

pub fn an_agent_extends_its_plan_and_cannot_weaken_it(client: &Client) {
    // Elsewhere the guard refuses such an edit: see `guard`.
    let project = plain(client);
    let file = project.plan_dir().join("task_plan.md");
    let edit =
        |from: &str, to: &str| Reply::tool("Edit", json!({ "file_path": file, "old_string": from, "new_string": to }));
    let read = || Reply::tool("Read", json!({ "file_path": file }));
    let report = "- [ ] Write the report\n- **Status:** pending\n- **DependsOn:** sort\n";
    let more = format!("{report}\n### Phase 4: Frame the best {{#frame}}\n- [ ] Buy frames\n- **Status:** pending\n");
    project.session("first prompt", Script::new([read(), edit(report, &more), Reply::text("Added.")])).ended_well();
    assert_eq!(project.status()["plan"]["version"], 2, "{:#}", project.status());
    let run = project.go_on("second prompt", Script::say("Seen.")).ended_well();
    assert!(run.main()[0].since("second prompt").contains("/4: "), "{}", run.story());

    let script = Script::new([read(), edit("Sort the cards", "Burn the cards"), Reply::text("Easier now.")]);
    let run = project.go_on("third prompt", script).ended_well();
    assert_eq!(project.status()["plan"]["version"], 2);
    assert_eq!(project.status()["plan"]["attestation"], "changed");
    let answer = run.hooks("PostToolUse").pop().unwrap();
    assert!(answer.contains("a person has to approve it"), "the agent hears it at once: {answer}");
    let run = project.go_on("fourth prompt", Script::say("Seen.")).ended_well();
    let news = run.main()[0].since("fourth prompt");
    assert!(news.contains(BLOCK) && !news.contains("Burn the cards"), "{news}");
}
