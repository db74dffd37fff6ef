//! Marks what is not plan text: fences, HTML comments, raw HTML blocks and indented code. Follows `CommonMark` where its rules
//! matter to a reader who sees the page rendered: what renders as code or not at all is not read.

use std::collections::HashMap;

use super::items::{is_rule, item};
use super::lines::{Line, columns};

const RAW: [&str; 4] = ["pre", "script", "style", "textarea"];

struct Fence {
    mark: char,
    length: usize,
    /// Column of the list content the fence lives in: the fence ends where the list item ends.
    inner: usize,
}

enum Raw {
    Comment,
    Element,
}

#[derive(Default)]
struct Hider {
    fence: Option<Fence>,
    raw: Option<Raw>,
    /// Content columns of the open list items.
    lists: Vec<usize>,
    /// The line before is text that this one may continue.
    paragraph: bool,
    /// Lines before this index are the inside of a comment that began in the middle of a line.
    comment_to: usize,
    /// A comment that begins in the middle of a line before this index is known not to be closed.
    open_to: usize,
}

/// Sets [`Line::hidden`] and blanks inline comments.
pub(super) fn hide(lines: &mut [Line<'_>]) {
    let mut hider = Hider::default();
    for index in 0..lines.len() {
        let hidden = lines.get(index).is_some_and(|line| hider.line(index, line.text()));
        let cut = if hidden { None } else { hider.blanked(index, lines) };
        if let Some(line) = lines.get_mut(index) {
            line.hidden = hidden;
            if let Some(text) = cut {
                line.blank_to(text);
            }
        }
    }
}

impl Hider {
    /// Moves past one line; returns whether it is hidden.
    fn line(&mut self, index: usize, text: &str) -> bool {
        if index < self.comment_to {
            return true;
        }
        if let Some(raw) = &self.raw {
            if ends_raw(raw, text) {
                self.raw = None;
            }
            return true;
        }
        let body = text.trim();
        let indent = columns(text);
        if let Some(fence) = &self.fence {
            if body.is_empty() || indent >= fence.inner {
                if closes(fence, body, indent) {
                    self.fence = None;
                }
                return true;
            }
            self.fence = None;
        }
        if body.is_empty() {
            self.paragraph = false;
            return false;
        }
        if !self.paragraph || starts_block(text) {
            while self.lists.last().is_some_and(|inner| *inner > indent) {
                self.lists.pop();
            }
        }
        let outer = self.lists.last().copied().unwrap_or(0);
        let near = indent.saturating_sub(outer) < 4;
        if (near || !self.lists.is_empty())
            && let Some((mark, length)) = opens(body)
        {
            self.fence = Some(Fence { mark, length, inner: outer });
            self.paragraph = false;
            return true;
        }
        if !near {
            return !self.paragraph;
        }
        self.block(text, body)
    }

    /// A line at block level; returns whether it is hidden.
    fn block(&mut self, text: &str, body: &str) -> bool {
        let raw = if body.starts_with("<!--") { Some(Raw::Comment) } else { raw_element(body).then_some(Raw::Element) };
        if let Some(raw) = raw {
            self.paragraph = false;
            if !ends_raw(&raw, body.get(2..).unwrap_or_default()) {
                self.raw = Some(raw);
            }
            return true;
        }
        if is_heading(body) || is_rule(text) {
            self.paragraph = false;
            return false;
        }
        self.paragraph = true;
        let Some(item) = item(text) else { return false };
        self.lists.push(item.inner);
        self.paragraph = !item.content.is_empty();
        if let Some((mark, length)) = opens(item.content) {
            self.fence = Some(Fence { mark, length, inner: item.inner });
            self.paragraph = false;
            return true;
        }
        if item.content.starts_with("<!--") && !item.content.contains("-->") {
            self.raw = Some(Raw::Comment);
            return true;
        }
        false
    }

    /// The text of a visible line with its comments blanked; `None` where there are none.
    fn blanked(&mut self, index: usize, lines: &[Line<'_>]) -> Option<String> {
        let text = lines.get(index)?.text();
        text.contains("<!--").then_some(())?;
        let spans = code_spans(text);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(found) = text.get(at..).and_then(|rest| rest.find("<!--")) {
            let open = at + found;
            if let Some((_, end)) = covering(&spans, open) {
                out.push_str(text.get(at..end)?);
                at = end;
                continue;
            }
            out.push_str(text.get(at..open)?);
            if let Some(close) = text.get(open + 2..).and_then(|rest| rest.find("-->")) {
                at = open + 2 + close + 3;
                blank(&mut out, at - open);
            } else if !is_heading(text.trim()) && self.closes_later(index, lines) {
                blank(&mut out, text.len() - open);
                return Some(out);
            } else {
                at = open;
                break;
            }
        }
        out.push_str(text.get(at..)?);
        Some(out)
    }

    /// Whether a comment left open on this line ends in the same paragraph.
    fn closes_later(&mut self, index: usize, lines: &[Line<'_>]) -> bool {
        if index < self.open_to {
            return false;
        }
        for (later, line) in lines.iter().enumerate().skip(index + 1) {
            if line.text().trim().is_empty() || starts_block(line.text()) {
                self.open_to = later;
                return false;
            }
            if line.text().contains("-->") {
                self.comment_to = later + 1;
                return true;
            }
        }
        self.open_to = lines.len();
        false
    }
}

fn blank(out: &mut String, bytes: usize) {
    out.extend(std::iter::repeat_n(' ', bytes));
}

fn is_heading(body: &str) -> bool {
    body.starts_with('#')
}

/// Whether the line ends a paragraph by beginning something else.
pub(super) fn starts_block(text: &str) -> bool {
    let body = text.trim_start();
    is_heading(body)
        || body.starts_with('>')
        || body.starts_with("<!--")
        || raw_element(body)
        || opens(body).is_some()
        || is_rule(text)
        || item(text).is_some_and(|item| !item.content.is_empty())
}

/// The mark and length of an opening fence.
fn opens(body: &str) -> Option<(char, usize)> {
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|c| *c == mark).count();
    let info = body.get(length..)?;
    (length >= 3 && (mark == '~' || !info.contains('`'))).then_some((mark, length))
}

fn closes(fence: &Fence, body: &str, indent: usize) -> bool {
    let near = fence.inner > 0 || indent < 4;
    near && body.len() >= fence.length && body.chars().all(|c| c == fence.mark)
}

fn raw_element(body: &str) -> bool {
    let Some(rest) = body.strip_prefix('<') else { return false };
    RAW.iter().any(|name| {
        let tag = rest.get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name));
        tag && rest.get(name.len()..).is_some_and(|next| next.is_empty() || next.starts_with([' ', '\t', '>']))
    })
}

