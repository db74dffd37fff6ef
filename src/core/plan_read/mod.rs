//! The plan reader, canonical form.

use crate::core::plan::{Phase, Plan, Shape, Spans, Status, Step, StepState};

/// Reads a plan.
pub fn read(bytes: &[u8]) -> Plan {
    let mut plan = Plan::default();
    let mut at = 0;
    let mut fence = false;
    let mut goal = false;
    let mut no = 0;
    let mut lines: Vec<&[u8]> = Vec::new();
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        lines.push(line);
    }
    for raw in lines {
        no += 1;
        let start = at;
        at += raw.len();
        let Ok(text) = std::str::from_utf8(raw) else { continue };
        let line = text.trim_end_matches(['\r', '\n']);
        let end = start + line.len();
        let t = line.trim();
        if t.starts_with("```") {
            fence = !fence;
            continue;
        }
        if fence {
            continue;
        }
        if t.starts_with("<<<<<<<") || t.starts_with(">>>>>>>") || t == "=======" {
            plan.problems.push(crate::core::plan::Problem {
                line: no,
                what: "a conflict marker".into(),
                fix: "resolve the conflict".into(),
            });
        }
        if let Some(h) = t.strip_prefix("# ") {
            plan.title = h.trim_start_matches("Task Plan:").trim().to_owned();
            continue;
        }
        if let Some(h) = t.strip_prefix("## ") {
            goal = h.trim() == "Goal";
            continue;
        }
        if let Some(h) = t.strip_prefix("### Phase ") {
            goal = false;
            let (number, rest) = h.split_once(':').unwrap_or(("", h));
            let rest = rest.trim();
            let (title, id) = match rest.rsplit_once("{#") {
                Some((a, b)) if b.ends_with('}') => (a.trim(), Some(b.trim_end_matches('}').to_owned())),
                _ => (rest, None),
            };
            plan.phases.push(Phase {
                id,
                number: Some(number.trim().to_owned()),
                title: title.to_owned(),
                line: no,
                spans: Spans { heading: start..end, status: None, status_insert: end },
                ..Phase::default()
            });
            continue;
        }
        if t.starts_with("##") {
            continue;
        }
        if goal && !t.is_empty() {
            if !plan.goal.is_empty() {
                plan.goal.push(' ');
            }
            plan.goal.push_str(t);
            continue;
        }
        let Some(phase) = plan.phases.last_mut() else { continue };
        if line.starts_with("- [") && line.len() > 5 {
            let state = match &line[3..4] {
                "x" => StepState::Done,
                "-" => StepState::Dropped,
                _ => StepState::Open,
            };
            phase.steps.push(Step {
                text: line[5..].trim().to_owned(),
                state,
                line: no,
                mark: Some(start + 3..start + 4),
            });
            phase.spans.status_insert = end;
        } else if let Some(rest) = line.strip_prefix("- **")
            && let Some((key, value)) = rest.split_once(":**")
        {
            let value = value.trim();
            let bare = value.strip_prefix('`').and_then(|v| v.strip_suffix('`')).unwrap_or(value).to_owned();
            match key {
                "Status" => {
                    let token = value.split([' ', '(']).next().unwrap_or("");
                    phase.explicit = true;
                    let from = start + line.find(":**").unwrap_or(0) + 3 + 1;
                    phase.spans.status = Some(from..from + token.len());
                    phase.status = match token {
                        "pending" => Status::Pending,
                        "in_progress" => Status::InProgress,
                        "complete" => Status::Complete,
                        "failed" => Status::Failed,
                        "skipped" => Status::Skipped,
                        "waiting" => Status::Waiting,
                        _ => Status::Unknown,
                    };
                }
                "DependsOn" => phase.fields.depends_on = value.split(',').map(|v| v.trim().to_owned()).collect(),
                "Check" => phase.fields.checks.push(bare),
                "Artifact" => phase.fields.artifacts.push(bare),
                "Receipt" => phase.fields.receipts.push(bare),
                "Approval" => phase.fields.approvals.push(bare),
                "WaitsFor" => phase.fields.waits_for.push(bare),
                "Every" => phase.fields.every = Some(bare),
                "Tool" => phase.fields.tools.push(bare),
                _ => {}
            }
        }
    }
    if !plan.phases.is_empty() {
        plan.shape = Shape::Headings;
    }
    plan
}
