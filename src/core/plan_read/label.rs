//! Lines of the form `- **Key:** value`, with or without bullet and bold.

use super::fold::{is_any, unseen};
use super::items::item;
use super::words::STATUS_LABELS;
use crate::core::scan::scanned;

/// A key with its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label<'t> {
    /// The key, without emphasis.
    pub(super) key: &'t str,
    /// The value, trimmed; an empty slice at the end of the line where nothing is written.
    pub(super) value: &'t str,
}

impl Label<'_> {
    /// Whether this is a status line.
    pub(super) fn is_status(&self) -> bool {
        is_any(self.key, STATUS_LABELS)
    }
}

/// Reads a line as key and value.
pub(super) fn read(text: &str) -> Option<Label<'_>> {
    scanned(text.len());
    let body = item(text).map_or(text.trim_start(), |item| item.content).trim_end();
    if body.starts_with(['#', '|', '>', '[', '<']) {
        return None;
    }
    let body = body.trim_start_matches(|c: char| {
        matches!(c, '*' | '_' | '`')
            || c.is_whitespace()
            || unseen(c)
            || matches!(c, '\u{2190}'..='\u{2BFF}' | '\u{FE0F}' | '\u{1F300}'..='\u{1FAFF}')
    });
    let (at, colon) = body.char_indices().take(48).find(|(_, c)| matches!(c, ':' | '：'))?;
    let written = body.get(..at)?;
    let key = written.trim_end_matches(['*', '_', '`', ' ', '\t']).trim();
    if key.is_empty() {
        return None;
    }
    let after = body.get(at + colon.len_utf8()..)?;
    let value = after.trim_start_matches('*');
    let value = if value.len() == after.len() { after.strip_prefix("__").unwrap_or(after) } else { value };
    // `- **Status: complete**`: the emphasis that began before the key ends after the value.
    let bold = text.trim_start().trim_start_matches(['-', '+']).trim_start().starts_with("**");
    let open = bold && written.len() == key.len() && value.len() == after.len() && !after.starts_with(' ');
    let open = open || (bold && !written.contains("**") && !after.starts_with("**"));
    let value = if open { value.strip_suffix("**").unwrap_or(value) } else { value };
    Some(Label { key, value: value.trim_start().trim_end() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        for (text, key, value) in [
            ("- **Status:** complete", "Status", "complete"),
            ("**Status**: complete", "Status", "complete"),
            ("Status: complete", "Status", "complete"),
            ("- **状态：** complete", "状态", "complete"),
            ("-**状态：**完成", "状态", "完成"),
            ("  - **Status:** x", "Status", "x"),
            ("* __Status:__ x", "Status", "x"),
            ("- **Status: complete**", "Status", "complete"),
            ("- **Status:** **complete**", "Status", "**complete**"),
            ("- **Status:**", "Status", ""),
            ("- **Check:** `a: b`", "Check", "`a: b`"),
            ("Check: `a`", "Check", "`a`"),
            ("- **Status** : x", "Status", "x"),
            ("\u{200F}**الحالة:** مكتمل", "الحالة", "مكتمل"),
        ] {
            let label = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((label.key, label.value), (key, value), "{text}");
        }
        for text in ["no colon", "- [ ] Check: x", "# Status: x", "| Status: | x |", "> Status: x", ": x"] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
