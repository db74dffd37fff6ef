//! The parts of Markdown that plans of other tools are made of: headings, what stands below them, list items, boxes. Code and
//! comments are no structure.

use crate::core::plan::StepState;
use crate::core::plan_read::marked_lines;

/// A line below a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Its number in the file, from 1.
    pub(super) number: usize,
    /// Its text.
    pub(super) text: String,
    /// It is code or a comment.
    pub(super) hidden: bool,
}

/// A heading with what stands below it, up to the next heading of any depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// Number of `#`; 0 for what stands before the first heading.
    pub(super) level: usize,
    /// The heading.
    pub(super) title: String,
    /// Its line, from 1.
    pub(super) number: usize,
    /// The lines below.
    pub(super) lines: Vec<Line>,
}

/// A list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item<'t> {
    /// Columns before it; a tab counts as four.
    pub(super) indent: usize,
    /// It has a number.
    pub(super) ordered: bool,
    /// Its box, if it has one.
    pub(super) state: Option<StepState>,
    /// Its text, without the box.
    pub(super) text: &'t str,
}

/// Cuts a text at its headings.
pub(super) fn sections(bytes: &[u8]) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    for (index, (text, hidden)) in marked_lines(bytes).into_iter().enumerate() {
        let number = index + 1;
        if let Some((level, title)) = heading(&text).filter(|_| !hidden) {
            sections.push(Section { level, title: title.to_owned(), number, lines: Vec::new() });
        } else if let Some(section) = sections.last_mut() {
            section.lines.push(Line { number, text, hidden });
        }
    }
    sections
}

fn heading(text: &str) -> Option<(usize, &str)> {
    let level = text.bytes().take_while(|b| *b == b'#').count();
    let rest = text.get(level..).filter(|rest| (1..=6).contains(&level) && rest.starts_with([' ', '\t']))?;
    Some((level, rest.trim().trim_end_matches('#').trim_end()))
}

/// Reads a list item.
pub(super) fn item(text: &str) -> Option<Item<'_>> {
    let body = text.trim_start_matches([' ', '\t']);
    let indent = text.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == '\t' { 4 } else { 1 }).sum();
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let (rest, ordered) = match body.strip_prefix(['-', '*', '+']) {
        Some(rest) => (rest, false),
        None => (body.get(digits..).filter(|_| digits > 0)?.strip_prefix(['.', ')'])?, true),
    };
    let content = rest.strip_prefix([' ', '\t'])?.trim();
    let mark = |mark: &str| content.strip_prefix(mark).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let boxed = [("[ ]", StepState::Open), ("[x]", StepState::Done), ("[X]", StepState::Done)]
        .into_iter()
        .find_map(|(text, state)| Some((mark(text)?.trim(), state)));
    let (text, state) = boxed.map_or((content, None), |(text, state)| (text, Some(state)));
    Some(Item { indent, ordered, state, text })
}

/// Lines as one text: no markers that a tool leaves in comments, no blank lines around.
pub(super) fn prose<'l>(lines: impl IntoIterator<Item = &'l Line>) -> String {
    let lines = lines.into_iter().filter(|line| !(line.hidden && line.text.trim().starts_with("<!--")));
    lines.map(|line| line.text.trim_end()).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// Text without the emphasis around it.
pub(super) fn plain(text: &str) -> String {
    text.replace("**", "").trim().to_owned()
}
