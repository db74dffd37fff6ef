//! Documents that are made from the program: `STEADFAST_UPDATE_DOCS=1 cargo test docs` writes them, any other run compares.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use steadfast::store::layout::{self, Entry};

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn compare(path: &Path, text: &str) {
    if std::env::var_os("STEADFAST_UPDATE_DOCS").is_some() {
        std::fs::write(path, text).unwrap();
        return;
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == text,
        "{} is not what the program says; run: STEADFAST_UPDATE_DOCS=1 cargo test docs",
        path.display()
    );
}

#[test]
fn cli_reference() {
    let mut command = steadfast::commands::args::Cli::command().term_width(100);
    command.build();
    let mut text = String::from(
        "# Command line\n\nMade from the program; a test keeps it true. Hooks (`steadfast hook <event> --host <host>`) are called by hosts, not by people.\n",
    );
    let mut names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    names.retain(|n| n != "help");
    for name in names {
        let sub = command.find_subcommand_mut(&name).unwrap();
        let help = sub.render_long_help().to_string();
        write!(
            text,
            "\n## {name}\n\n```text\n{}\n```\n",
            help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end()
        )
        .unwrap();
    }
    compare(&root().join("docs/cli.md"), &text);
}

/// A table between its marks in a document.
fn with_table(text: &str, mark: &str, entries: &[Entry]) -> String {
    let mut table =
        String::from("| file | what | written by | lock | how | missing or torn |\n|---|---|---|---|---|---|\n");
    for e in entries {
        writeln!(table, "| {} | {} | {} | {} | {} | {} |", e.path, e.what, e.writer, e.lock, e.how, e.broken).unwrap();
    }
    let (before, rest) = text.split_once(mark).unwrap_or_else(|| panic!("{mark}"));
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    format!("{before}{mark}\n{table}<!-- end -->{after}")
}

#[test]
fn the_tables_of_files() {
    let path = root().join("docs/state.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = with_table(&text, "<!-- files of a project: made from src/store/layout.rs -->", layout::IN_PROJECT);
    let mark = "<!-- files of the state directory: made from src/store/layout.rs -->";
    compare(&path, &with_table(&text, mark, layout::IN_STATE));
}

/// What stands in the tables is what a run leaves, and every name of the layout is in them.
#[test]
fn every_file_of_a_run_is_in_the_tables() {
    let names: Vec<String> = [layout::IN_PROJECT, layout::IN_STATE]
        .concat()
        .iter()
        .flat_map(|entry| entry.path.split(", ").map(|path| path.trim_matches('`').to_owned()).collect::<Vec<_>>())
        .collect();
    for name in [
        layout::PLAN,
        layout::FINDINGS,
        layout::PROGRESS,
        layout::POINTER,
        layout::PRIORITIES,
        layout::PROPOSED_PRIORITIES,
        layout::MODE,
        layout::RUN,
        layout::BLOCKS,
        layout::ATTESTATION,
        layout::PROOFS,
        layout::PROPOSALS,
        layout::BEFORE_PROPOSAL,
        layout::BEFORE_RESTORE,
        layout::IGNORE,
        layout::ATTRIBUTES,
        layout::HEAD,
        layout::TREE,
        layout::PENDING,
        layout::SESSIONS,
        layout::WAKES,
        layout::PLANS,
        layout::REQUEST,
        "ledger-",
        "contract-v",
    ] {
        assert!(names.iter().any(|known| known.contains(name)), "{name}");
    }
    let stage = crate::stage::Stage::gated();
    stage.agent("main", &["done", "survey", "--anyway", "--why", "small"]).fine();
    stage.write("built", "x");
    stage.agent("main", &["check", "build"]).fine();
    stage.agent("main", &["use", "--rank", stage.plan_dir().file_name().unwrap().to_str().unwrap()]).fine();
    stage.prompt("main", "approve plan");
    stage.stop("main", false);
    stage.agent("main", &["restore"]).fine();
    stage.edit_plan("- [ ] Tokenizer\n", "");
    stage.agent("main", &["propose", "--why", "known"]).fine();
    stage.verb(&["wake"]);
    for root in [stage.project.join(".planning"), stage.state.clone()] {
        for (file, _) in stage.tree(&root) {
            let file = file.file_name().unwrap().to_str().unwrap();
            let fits = |known: &String| fits(known.rsplit('/').next().unwrap(), file);
            assert!(names.iter().any(fits), "{file} is in no table");
        }
    }
}

/// Whether a name is of a pattern, in which `<...>` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('<') else { return pattern == name };
    let end = rest.split_once('>').map_or("", |(_, end)| end);
    let Some(rest) = name.strip_prefix(start) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| fits(end, &rest[at..]))
}

#[test]
fn every_verb_has_an_example_in_its_help() {
    let mut command = steadfast::commands::args::Cli::command();
    command.build();
    for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
        let example = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(example.contains("Example: steadfast "), "{}", sub.get_name());
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut files = vec![
        root().join("README.md"),
        root().join("CONTRIBUTING.md"),
        root().join("SECURITY.md"),
        root().join("CHANGELOG.md"),
    ];
    files.extend(std::fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().path()));
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(file).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("http") || link.starts_with('#') {
                continue;
            }
            let target = link.split('#').next().unwrap();
            assert!(file.parent().unwrap().join(target).exists(), "{} links to {link}", file.display());
        }
    }
}

/// SECURITY.md names a test for each row; each of them is there.
#[test]
fn the_tests_that_documents_name_exist() {
    let mut known = String::new();
    for entry in std::fs::read_dir(root().join("tests/it")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            known += &std::fs::read_to_string(path).unwrap();
        }
    }
    let text = std::fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let named: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|n| n.len() > 20 && n.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
        .collect();
    assert!(named.len() > 30, "{named:?}");
    for name in named {
        assert!(known.contains(&format!("fn {name}()")), "{name}");
    }
}
