//! Where items go into a container and how they come out again.
//!
//! Nothing but the text says, later, what was there before us. So each of these is written in a way of its own:
//!
//! - in a container with items, ours follow the last one, and behind its comments;
//! - a container that we create has white space before its closing bracket. Emptied, it goes;
//! - in an empty container that was there, the closing bracket follows our last item directly. Emptied, it stays;
//! - the root object is never ours to remove: in an empty one, a line break of ours follows our last item;
//! - a text without a value gets a root object whose closing bracket follows directly.

use std::ops::Range;

use super::render::{Layout, New, Style};
use super::scan::{Doc, Item, Node, is_space, last_comment};
use crate::core::sorted::by_number;

/// A member or element to be written.
pub(super) type Fresh<'a> = (Option<&'a str>, New<'a>);

/// Replacements in a text, each of a range by a string.
#[derive(Default)]
pub(super) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// Replaces a range. Two insertions at one place stand in the order they were given.
    pub(super) fn replace(&mut self, range: Range<usize>, with: impl Into<String>) {
        self.0.push((range, with.into()));
    }

    /// The text with all replacements made. Ranges must not overlap.
    pub(super) fn apply(self, text: &str) -> String {
        let edits = by_number(self.0, |(range, _)| range.start as u64);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (range, with) in &edits {
            out.push_str(text.get(at..range.start).unwrap_or(""));
            out.push_str(with);
            at = range.end;
        }
        out.push_str(text.get(at..).unwrap_or(""));
        out
    }
}

/// The line ending and indentation a text uses.
pub(super) fn style(doc: &Doc) -> Style {
    let newline = match doc.text.find('\n') {
        Some(at) if doc.text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    };
    let root = doc.root.as_ref().and_then(Node::items);
    let unit = root.and_then(|items| items.first()).and_then(|first| own_line(doc, first.start));
    Style { newline, unit: unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned() }
}

/// Writes new items into a container that is there.
pub(super) fn insert(doc: &Doc, style: &Style, edits: &mut Edits, node: &Node, fresh: &[Fresh]) {
    let items = node.items().unwrap_or(&[]);
    let Some(last) = items.last() else { return fill(doc, style, edits, node, fresh) };
    let behind = last.comma.map_or(last.node.span.end, |comma| comma + 1);
    let (at, is_line) = last_comment(doc.text, behind..node.close());
    let layout = if is_line { lines(doc, style, node, last) } else { layout(doc, style, node, last) };
    let separator = style.separator(&layout);
    let written: Vec<String> =
        fresh.iter().map(|(key, value)| format!("{separator}{}", style.item(*key, value, &layout))).collect();
    let tail = if last.comma.is_some() { "," } else { "" };
    if last.comma.is_none() {
        edits.replace(behind..behind, ",");
    }
    edits.replace(at..at, format!("{}{tail}", written.join(",")));
}

/// Writes new items into an empty container.
fn fill(doc: &Doc, style: &Style, edits: &mut Edits, node: &Node, fresh: &[Fresh]) {
    if is_root(doc, node) {
        let layout = Layout::Lines(style.unit.clone());
        let separator = style.separator(&layout);
        let written: Vec<String> =
            fresh.iter().map(|(key, value)| format!("{separator}{}", style.item(*key, value, &layout))).collect();
        let (at, _) = last_comment(doc.text, node.span.start + 1..node.close());
        return edits.replace(at..at, format!("{}{}", written.join(","), style.newline));
    }
    let in_lines = doc.root.as_ref().is_some_and(|root| starts_on_new_line(doc, root));
    let layout = if in_lines {
        Layout::Lines(format!("{}{}", line_indent(doc, node.span.start), style.unit))
    } else {
        Layout::Inline
    };
    let close = node.close();
    edits.replace(close..close, glued(style, &layout, fresh));
}

/// A whole text for one that holds no value: the root object stands in front of what was there.
pub(super) fn found(doc: &Doc, style: &Style, edits: &mut Edits, fresh: &[Fresh]) {
    let at = if doc.text.starts_with(super::BOM) { super::BOM.len_utf8() } else { 0 };
    edits.replace(at..at, format!("{{{}}}", glued(style, &Layout::Lines(style.unit.clone()), fresh)));
}

fn glued(style: &Style, layout: &Layout, fresh: &[Fresh]) -> String {
    let written: Vec<String> = fresh.iter().map(|(key, value)| style.item(*key, value, layout)).collect();
    written.join(&format!(",{}", style.separator(layout)))
}

