//! The skill is read by a model at a price: it stays short, and names only what exists.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests read files")]

use std::fs;
use std::path::Path;

fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base().unwrap().encode_ordinary(text).len()
}

/// The value of a key in the front matter.
fn front<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (head, _) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    head.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

#[test]
fn the_skill_is_short() {
    let skill = file("skill/SKILL.md");
    let (lines, tokens) = (skill.lines().count(), tokens(&skill));
    assert!(lines <= 100, "{lines} lines");
    assert!(tokens <= 1_800, "{tokens} tokens");
    assert_eq!(front(&skill, "name"), Some("steadfast"));
    let description = front(&skill, "description").unwrap();
    assert!(description.chars().count() <= 1_024 && description.contains("Use it when"));
}

#[test]
fn only_verbs_that_exist_are_named() {
    // Generated from the program, and compared with it by a test of its own.
    let reference = file("docs/cli.md");
    let exists = |verb: &str| verb == "VERB" || reference.contains(&format!("\n## {verb}\n"));
    let commands = ["init", "status", "approve", "next", "pwf"].map(|name| format!("commands/{name}.md"));
    for name in commands.iter().map(String::as_str).chain(["skill/SKILL.md"]) {
        let text = file(name);
        for part in text.split("`steadfast ").skip(1) {
            let verb = part.split([' ', '`']).next().unwrap();
            assert!(exists(verb), "{name}: steadfast {verb}");
        }
    }
}

#[test]
fn the_plugin_has_the_version_of_the_program() {
    let plugin: serde_json::Value = serde_json::from_str(&file(".claude-plugin/plugin.json")).unwrap();
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    for key in ["hooks", "skills", "commands"] {
        let path = plugin[key].as_str().unwrap().strip_prefix("./").unwrap();
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists(), "{path}");
    }
}

#[test]
fn every_command_says_what_it_does_and_may_run() {
    for name in ["init", "status", "approve", "next", "pwf"] {
        let text = file(&format!("commands/{name}.md"));
        assert!(front(&text, "description").is_some(), "{name}");
        assert!(front(&text, "argument-hint").is_some(), "{name}");
        let tools = front(&text, "allowed-tools").unwrap();
        // These run commands out of the plan: the host asks before them.
        assert!(!tools.contains("check") && !tools.contains("done") && !tools.contains("run"), "{name}: {tools}");
        assert!(text.contains("$ARGUMENTS"), "{name}");
    }
}