fn ends_raw(raw: &Raw, text: &str) -> bool {
    match raw {
        Raw::Comment => text.contains("-->"),
        Raw::Element => text.match_indices("</").any(|(at, _)| closing(text, at)),
    }
}

fn closing(text: &str, at: usize) -> bool {
    let rest = text.get(at + 2..).unwrap_or_default();
    RAW.iter().any(|name| {
        rest.get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name))
            && rest.get(name.len()..).is_some_and(|next| next.starts_with('>'))
    })
}

/// Byte ranges of inline code on one line.
fn code_spans(text: &str) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('`')) {
        let start = at + found;
        let length = text.bytes().skip(start).take_while(|byte| *byte == b'`').count();
        runs.push((start, length));
        at = start + length;
    }
    let mut last: HashMap<usize, usize> = HashMap::new();
    let mut partner = vec![None; runs.len()];
    for (index, (_, length)) in runs.iter().enumerate().rev() {
        if let Some(slot) = partner.get_mut(index) {
            *slot = last.insert(*length, index);
        }
    }
    let mut spans = Vec::new();
    let mut index = 0;
    while let Some((start, _)) = runs.get(index) {
        index = match partner.get(index).copied().flatten() {
            Some(end) => {
                if let Some((close, length)) = runs.get(end) {
                    spans.push((*start, close + length));
                }
                end + 1
            }
            None => index + 1,
        };
    }
    spans
}