/// Whether a container loses everything it holds, and was written by us: then it goes as a whole.
pub(super) fn vanishes(doc: &Doc, node: &Node, doomed: &[bool]) -> bool {
    let items = node.items().unwrap_or(&[]);
    if items.is_empty() || !doomed.iter().all(|doomed| *doomed) {
        return false;
    }
    let mut at = node.span.start + 1;
    for item in items {
        let end = item.comma.map_or(item.node.span.end, |comma| comma + 1);
        let gap = [at..item.start, item.node.span.end..end];
        if gap.into_iter().any(|gap| !doc.slice(gap).trim_matches(',').bytes().all(is_space)) {
            return false;
        }
        at = end;
    }
    let tail = doc.slice(at..node.close());
    !tail.is_empty() && tail.bytes().all(is_space)
}

/// Takes items out of a container that stays.
pub(super) fn cut(doc: &Doc, style: &Style, edits: &mut Edits, node: &Node, doomed: &[bool]) {
    let items = node.items().unwrap_or(&[]);
    let Some(last) = items.last() else { return };
    let survivor = items.iter().zip(doomed).rfind(|(_, doomed)| !**doomed).map(|(item, _)| item);
    let glued = last.node.span.end == node.close();
    let is_root = is_root(doc, node);
    let mut behind = node.span.start + 1;
    for (index, (item, doomed)) in items.iter().zip(doomed).enumerate() {
        let end = item.comma.map_or(item.node.span.end, |comma| comma + 1);
        if *doomed {
            // In an emptied container that was there before us, the white space before our first item was there too.
            let keep_space = index == 0 && survivor.is_none() && glued && !is_root;
            let start = if keep_space { item.start } else { start_of_cut(doc, behind, item.start, end) };
            edits.replace(start..item.node.span.end, "");
            if let Some(comma) = item.comma {
                edits.replace(comma..comma + 1, "");
            }
        }
        behind = end;
    }
    match survivor {
        // The comma before what was last goes with it, unless the file ends its lists with one.
        Some(Item { comma: Some(comma), .. }) if last.comma.is_none() => edits.replace(*comma..comma + 1, ""),
        None if is_root => {
            if glued {
                edits.replace(node.span.start..node.span.start + 1, "");
                edits.replace(node.close()..node.span.end, "");
            } else {
                let end = last.comma.map_or(last.node.span.end, |comma| comma + 1);
                if doc.slice(end..node.close()).starts_with(style.newline) {
                    edits.replace(end..end + style.newline.len(), "");
                }
            }
        }
        _ => {}
    }
}

fn is_root(doc: &Doc, node: &Node) -> bool {
    doc.root.as_ref().is_some_and(|root| std::ptr::eq(root, node))
}

/// Where the white space before an item begins, but for the line break that ends a `//` comment, where something follows.
fn start_of_cut(doc: &Doc, behind: usize, start: usize, end: usize) -> usize {
    let space = space_before(doc.text, start);
    let (comment, is_line) = last_comment(doc.text, behind..start);
    let line_goes_on = !doc.slice(end..doc.text.len()).starts_with(['\n', '\r']);
    if is_line && comment == space && line_goes_on {
        return space + if doc.slice(space..start).starts_with("\r\n") { 2 } else { 1 };
    }
    space
}

/// How the items of a container with items are written.
fn layout(doc: &Doc, style: &Style, node: &Node, last: &Item) -> Layout {
    if starts_on_new_line(doc, node) || own_line(doc, last.start).is_some() {
        lines(doc, style, node, last)
    } else {
        Layout::Inline
    }
}

fn lines(doc: &Doc, style: &Style, node: &Node, last: &Item) -> Layout {
    let indent = own_line(doc, last.start).map(str::to_owned);
    Layout::Lines(indent.unwrap_or_else(|| format!("{}{}", line_indent(doc, node.span.start), style.unit)))
}

/// Whether the first item of a container stands on another line than its opening bracket.
fn starts_on_new_line(doc: &Doc, node: &Node) -> bool {
    let end = node.items().and_then(<[Item]>::first).map_or(node.close(), |first| first.start);
    doc.slice(node.span.start..end).contains('\n')
}

/// The white space before a position, if nothing else precedes it on its line.
fn own_line<'a>(doc: &Doc<'a>, position: usize) -> Option<&'a str> {
    let start = space_before(doc.text, position);
    let space = doc.slice(start..position);
    space.rfind('\n').and_then(|at| space.get(at + 1..))
}

/// The white space at the beginning of the line of a position.
fn line_indent<'a>(doc: &Doc<'a>, position: usize) -> &'a str {
    let before = doc.slice(0..position);
    let line = before.rfind('\n').map_or(before, |at| before.get(at + 1..).unwrap_or(""));
    let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
    line.get(..end).unwrap_or("")
}

/// Where the white space that ends at a position begins.
fn space_before(text: &str, position: usize) -> usize {
    let bytes = text.as_bytes();
    let mut start = position;
    while start > 0 && bytes.get(start - 1).copied().is_some_and(is_space) {
        start -= 1;
    }
    start
}
