//! Reads the sample plans in `tests/plans` and compares them with `expected.txt`, which was reasoned by hand.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::case_sensitive_file_extension_comparisons
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use steadfast::core::plan::{Plan, Shape, Status, StepState};
use steadfast::core::plan_edit::{set_id, set_status, set_step};
use steadfast::core::plan_read::read;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plans")
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn names() -> Vec<String> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names
}

fn letter(status: Status) -> char {
    match status {
        Status::Complete => 'c',
        Status::InProgress => 'i',
        Status::Pending => 'p',
        Status::Failed => 'f',
        Status::Skipped => 's',
        Status::Waiting => 'w',
        Status::Unknown => 'u',
    }
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Headings => "headings",
        Shape::Bare => "bare",
        Shape::Table => "table",
        Shape::Brackets => "brackets",
        Shape::Boxes => "boxes",
        Shape::None => "none",
    }
}

fn summary(name: &str, plan: &Plan) -> String {
    let statuses: String = plan.phases.iter().map(|phase| letter(phase.status)).collect();
    let current = plan.phases.iter().find(|phase| phase.status == Status::InProgress);
    let mut fields = vec![name, shape(plan.shape), &statuses, current.map_or("-", |phase| &phase.title)];
    fields.extend(plan.ambiguous.then_some("ambiguous"));
    fields.join(" | ")
}

#[test]
fn every_sample_reads_as_expected() {
    let table = fs::read_to_string(folder().join("expected.txt")).unwrap();
    let rows: Vec<&str> = table.lines().filter(|row| !row.starts_with('#')).collect();
    let listed: BTreeSet<&str> = rows.iter().filter_map(|row| row.split(" | ").next()).collect();
    assert_eq!(listed, names().iter().map(String::as_str).collect(), "expected.txt names every sample once");
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let name = row.split(" | ").next()?;
            let got = summary(name, &read(&sample(name)));
            (got != *row).then(|| format!("want {row}\n got {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_else_the_samples_hold() {
    let plan = read(&sample("a-canonical.md"));
    assert_eq!(
        (plan.title.as_str(), plan.goal.as_str()),
        ("Print the almanac", "Print the yearly almanac without a single errata sheet.")
    );
    assert_eq!(plan.phases[1].fields.checks, ["make -C press test"]);
    assert_eq!(plan.phases[1].steps.len(), 2);
    assert_eq!(plan.problems, []);
    assert_eq!(read(&sample("enc-bom.md")).title, "Print the almanac");

    for (name, title, goal) in [
        ("a-zh.md", "更换水泵", "在雨季之前更换水泵。"),
        ("a-es.md", "Molino", "Mover el molino al norte."),
        ("a-de.md", "Wehr", "Das Wehr erneuern."),
        ("a-fr.md", "Verger", "Planter le verger."),
        ("a-ar.md", "إصلاح السد", "إصلاح السد قبل الشتاء."),
        ("a-comments.md", "Comments", ""),
        ("e-prose.md", "Thoughts", "Think."),
    ] {
        let plan = read(&sample(name));
        assert_eq!((plan.title.as_str(), plan.goal.as_str()), (title, goal), "{name}");
    }

    let titles =
        |name: &str| -> Vec<String> { read(&sample(name)).phases.into_iter().map(|phase| phase.title).collect() };
    assert_eq!(titles("a-comments.md"), ["Ink", "Paper"]);
    assert_eq!(titles("a-mangled-zh.md")[2..5], ["地基", "塔身", "叶片"]);
    assert_eq!(titles("b-brackets.md"), ["Find the stones", "Clean them", "Mix the mortar", "Build"]);
    assert_eq!(titles("c-boxes.md"), ["Find a swarm", "Build the hive", "Harvest"]);
    assert_eq!(titles("h-emoji.md"), ["Hum", "Whistle", "Sing", "Shout"]);
    assert_eq!(titles("h-parentheses.md"), ["Buy", "Cook", "Eat (all of it)"]);
    assert_eq!(titles("a-suffix.md"), ["Dig (two days)", "Fill — by hand", "Seal [optional]"]);
    assert_eq!(titles("c-status-and-next.md"), ["Rock", "Stairs", "Lamp", "Horn"]);
    assert_eq!(titles("t-second-column.md"), ["Order", "Ship", "Sell"]);
    assert_eq!(titles("t-status-last.md"), ["Measure", "Carve", "Tune"]);

    let notes = read(&sample("a-notes-after-status.md"));
    assert_eq!(notes.phases[0].note, "local repair only; remains unverified");
    assert_eq!(notes.phases[1].note, "for requested deployment");
}

#[test]
fn problems_name_line_and_remedy() {
    let problems = |name: &str| -> Vec<(usize, String)> {
        let plan = read(&sample(name));
        assert!(plan.problems.iter().all(|problem| !problem.fix.is_empty()), "{name}");
        plan.problems.into_iter().map(|problem| (problem.line, problem.what)).collect()
    };
    let found = problems("a-contradictions.md");
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 5, 13], "{found:?}");
    assert!(found[1].1.contains("1 of its boxes"));
    let found = problems("a-conflict.md");
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4, 5, 6], "{found:?}");
    assert_eq!(read(&sample("a-conflict.md")).blockers.len(), 3);
    assert_eq!(problems("a-prefix-words.md").len(), 4);
    assert_eq!(problems("a-pasted.md").len(), 4);
}

