//! Headings: the title, the goal, the sections, and where the live plan ends.

use super::fold::{any_prefix, is_any};
use super::lines::Line;
use super::name::{self, Kind};
use super::words::{ARCHIVE, ARCHIVED, GOAL, LIKE_PHASES, PHASES};

/// A heading of the live plan.
#[derive(Debug)]
pub(super) struct Heading<'t> {
    /// Index of its line.
    pub(super) line: usize,
    /// Number of hashes.
    pub(super) level: usize,
    /// The text without hashes.
    pub(super) text: &'t str,
    /// Index of the first line after the section, subsections included.
    pub(super) end: usize,
    /// What it promises to hold.
    pub(super) section: Section,
}

/// The live part of a file.
#[derive(Debug)]
pub(super) struct Outline<'t> {
    /// Its lines.
    pub(super) lines: &'t [Line<'t>],
    /// Its headings in order.
    pub(super) headings: Vec<Heading<'t>>,
}

/// What a section promises to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    /// Anything.
    Other,
    /// Something like phases: tasks, milestones, a plan.
    LikePhases,
    /// Phases.
    Phases,
}

/// Finds the headings, up to the second H1 or an "Archived" heading.
pub(super) fn read<'t>(lines: &'t [Line<'t>]) -> Outline<'t> {
    let mut headings: Vec<Heading<'t>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut titled = false;
    let mut archived: Option<usize> = None;
    let mut end = lines.len();
    for (index, line) in lines.iter().enumerate() {
        let Some((level, text)) = heading(line) else { continue };
        if archived.is_some_and(|below| level >= below) {
            continue;
        }
        archived = None;
        let second = level == 1 && titled;
        let section = section(text);
        if (second && section == Section::Other && !is_goal(text)) || (level < 3 && is_archive(text)) {
            end = index;
            break;
        }
        titled |= level == 1;
        close(&mut headings, &mut open, level, index);
        open.push(headings.len());
        if is_archive(text) {
            archived = Some(level);
        }
        headings.push(Heading { line: index, level, text, end: usize::MAX, section });
    }
    let lines = lines.get(..end).unwrap_or(lines);
    close(&mut headings, &mut open, 0, end);
    Outline { lines, headings }
}

/// Ends the open sections that a heading of this level ends.
fn close(headings: &mut [Heading<'_>], open: &mut Vec<usize>, level: usize, index: usize) {
    while let Some(heading) = open.last().and_then(|last| headings.get_mut(*last)) {
        if heading.level < level {
            break;
        }
        heading.end = index;
        open.pop();
    }
}

/// A heading: its level and text. The space after two or more hashes may be missing.
fn heading<'t>(line: &'t Line<'t>) -> Option<(usize, &'t str)> {
    if line.hidden || line.indent() > 3 {
        return None;
    }
    let body = line.text().trim();
    let rest = body.trim_start_matches('#');
    let level = body.len() - rest.len();
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t', '\u{3000}', '\u{A0}']);
    if !(1..=6).contains(&level) || !(spaced || (level > 1 && rest.starts_with(char::is_alphabetic))) {
        return None;
    }
    let text = rest.trim();
    let bare = text.trim_end_matches('#');
    Some((level, if bare.is_empty() || bare.ends_with([' ', '\t']) { bare.trim_end() } else { text }))
}

/// What the heading promises.
fn section(text: &str) -> Section {
    let text = plain(text);
    let head = text.split(['(', '（', ':', '：', '/', '—']).next().unwrap_or_default().trim();
    if is_any(head, PHASES) {
        Section::Phases
    } else if is_any(head, LIKE_PHASES) {
        Section::LikePhases
    } else {
        Section::Other
    }
}

fn is_goal(text: &str) -> bool {
    let text = plain(text);
    is_any(text.split(['(', '（', '/']).next().unwrap_or_default().trim().trim_end_matches([':', '：']), GOAL)
}

fn is_archive(text: &str) -> bool {
    let text = plain(text).trim_start_matches(['[', '(', '【', '*', '~']);
    if name::read(text).kind == Kind::Phase {
        return false;
    }
    let word = any_prefix(text, ARCHIVED).and_then(|length| text.get(length..));
    word.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        || is_any(text.trim_end_matches([':', '：', ']']), ARCHIVE)
}

/// A heading's text without emoji, emphasis and a listed number before it.
fn plain(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '[' | '(' | '【'));
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let listed = text.get(digits..).filter(|_| digits > 0).and_then(|rest| rest.strip_prefix(['.', ')', '、']));
    listed.unwrap_or(text).trim().trim_end_matches(['*', '_', '#'])
}

