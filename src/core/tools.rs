//! Which tools a phase may use, where its plan names some. What the run itself needs is never kept from an agent: the verbs, the
//! plan's own files, and whatever the hook is not asked about, which is reading.

use std::path::Path;

use crate::core::event::ToolCall;
use crate::core::guard::only_verbs;
use crate::core::plan::Status;
use crate::core::view::View;

/// Any shell, whatever the host calls it.
const SHELL: &str = "shell";
/// Any tool that writes files.
const EDIT: &str = "edit";

/// What keeps a call from being made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// Id of the phase in progress; the first of several.
    pub phase: String,
    /// The tools it names.
    pub tools: Vec<String>,
}

/// Whether this may stand in a `Tool` line: the name of a tool, in which a `*` at the end stands for any ending.
pub fn is_tool(text: &str) -> bool {
    let name = text.strip_suffix('*').unwrap_or(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    text.len() <= 64 && !name.is_empty() && name.chars().all(plain)
}

/// Says of a call whether a phase in progress lets it be made. Of several phases one is enough; where none is in progress, or one
/// names no tools, any tool may be used. `own` says of a path whether it leads into the plan's own directory.
pub fn fence(view: &View, call: &ToolCall, own: &dyn Fn(&Path) -> bool) -> Option<Fence> {
    let at_work = || view.phases.iter().filter(|phase| phase.status == Status::InProgress);
    let open = at_work().any(|phase| phase.tools.is_empty() || phase.tools.iter().any(|tool| names(tool, call)));
    let first = at_work().next().filter(|_| !open)?;
    let plans_own = !call.writes.is_empty() && call.writes.iter().all(|write| own(&write.path));
    if call.command.as_deref().is_some_and(only_verbs) || plans_own {
        return None;
    }
    Some(Fence { phase: first.id.clone(), tools: first.tools.clone() })
}

/// What keeps the agent from any shell now. A command that it wrote into the plan itself would be one by a detour.
pub fn no_shell(view: &View) -> Option<Fence> {
    let shell = ToolCall { name: "Bash".to_owned(), command: Some(String::new()), ..ToolCall::default() };
    fence(view, &shell, &|_| false)
}

/// Whether an entry of a `Tool` line names the tool of a call.
fn names(tool: &str, call: &ToolCall) -> bool {
    match tool {
        SHELL => call.command.is_some(),
        EDIT => !call.writes.is_empty(),
        _ => match tool.strip_suffix('*') {
            Some(start) => call.name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
            None => call.name.eq_ignore_ascii_case(tool),
        },
    }
}

/// What may stand in a `Tool` line, for the message about what may not.
pub fn allowed() -> String {
    format!("the host's name of a tool, such as Bash or mcp__files__*, or one of {SHELL}, {EDIT}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::event::{Write, Writing};
    use crate::core::guard::plain;
    use crate::core::view::PhaseView;

    fn shell(line: &str) -> ToolCall {
        ToolCall { name: "Bash".into(), command: Some(line.into()), ..ToolCall::default() }
    }

    fn edit(paths: &[&str]) -> ToolCall {
        let write = |path: &&str| Write { path: path.into(), what: Writing::Unknown };
        ToolCall { name: "Edit".into(), writes: paths.iter().map(write).collect(), ..ToolCall::default() }
    }

    fn other(name: &str) -> ToolCall {
        ToolCall { name: name.into(), ..ToolCall::default() }
    }

    /// Whether a call passes while phases with these tools stand so.
    fn passes(phases: &[(Status, &[&str])], call: &ToolCall) -> bool {
        let phase = |(status, tools): &(Status, &[&str])| {
            let tools = tools.iter().map(|t| (*t).to_owned()).collect();
            PhaseView { status: *status, tools, ..PhaseView::default() }
        };
        let view = View { phases: phases.iter().map(phase).collect(), ..View::default() };
        let own = |path: &Path| plain(Path::new("/p"), path).starts_with("/p/.planning/mill");
        fence(&view, call, &own).is_none()
    }

    #[test]
    fn what_names_a_tool() {
        for text in ["Bash", "mcp__files__*", "web.run", "functions:shell", "a-b"] {
            assert!(is_tool(text), "{text}");
        }
        for text in ["", "*", "Bash(cargo test)", "a b", "a*b", "**", "é", &"x".repeat(65)] {
            assert!(!is_tool(text), "{text}");
        }
    }

    #[test]
    fn only_what_a_phase_in_progress_names_may_be_used() {
        use Status::{Complete, InProgress, Pending};
        let work = |tools: &'static [&'static str]| [(InProgress, tools)];
        for (phases, call, right) in [
            (&work(&["Edit"])[..], shell("make"), false),
            (&work(&["Edit", "Bash"]), shell("make"), true),
            (&work(&["bash"]), shell("make"), true),
            (&work(&["shell"]), shell("make"), true),
            (&work(&["shell"]), edit(&["/p/a"]), false),
            (&work(&["edit"]), edit(&["/p/a"]), true),
            (&work(&["edit"]), other("Edit"), false),
            (&work(&["mcp__files__*"]), other("mcp__files__read"), true),
            (&work(&["mcp__files__*"]), other("mcp__web__get"), false),
            (&work(&["mcp__files"]), other("mcp__files__read"), false),
            (&work(&["mcp*"]), other("mé"), false),
            (&work(&[]), shell("make"), true),
            // What the run needs.
            (&work(&["Edit"]), shell("steadfast done"), true),
            (&work(&["Edit"]), shell("cd /p && steadfast done mill --json"), true),
            (&work(&["Edit"]), shell("steadfast done && make"), false),
            (&work(&["Edit"]), shell("steadfast run sh -c 'rm x'"), false),
            (&work(&["Edit"]), shell("steadfast --plan mill run sh"), false),
            (&work(&["Edit"]), shell("./steadfast done"), false),
            (&work(&["Edit"]), shell("PATH=. steadfast done"), false),
            (&work(&["Edit"]), shell("env PATH=. steadfast done"), false),
            (&work(&["Edit"]), shell("PATH=.; steadfast done"), false),
            (&work(&["Edit"]), shell("steadfast status | sh"), false),
            (&work(&["Edit"]), shell("steadfast status > a"), false),
            (&work(&["Edit"]), shell("steadfast status 2>&1 | head -3"), true),
            (&work(&["Edit"]), shell("pwd && steadfast status >/dev/null 2>&1"), true),
            (&work(&["Edit"]), shell("steadfast status > ~/x"), false),
            (&work(&["Edit"]), shell("echo foo >> $X; steadfast status"), false),
            (&work(&["Edit"]), shell("exec -a steadfast rm z"), false),
            (&work(&["Edit"]), shell("printf -v PATH . ; steadfast status"), false),
            (&work(&["Edit"]), shell("steadfast log note $((1<<E))\nrm y\nE"), false),
            (&work(&["Edit"]), shell("steadfast propose - --why x <<E\n$(rm x)\nE"), false),
            (&work(&["Edit"]), shell("steadfast log note \"$(make)\""), false),
            (&work(&["shell"]), edit(&["/p/.planning/mill/notes.md"]), true),
            (&work(&["shell"]), edit(&[".planning/mill/task_plan.md", "/p/.planning/mill/notes.md"]), true),
            (&work(&["shell"]), edit(&[".planning/mill/../../a", "/p/.planning/mill/notes.md"]), false),
            (&work(&["shell"]), edit(&["/p/.planning/mill/notes.md", "/p/a"]), false),
            // Nothing in progress; another phase; one of two.
            (&[(Pending, &["Edit"][..])], shell("make"), true),
            (&[(Complete, &["Edit"][..]), (InProgress, &[])], shell("make"), true),
            (&[(InProgress, &["Edit"][..]), (InProgress, &["Bash"])], shell("make"), true),
            (&[(InProgress, &["Edit"][..]), (InProgress, &[])], shell("make"), true),
            (&[(InProgress, &["Edit"][..]), (Pending, &["Bash"])], shell("make"), false),
        ] {
            assert_eq!(passes(phases, &call), right, "{phases:?} {call:?}");
        }
    }
}