/// Headings as a full Markdown parser sees them.
fn headings_by_parser(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut open: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TASKLISTS) {
        match event {
            Event::Start(Tag::Heading { .. }) => open = Some(String::new()),
            Event::Text(text) | Event::Code(text) => open.iter_mut().for_each(|heading| heading.push_str(&text)),
            Event::End(TagEnd::Heading(level)) => out.push((level as usize, open.take().unwrap_or_default())),
            _ => {}
        }
    }
    out
}

#[test]
fn phase_headings_are_those_a_markdown_parser_sees() {
    for name in names().iter().filter(|name| name.starts_with("a-") || name.starts_with("d-")) {
        let text = String::from_utf8(sample(name)).unwrap();
        // What comes after the live plan is cut here by hand.
        let live = text.split("\n## Archived").next().unwrap().split("\n# Task Plan: Before").next().unwrap();
        let plan = read(live.as_bytes());
        if plan.ambiguous || name.contains("batches") || name.contains("ids-without") {
            continue;
        }
        let seen = headings_by_parser(live).into_iter().map(|(_, text)| text);
        let seen: Vec<String> = seen
            .filter(|text| {
                ["Phase", "阶段", "階段", "第", "Fase", "\u{200F}المرحلة", "المرحلة"]
                    .iter()
                    .any(|w| text.starts_with(w))
            })
            .filter(|text| !["Phases", "Fases", "阶段"].contains(&text.as_str()))
            .collect();
        let read: Vec<&str> = plan.phases.iter().map(|phase| phase.title.as_str()).collect();
        assert_eq!(seen.len(), read.len(), "{name}: {seen:?} {read:?}");
        for (seen, read) in seen.iter().zip(&read) {
            assert!(seen.contains(read), "{name}: {seen} {read}");
        }
    }
}

#[test]
fn code_blocks_are_those_a_markdown_parser_sees() {
    for name in names().iter().filter(|name| name.starts_with("a-")) {
        let text = String::from_utf8(sample(name)).unwrap();
        let mut without = text.clone();
        for (event, range) in Parser::new(&text).into_offset_iter() {
            if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) = event {
                let blank: String = text[range.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
                if blank.len() == range.len() {
                    without.replace_range(range, &blank);
                }
            }
        }
        assert_eq!(summary(name, &read(text.as_bytes())), summary(name, &read(without.as_bytes())), "{name}");
    }
}

/// What must not depend on line endings, comments or code.
fn gist(plan: &Plan) -> String {
    let phases: Vec<_> = plan
        .phases
        .iter()
        .map(|p| {
            let steps: Vec<_> = p.steps.iter().map(|s| (s.text.clone(), s.state)).collect();
            (p.id.clone(), p.number.clone(), p.title.clone(), p.status, p.note.clone(), steps, p.fields.clone())
        })
        .collect();
    format!("{:?} {:?} {:?} {:?} {phases:?}", plan.title, plan.goal, plan.shape, plan.ambiguous)
}

