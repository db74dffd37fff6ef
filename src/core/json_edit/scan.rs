//! Finds the values of a JSON text and where they stand. One pass, linear in the length of the text.

use std::ops::Range;

use super::{BOM, EditError};

/// Deeper nesting than this is refused; no settings file comes near, and the reader recurses.
const DEPTH: usize = 128;

/// A text with its root value, if it holds any.
pub(super) struct Doc<'a> {
    /// The whole text.
    pub(super) text: &'a str,
    /// The root value. `None`: nothing but white space and comments.
    pub(super) root: Option<Node>,
}

/// A value and its place.
pub(super) struct Node {
    /// From its first to behind its last byte.
    pub(super) span: Range<usize>,
    /// The value.
    pub(super) value: Value,
}

/// A value, as far as an edit looks at it.
pub(super) enum Value {
    /// `{...}`
    Object(Vec<Item>),
    /// `[...]`
    Array(Vec<Item>),
    /// A string, decoded.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

/// A member of an object or an element of an array.
pub(super) struct Item {
    /// The decoded key of a member.
    pub(super) key: Option<String>,
    /// First byte: of the key, or of the element.
    pub(super) start: usize,
    /// The value.
    pub(super) node: Node,
    /// Position of the comma behind it.
    pub(super) comma: Option<usize>,
}

impl Node {
    /// Members or elements; `None` for anything else.
    pub(super) fn items(&self) -> Option<&[Item]> {
        match &self.value {
            Value::Object(items) | Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The decoded string.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Elements of an array.
    pub(super) fn elements(&self) -> Option<&[Item]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Members of an object.
    pub(super) fn members(&self) -> Option<&[Item]> {
        match &self.value {
            Value::Object(items) => Some(items),
            _ => None,
        }
    }

    /// The last member of this name: the one that counts for every common reader.
    pub(super) fn member(&self, key: &str) -> Option<&Item> {
        self.members()?.iter().rfind(|item| item.key.as_deref() == Some(key))
    }

    /// Position of the closing bracket.
    pub(super) fn close(&self) -> usize {
        self.span.end.saturating_sub(1)
    }
}

impl<'a> Doc<'a> {
    /// Reads `text`.
    ///
    /// # Errors
    /// The first place that is not JSON (with comments and trailing commas).
    pub(super) fn read(text: &'a str) -> Result<Self, EditError> {
        let mut reader = Reader { text, at: if text.starts_with(BOM) { BOM.len_utf8() } else { 0 } };
        reader.skip()?;
        if reader.peek().is_none() {
            return Ok(Self { text, root: None });
        }
        let root = reader.value(0)?;
        reader.skip()?;
        match reader.peek() {
            None => Ok(Self { text, root: Some(root) }),
            Some(_) => Err(reader.error("something stands behind the end of the JSON value")),
        }
    }

    /// The text of a range.
    pub(super) fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or("")
    }

    /// An error at a position.
    pub(super) fn error(&self, position: usize, what: impl Into<String>) -> EditError {
        EditError::at(self.text, position, what)
    }
}

/// Whether JSON takes this byte for white space.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The end of the last comment in a gap of white space and comments, or the start of the gap where it has none; and
/// whether it is a `//` comment, which the line ends.
pub(super) fn last_comment(text: &str, gap: Range<usize>) -> (usize, bool) {
    let mut reader = Reader { text: text.get(..gap.end).unwrap_or(text), at: gap.start };
    let mut last = (gap.start, false);
    loop {
        reader.spaces();
        let is_line = reader.rest().starts_with("//");
        match reader.comment() {
            Ok(true) => last = (reader.at, is_line),
            _ => return last,
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, what: &str) -> EditError {
        EditError::at(self.text, self.at, what)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn spaces(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// Steps over a comment, if one starts here.
    fn comment(&mut self) -> Result<bool, EditError> {
        let rest = self.rest();
        if rest.starts_with("//") {
            self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            return Ok(true);
        }
        if let Some(body) = rest.strip_prefix("/*") {
            let Some(length) = body.find("*/") else { return Err(self.error("this comment has no end")) };
            self.at += length + 4;
            return Ok(true);
        }
        Ok(false)
    }

    /// Steps over white space and comments.
    fn skip(&mut self) -> Result<(), EditError> {
        loop {
            self.spaces();
            if !self.comment()? {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, EditError> {
        let start = self.at;
        if depth > DEPTH {
            return Err(self.error("nested too deeply"));
        }
        let value = match self.peek() {
            Some(b'{') => Value::Object(self.container(depth, b'}')?),
            Some(b'[') => Value::Array(self.container(depth, b']')?),
            Some(b'"') => Value::Text(self.string()?),
            Some(_) => self.word()?,
            None => return Err(self.error("the text ends where a value is expected")),
        };
        Ok(Node { span: start..self.at, value })
    }

    fn container(&mut self, depth: usize, close: u8) -> Result<Vec<Item>, EditError> {
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.skip()?;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(items);
            }
            if items.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.error(if close == b'}' { "expected `,` or `}`" } else { "expected `,` or `]`" }));
            }
            let start = self.at;
            let key = if close == b'}' { Some(self.key()?) } else { None };
            let node = self.value(depth + 1)?;
            self.skip()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            items.push(Item { key, start, node, comma });
        }
    }

    fn key(&mut self) -> Result<String, EditError> {
        if self.peek() != Some(b'"') {
            return Err(self.error("expected a key in double quotes or `}`"));
        }
        let key = self.string()?;
        self.skip()?;
        if self.peek() != Some(b':') {
            return Err(self.error("expected `:`"));
        }
        self.at += 1;
        self.skip()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<String, EditError> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(b'\n') | None => return Err(self.error("this string has no end")),
                Some(_) => end += 1,
            }
        }
        let raw = self.text.get(self.at..=end).unwrap_or("");
        let decoded =
            serde_json::from_str(raw).map_err(|_| self.error("this string holds a character JSON does not allow"))?;
        self.at = end + 1;
        Ok(decoded)
    }

    fn word(&mut self) -> Result<Value, EditError> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')))
            .unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or("");
        if serde_json::from_str::<serde::de::IgnoredAny>(word).is_err() {
            return Err(self.error("expected a value"));
        }
        self.at += length;
        Ok(Value::Other)
    }
}