/// The span that covers the offset.
fn covering(spans: &[(usize, usize)], at: usize) -> Option<(usize, usize)> {
    let index = spans.partition_point(|(_, end)| *end <= at);
    spans.get(index).copied().filter(|(start, _)| *start <= at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    use super::*;
    use crate::core::plan_read::lines::split;

    /// The lines that are left, with blanked comments joined.
    fn left(text: &str) -> Vec<String> {
        let mut lines = split(text.as_bytes());
        hide(&mut lines);
        let shown = lines.iter().filter(|line| !line.blank());
        shown.map(|line| line.text().split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn what_is_hidden() {
        for (text, right) in [
            ("a\n```\nb\n```\nc", &["a", "c"][..]),
            ("````\n```\nb\n````\nc", &["c"]),
            ("~~~\n```\nb\n~~~ x\n~~~~\nc", &["c"]),
            ("```\nb", &[]),
            ("``` a`b\nc", &["``` a`b", "c"]),
            ("- a\n  ```\n  b\n  ```\n- c", &["- a", "- c"]),
            ("- a\n  ```\n  b\nc", &["- a", "c"]),
            ("- ```\n  b\n  ```\nc", &["c"]),
            ("    a\nb\n    c\n\n    d", &["b", "c"]),
            ("- a\n\n    b\n\n      c", &["- a", "b"]),
            ("\ta", &[]),
            ("a <!-- b --> c", &["a c"]),
            ("<!-- b --> c\nd", &["d"]),
            ("<!--\nb\n\nc -->\nd", &["d"]),
            ("<!-- b", &[]),
            ("a <!-- b\nc\nd --> e\nf", &["a", "f"]),
            ("a <!-- b\n\nc -->", &["a <!-- b", "c -->"]),
            ("# a <!-- b\nc -->", &["# a <!-- b", "c -->"]),
            ("`<!--` a <!-- b --> c", &["`<!--` a c"]),
            ("` <!-- a --> b", &["` b"]),
            ("- <!-- a\n  b -->\n- c", &["- c"]),
            ("<pre>\n# a\n\nb\n</pre>\nc", &["c"]),
            ("<preface>\nc", &["<preface>", "c"]),
            ("```\n<!--\n```\na", &["a"]),
            ("<!--\n```\n-->\na", &["a"]),
            ("<!--> a\nb", &["b"]),
        ] {
            assert_eq!(left(text), right, "{text}");
        }
    }

    /// Headings outside lists and quotes as a full Markdown parser sees them.
    fn by_parser(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        let mut inside = 0;
        let mut open: Option<String> = None;
        for event in Parser::new(text) {
            match event {
                Event::Start(Tag::Item | Tag::BlockQuote(_)) => inside += 1,
                Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) => inside -= 1,
                Event::Start(Tag::Heading { .. }) if inside == 0 => open = Some(String::new()),
                Event::Text(text) => {
                    if let Some(heading) = &mut open {
                        heading.push_str(&text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => out.extend(open.take()),
                _ => {}
            }
        }
        out
    }

    fn by_us(text: &str) -> Vec<String> {
        let mut lines = split(text.as_bytes());
        hide(&mut lines);
        let shown = lines.iter().filter(|line| !line.blank() && line.indent() < 4);
        shown.filter_map(|line| Some(line.text().trim().strip_prefix("### ")?.to_owned())).collect()
    }

    fn piece() -> impl Strategy<Value = &'static str> {
        prop_oneof![
            Just("### a"),
            Just("### b"),
            Just("text"),
            Just(""),
            Just(""),
            Just("```"),
            Just("```sh"),
            Just("````"),
            Just("~~~"),
            Just("- item"),
            Just("  - inner"),
            Just("  ```"),
            Just("  inside"),
            Just("    deep"),
            Just("<!-- c -->"),
            Just("<!--"),
            Just("-->"),
            Just("x <!-- c --> y"),
            Just("<pre>"),
            Just("<pre>\n### x\n\n</pre>"),
            Just("> quote"),
            Just("1. one"),
            Just("***"),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn headings_are_those_a_markdown_parser_sees(lines in prop::collection::vec(piece(), 0..14)) {
            let text = lines.join("\n");
            prop_assert_eq!(by_us(&text), by_parser(&text), "{}", text);
        }
    }
}