#[test]
fn line_endings_do_not_matter() {
    for name in names() {
        let Ok(text) = String::from_utf8(sample(&name)) else { continue };
        let text = text.trim_start_matches('\u{FEFF}').replace("\r\n", "\n").replace('\r', "\n");
        let right = gist(&read(text.as_bytes()));
        for ending in ["\r\n", "\r"] {
            assert_eq!(gist(&read(text.replace('\n', ending).as_bytes())), right, "{name} {ending:?}");
        }
        assert_eq!(gist(&read(format!("\u{FEFF}{text}").as_bytes())), right, "{name} with a mark");
    }
}

#[test]
fn code_and_comments_change_nothing() {
    let junk = [
        "```\n### Phase 1: junk\n- **Status:** in_progress\n- [ ] junk\n```\n",
        "~~~~ sh\n```\n## Archived\n# Second\n~~~\n~~~~\n",
        "<!-- - [ ] junk\n\n### Phase 1: junk\n- **Status:** complete\n-->\n",
        "<!-- # x -->\n",
    ];
    for name in names() {
        let Ok(text) = String::from_utf8(sample(&name)) else { continue };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // Between sections: before a heading that is not itself in code or a comment.
        let fenced = name.contains("fence") || name.contains("comments") || text.contains('\r');
        let right = gist(&read(text.as_bytes()));
        for at in (0..lines.len()).filter(|at| lines[*at].starts_with('#') && !fenced) {
            for junk in junk {
                let edited = format!("{}{junk}{}", lines[..at].concat(), lines[at..].concat());
                assert_eq!(gist(&read(edited.as_bytes())), right, "{name} line {at}: {junk}");
            }
        }
    }
}

/// Bytes that differ lie within one stretch of the old file; returns it.
fn changed(old: &[u8], new: &[u8]) -> (usize, usize) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    (head, old.len() - tail)
}

#[test]
fn edits_of_every_sample_change_only_what_they_must() {
    for name in names() {
        let bytes = sample(&name);
        let plan = read(&bytes);
        for (index, phase) in plan.phases.iter().enumerate() {
            for status in [
                Status::Pending,
                Status::InProgress,
                Status::Complete,
                Status::Failed,
                Status::Skipped,
                Status::Waiting,
            ] {
                let Ok(edited) = set_status(&bytes, &plan, index, status) else {
                    panic!("{name}: phase {index} to {status}");
                };
                let after = read(&edited);
                let got = after.phases[index].status;
                let boxes = plan.shape == Shape::Boxes;
                assert!(
                    got == status || boxes && (got == Status::Complete) == (status == Status::Complete),
                    "{name} {index} {status} {got}"
                );
                for (other, (old, new)) in plan.phases.iter().zip(&after.phases).enumerate() {
                    assert!(other == index || old.status == new.status && old.note == new.note, "{name}");
                    assert_eq!((&old.title, &old.id, &old.fields), (&new.title, &new.id, &new.fields), "{name}");
                }
                let (from, to) = changed(&bytes, &edited);
                assert!(to - from.min(to) <= 40, "{name}: {from}..{to}");
                assert_eq!(
                    set_status(&edited, &after, index, status).as_deref(),
                    Ok(&edited[..]),
                    "{name}: twice is once"
                );
            }
            let id = format!("x{index}");
            if let Ok(edited) = set_id(&bytes, &plan, index, &id) {
                let after = read(&edited);
                assert_eq!(after.phases[index].id.as_deref(), Some(id.as_str()), "{name}");
                assert_eq!(after.phases[index].title, phase.title, "{name}");
            } else {
                assert_eq!(name, "enc-invalid.md");
            }
            for step in 0..phase.steps.len() {
                for state in [StepState::Open, StepState::Done, StepState::Dropped] {
                    let Ok(edited) = set_step(&bytes, &plan, index, step, state) else {
                        assert_eq!(name, "enc-invalid.md");
                        continue;
                    };
                    assert_eq!(read(&edited).phases[index].steps[step].state, state, "{name}");
                }
            }
        }
    }
}

/// A sample with other line ends, a choice for each line, and with or without a mark.
fn with_endings(bytes: &[u8], mark: bool, ending: impl Fn(usize) -> &'static str) -> Vec<u8> {
    let mut out = if mark { "\u{FEFF}".as_bytes().to_vec() } else { Vec::new() };
    let mut line = 0;
    let mut rest = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(ending(line).as_bytes());
        line += 1;
        rest = &rest[at + if rest[at..].starts_with(b"\r\n") { 2 } else { 1 }..];
    }
    out.extend_from_slice(rest);
    out
}

