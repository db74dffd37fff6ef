//! What an edit of Claude Code's settings would do to our hooks (seen in 2.1.197 and 2.1.332).

use std::path::{Path, PathBuf};

use crate::core::json_edit::{hooks_as_written, members_as_written};
use crate::hosts::Env;
use crate::hosts::claude_code_install::{Scope, settings};

/// The settings of the user and of the project, and the hooks of the plugin that calls us.
pub(super) fn files(project: Option<&Path>, env: Env<'_>) -> Vec<PathBuf> {
    let of_project = [Scope::Project, Scope::Local].into_iter().filter_map(|scope| settings(scope, env, project?));
    let plugin = env("CLAUDE_PLUGIN_ROOT").map(|root| Path::new(&root).join("hooks/claude-code.json"));
    settings(Scope::User, env, Path::new("")).into_iter().chain(of_project).chain(plugin).collect()
}

/// What the new text would do.
pub(super) fn harm(before: &str, after: &str) -> Option<String> {
    let old = Settings::read(before).unwrap_or_default();
    let Some(new) = Settings::read(after) else {
        let ours = !old.hooks.is_empty() || old.plugins.iter().any(|(_, on)| on == "true");
        return ours.then(|| "leaves a file that is no JSON, with hooks of steadfast in it".to_owned());
    };
    let lost = old.hooks.iter().filter(|hook| !new.hooks.contains(hook)).count();
    if lost > 0 {
        return Some(format!("takes out or changes {lost} of the hooks of steadfast"));
    }
    if new.off && !old.off {
        return Some("sets disableAllHooks".to_owned());
    }
    if let Some((name, _)) = new.env.iter().find(|set| !old.env.contains(set)) {
        return Some(format!("sets {name}, by which steadfast is steered"));
    }
    let on = |plugins: &[(String, String)], id: &str| plugins.iter().find(|(i, _)| i == id).map(|(_, on)| on == "true");
    let turned_off = |(id, was): &&(String, String)| on(&new.plugins, id) != Some(true) && was == "true";
    let newly_off = |(id, now): &&(String, String)| now != "true" && on(&old.plugins, id) != Some(false);
    if old.plugins.iter().any(|p| turned_off(&p)) || new.plugins.iter().any(|p| newly_off(&p)) {
        return Some("turns the plugin of steadfast off".to_owned());
    }
    None
}

/// What of a settings file matters to us.
#[derive(Default)]
struct Settings {
    /// Our hooks, as written.
    hooks: Vec<String>,
    /// All hooks are off.
    off: bool,
    /// Variables that steer us.
    env: Vec<(String, String)>,
    /// Our plugin, and whether it is on.
    plugins: Vec<(String, String)>,
}