impl<'t> Outline<'t> {
    /// The title: the first heading, without a leading `Task Plan:`.
    pub(super) fn title(&self) -> String {
        let Some(first) = self.headings.first() else { return String::new() };
        let prefixes = ["task plan", "plan", "任务计划", "任務計劃", "计划", "plan de tareas", "خطة المهمة"];
        let rest = any_prefix(first.text, &prefixes)
            .and_then(|length| first.text.get(length..))
            .and_then(|rest| rest.trim_start().strip_prefix([':', '：']));
        name::clean(rest.unwrap_or(first.text))
    }

    /// The goal, joined to one line: the section, else a `**Goal:**` line before the first phase-like section.
    pub(super) fn goal(&self) -> String {
        let Some(at) = self.headings.iter().position(|h| h.level < 5 && is_goal(h.text)) else {
            return self.goal_line();
        };
        let from = self.headings.get(at).map_or(0, |h| h.line + 1);
        let to = self.headings.get(at + 1).map_or(self.lines.len(), |h| h.line);
        let mut words = String::new();
        for line in self.lines.get(from..to).unwrap_or_default().iter().filter(|line| !line.blank()) {
            if super::items::is_rule(line.text()) {
                continue;
            }
            // A table that follows without a heading is no part of it.
            if !words.is_empty() && line.text().trim_start().starts_with('|') {
                break;
            }
            let text = super::items::item(line.text()).map_or(line.text().trim(), |item| item.content);
            words.push_str(text.trim_start_matches('>'));
            words.push(' ');
        }
        name::joined(&words)
    }

    fn goal_line(&self) -> String {
        let to = self.headings.iter().find(|h| h.level > 1).map_or(self.lines.len(), |h| h.line);
        let lines = self.lines.get(..to).unwrap_or_default().iter().filter(|line| !line.hidden);
        let mut labels = lines.filter_map(|line| super::label::read(line.text()));
        labels.find(|label| is_any(label.key, GOAL)).map_or_else(String::new, |label| name::joined(label.value))
    }

    /// The nearest heading before a line.
    pub(super) fn above(&self, line: usize) -> Option<&Heading<'t>> {
        let after = self.headings.partition_point(|h| h.line <= line);
        self.headings.get(after.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::plan_read::lines::split;

    fn texts(file: &str) -> Vec<(usize, String, usize)> {
        let lines = split(file.as_bytes());
        read(&lines).headings.into_iter().map(|h| (h.level, h.text.to_owned(), h.end)).collect()
    }

    #[test]
    fn sections_nest() {
        assert_eq!(
            texts("# A\n## B ##\n### C\n## D#\n"),
            [(1, "A".into(), 4), (2, "B".into(), 3), (3, "C".into(), 3), (2, "D#".into(), 4)]
        );
    }

    #[test]
    fn the_live_plan_ends() {
        assert_eq!(texts("# A\n## B\n# C\n## D\n").len(), 2);
        assert_eq!(texts("# A\n## B\n## Archived: old\n### Phase 9\n").len(), 2);
        assert_eq!(texts("# A\n## 归档\n").len(), 1);
        assert_eq!(texts("# A\n## Phase 1: Archive logs\n## Archive strategy\n").len(), 3);
        assert_eq!(texts("# A\n## Phase 1: Archived rows\n").len(), 2);
        assert_eq!(texts("# Goal\n# Phases\n## Phase 1\n").len(), 3);
        assert_eq!(texts("# A\n## N\n### Archived notes\n#### x\n### y\n## Phase 1\n").len(), 4);
    }

    #[test]
    fn no_headings() {
        for text in ["#tag", "#", "####### x", "    # x", "text # x"] {
            assert!(texts(text).iter().all(|(_, t, _)| t.is_empty()), "{text}");
        }
        assert_eq!(texts("##阶段 1").len(), 1);
    }
}