/// What a plan says, phase by phase; of the phase at `but`, neither status nor boxes.
fn said(plan: &Plan, but: usize) -> Vec<String> {
    let phases = plan.phases.iter().enumerate().map(|(index, p)| {
        let own = index == but;
        let steps: Vec<_> = p.steps.iter().map(|s| (&s.text, (!own).then_some(s.state))).collect();
        let status = (!own).then_some((p.status, &p.note));
        format!("{:?} {:?} {:?} {status:?} {steps:?} {:?}", p.id, p.number, p.title, p.fields)
    });
    // A plan without a title of its own is called by its first heading, be it that of a phase.
    let title = plan.phases.get(but).is_none_or(|p| !plan.title.contains(&p.title)).then_some(&plan.title);
    phases.chain([format!("{title:?} {:?} {}", plan.goal, plan.ambiguous)]).collect()
}

/// Whether `new` is `old` with nothing changed but inside these stretches, which stand in order and do not overlap.
fn only_within(old: &[u8], new: &[u8], stretches: &[std::ops::Range<usize>]) -> bool {
    fn from(old: &[u8], at: usize, new: &[u8], stretches: &[std::ops::Range<usize>]) -> bool {
        let Some((stretch, rest)) = stretches.split_first() else { return old[at..] == *new };
        let Some(new) = new.strip_prefix(&old[at..stretch.start]) else { return false };
        (0..=new.len().min(48)).any(|length| from(old, stretch.end, &new[length..], rest))
    }
    from(old, 0, new, stretches)
}

/// Every status and every box of a plan: what had to change did, no byte outside it, and nothing else reads differently.
fn edits_change_only_what_they_must(name: &str, bytes: &[u8]) {
    use Status::{Complete, Failed, InProgress, Pending, Skipped, Waiting};
    let plan = read(bytes);
    let boxes = plan.shape == Shape::Boxes;
    for (index, phase) in plan.phases.iter().enumerate() {
        let before = said(&plan, index);
        for status in [Pending, InProgress, Complete, Failed, Skipped, Waiting] {
            let edited =
                set_status(bytes, &plan, index, status).unwrap_or_else(|e| panic!("{name}: {index} {status}: {e}"));
            let after = read(&edited);
            let got = after.phases[index].status;
            assert!(
                got == status || boxes && (got == Complete) == (status == Complete),
                "{name} {index} {status} {got}"
            );
            assert_eq!(said(&after, index), before, "{name} {index} {status}");
            let states = |plan: &Plan| plan.phases[index].steps.iter().map(|s| s.state).collect::<Vec<_>>();
            assert_eq!(states(&after), states(&plan), "{name} {index} {status}");
            let mut places: Vec<_> = phase.spans.status.iter().chain(&phase.spans.mark).cloned().collect();
            if phase.spans.status.is_none() && phase.spans.mark.is_none() {
                places = [phase.spans.status_insert, phase.spans.heading.end].map(|at| at..at).to_vec();
            }
            places.sort_by_key(|place| place.start);
            places.dedup();
            assert!(only_within(bytes, &edited, &places), "{name} {index} {status}");
        }
        for (at, step) in phase.steps.iter().enumerate() {
            for state in [StepState::Open, StepState::Done, StepState::Dropped] {
                let Ok(edited) = set_step(bytes, &plan, index, at, state) else {
                    assert_eq!(name, "enc-invalid.md");
                    continue;
                };
                let after = read(&edited);
                assert_eq!(after.phases[index].steps[at].state, state, "{name} {index} {at}");
                assert_eq!(said(&after, index), before, "{name} {index} {at}");
                for (other, (old, new)) in phase.steps.iter().zip(&after.phases[index].steps).enumerate() {
                    assert!(other == at || old.state == new.state, "{name} {index} {at}");
                }
                // Where no status is written, the boxes say it.
                let follows = !phase.explicit && phase.spans.status.is_none();
                let kept = after.phases[index].status == phase.status && after.phases[index].note == phase.note;
                assert!(kept || follows, "{name} {index} {at}");
                assert!(only_within(bytes, &edited, step.mark.as_slice()), "{name} {index} {at}");
            }
        }
    }
}