impl Settings {
    /// `None` where the text is no JSON.
    fn read(text: &str) -> Option<Self> {
        let of = |key: &str| members_as_written(text, Some(key)).ok();
        let steers = |name: &str| {
            matches!(
                name,
                "PLANNING_DISABLED"
                    | "PLAN_ID"
                    | "XDG_STATE_HOME"
                    | "HOME"
                    | "CLAUDE_CONFIG_DIR"
                    | "CLAUDE_CODE_SIMPLE"
                    | "CLAUDE_CODE_SESSION_ATTENDED"
            ) || name.starts_with("STEADFAST_")
                || name.starts_with("PWF_")
        };
        let root = members_as_written(text, None).ok()?;
        Some(Self {
            hooks: hooks_as_written(text).ok()?,
            off: root.iter().any(|(name, value)| name == "disableAllHooks" && value == "true"),
            env: of("env")?.into_iter().filter(|(name, _)| steers(name)).collect(),
            plugins: of("enabledPlugins")?.into_iter().filter(|(id, _)| id.starts_with("steadfast@")).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::claude_code_install::{entries, new_file};

    #[test]
    fn what_does_harm_and_what_does_not() {
        let ours = new_file(&entries("/opt/steadfast")).unwrap();
        let plugin = r#"{"enabledPlugins": {"steadfast@market": true, "other@market": true}}"#;
        let root = |member: &str| ours.replacen('{', &format!("{{\n  {member},"), 1);
        let without = |text: &str, event: &str| text.replace(&format!("\"{event}\""), "\"Elsewhere\"");
        for (before, after, harm) in [
            ("", root(r#""disableAllHooks": true"#), Some("sets disableAllHooks")),
            (&ours, root(r#""disableAllHooks": true"#), Some("sets disableAllHooks")),
            (&root(r#""disableAllHooks": true"#), root(r#""disableAllHooks": true, "a": 1"#), None),
            (&ours, root(r#""disableAllHooks": false"#), None),
            (&ours, "{}".to_owned(), Some("takes out or changes 11 of")),
            (&ours, String::new(), Some("takes out or changes 11 of")),
            (&ours, without(&ours, "Stop"), Some("takes out or changes 2 of")),
            (&ours, ours.replace("\"sleep\"", "\"stop\""), Some("takes out or changes 1 of")),
            (&ours, ours.replace("\"asyncRewake\": true", "\"async\": true"), Some("takes out or changes 1 of")),
            (&ours, ours.replace("^(Bash|", "^(None|"), Some("takes out or changes 1 of")),
            (&ours, ours.replace("/opt/steadfast", "/tmp/steadfast"), Some("takes out or changes 11 of")),
            (&ours, ours.replace("\"timeout\": 5", "\"async\": true"), Some("takes out or changes 1 of")),
            (&ours, ours.replacen('{', "", 1), Some("leaves a file that is no JSON")),
            ("{}", "{".to_owned(), None),
            ("{", root(r#""disableAllHooks": true"#), Some("sets disableAllHooks")),
            (&ours, root(r#""env": {"PLANNING_DISABLED": "1"}"#), Some("sets PLANNING_DISABLED")),
            (&ours, root(r#""env": {"STEADFAST_HOME": "/tmp/x"}"#), Some("sets STEADFAST_HOME")),
            (&ours, root(r#""env": {"PWF_GATE_CAP": "0"}"#), Some("sets PWF_GATE_CAP")),
            (&root(r#""env": {"PLAN_ID": "a"}"#), root(r#""env": {"PLAN_ID": "b"}"#), Some("sets PLAN_ID")),
            (&root(r#""env": {"PLAN_ID": "a"}"#), root(r#""env": {"PLAN_ID": "a", "EDITOR": "vi"}"#), None),
            (plugin, plugin.replacen("true", "false", 1), Some("turns the plugin")),
            (plugin, "{}".to_owned(), Some("turns the plugin")),
            ("{}", plugin.replacen("true", "false", 1), Some("turns the plugin")),
            (plugin, plugin.replace("\"other@market\": true", "\"other@market\": false"), None),
            ("{}", plugin.to_owned(), None),
            (&ours, ours.clone(), None),
            (&ours, ours.replace([' ', '\n'], ""), None),
            (&ours, root(r#""model": "large", "permissions": {"allow": ["Bash"]}"#), None),
            (
                &ours,
                root(
                    r#"// a remark
                "x": [1,]"#,
                ),
                None,
            ),
            ("", "{\"model\": \"large\"}".to_owned(), None),
        ] {
            let said = super::harm(before, &after);
            match (harm, &said) {
                (Some(start), Some(text)) => assert!(text.starts_with(start), "{text}\n{after}"),
                (harm, said) => assert_eq!(harm, said.as_deref(), "{before}\n{after}"),
            }
        }
    }

    #[test]
    fn where_settings_are() {
        let env = |name: &str| match name {
            "HOME" => Some("/home/dev".to_owned()),
            "CLAUDE_PLUGIN_ROOT" => Some("/plugin".to_owned()),
            _ => None,
        };
        let named: Vec<String> =
            files(Some(Path::new("/p")), &env).iter().map(|path| path.display().to_string()).collect();
        assert_eq!(
            named,
            [
                "/home/dev/.claude/settings.json",
                "/p/.claude/settings.json",
                "/p/.claude/settings.local.json",
                "/plugin/hooks/claude-code.json"
            ]
        );
        assert_eq!(files(None, &|_| None), Vec::<PathBuf>::new());
    }
}