#[test]
fn no_edit_of_any_sample_changes_another_byte_whatever_ends_its_lines() {
    for name in names() {
        let bytes = sample(&name);
        edits_change_only_what_they_must(&name, &bytes);
        for mark in [false, true] {
            for ending in ["\n", "\r\n", "\r"] {
                edits_change_only_what_they_must(&name, &with_endings(&bytes, mark, |_| ending));
            }
            let mixed = with_endings(&bytes, mark, |line| ["\n", "\r\n", "\r\n", "\r"][line % 4]);
            edits_change_only_what_they_must(&name, &mixed);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// As above, with line ends mixed at will.
    #[test]
    fn no_edit_changes_another_byte_whatever_mix_of_line_ends(
        which in any::<prop::sample::Index>(), mix in prop::collection::vec(0..3usize, 1..40), mark in any::<bool>(),
    ) {
        let names = names();
        let name = &names[which.index(names.len())];
        let bytes = with_endings(&sample(name), mark, |line| ["\n", "\r\n", "\r"][mix[line % mix.len()]]);
        edits_change_only_what_they_must(name, &bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
    }

    #[test]
    fn any_lines_can_be_read_and_edited(lines in prop::collection::vec(line(), 0..24), which in any::<prop::sample::Index>()) {
        let bytes = lines.concat().into_bytes();
        let plan = read(&bytes);
        prop_assert_eq!(plan.phases.is_empty(), plan.shape == Shape::None);
        if !plan.phases.is_empty() {
            let index = which.index(plan.phases.len());
            for status in [Status::Complete, Status::InProgress] {
                if let Ok(edited) = set_status(&bytes, &plan, index, status) {
                    let got = read(&edited).phases[index].status;
                    prop_assert!(got == status || plan.shape == Shape::Boxes && status != Status::Complete);
                }
            }
            let _ = set_id(&bytes, &plan, index, "id");
        }
        for phase in &plan.phases {
            for span in [Some(phase.spans.heading.clone()), phase.spans.status.clone(), phase.spans.mark.clone()].into_iter().flatten() {
                prop_assert!(bytes.get(span).is_some());
            }
            prop_assert!(phase.spans.status_insert <= bytes.len());
        }
    }

    #[test]
    fn endings_never_matter(lines in prop::collection::vec(line(), 0..24)) {
        let text = lines.concat().replace("\r\n", "\n").replace('\r', "\n");
        let right = gist(&read(text.as_bytes()));
        prop_assert_eq!(gist(&read(text.replace('\n', "\r\n").as_bytes())), right.clone());
        prop_assert_eq!(gist(&read(text.replace('\n', "\r").as_bytes())), right);
    }
}

/// Lines plans are made of, whole and mangled.
fn line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# Plan"),
        Just("## Goal"),
        Just("## Phases"),
        Just("### Phase 1: a"),
        Just("### Phase 2: b ✅"),
        Just("## 阶段 3：c"),
        Just("#### 批次 1"),
        Just("- [ ] s"),
        Just("- [x] Phase 1: a"),
        Just("  - [-] t"),
        Just("- **Status:** complete (n)"),
        Just("-**状态：**完成"),
        Just("Status:"),
        Just("- [complete] 1. a"),
        Just("- [pending] b"),
        Just("| Phase | Status |"),
        Just("|---|---|"),
        Just("| 1 | done |"),
        Just("| 2 | |"),
        Just("```"),
        Just("~~~~"),
        Just("<!--"),
        Just("-->"),
        Just("a <!-- b"),
        Just("<pre>"),
        Just("</pre>"),
        Just(""),
        Just("    code"),
        Just("- **Check:** `x`"),
        Just("- **Depends on:** 1"),
        Just("## Archived"),
        Just("<<<<<<< a"),
        Just("{#id}"),
        Just("1. [ ] x"),
        Just("> quote"),
        Just("**Goal:** g"),
        Just("\t- [ ] u"),
        Just("[ "),
        Just("`"),
    ];
    let ending = prop_oneof![Just("\n"), Just("\n"), Just("\r\n"), Just("\r"), Just(" ")];
    (piece, ending).prop_map(|(piece, ending)| format!("{piece}{ending}"))
}
