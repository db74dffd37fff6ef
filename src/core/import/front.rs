//! The front matter of a Markdown file: the little YAML that tools write there. Texts, plain, quoted or folded; lists, in
//! brackets or a line each. What is deeper is kept as the text that stands there.

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The key.
    pub(super) key: String,
    /// Its values: one for a text, any number for a list.
    pub(super) values: Vec<String>,
}

/// Cuts a text into its front matter and what follows. `None` where it has none.
pub(super) fn split(text: &str) -> Option<(Vec<Field>, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((fields(rest.get(..at)?), rest.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
}

fn fields(text: &str) -> Vec<Field> {
    let mut lines = text.lines().map(str::trim_end).peekable();
    let mut fields = Vec::new();
    while let Some(line) = lines.next() {
        let Some((key, value)) = line.split_once(':').filter(|(key, _)| is_key(key)) else { continue };
        let value = bare(value.trim());
        let mut below = Vec::new();
        while let Some(next) = lines.next_if(|next| next.is_empty() || next.starts_with([' ', '\t', '-'])) {
            below.push(next.trim());
        }
        fields.push(Field { key: key.to_owned(), values: values(value, &below) });
    }
    fields
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

fn values(value: &str, below: &[&str]) -> Vec<String> {
    if let Some(list) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return flow(list);
    }
    if let Some(first) = value.chars().next().filter(|c| matches!(c, '>' | '|')) {
        return vec![below.join(if first == '>' { " " } else { "\n" }).trim().to_owned()];
    }
    let items: Vec<&&str> = below.iter().filter(|line| !line.is_empty()).collect();
    if value.is_empty() && !items.is_empty() && items.iter().all(|line| line.starts_with("- ") || **line == "-") {
        return items.iter().map(|line| unquoted(bare(line.trim_start_matches('-').trim()))).collect();
    }
    let whole = std::iter::once(value).chain(items.into_iter().copied()).collect::<Vec<_>>().join(" ");
    let text = unquoted(whole.trim());
    if text.is_empty() || text == "null" || text == "~" { Vec::new() } else { vec![text] }
}

/// A list in brackets. A comma in quotes parts nothing.
fn flow(list: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut item = String::new();
    let mut quote = None;
    for c in list.chars() {
        match (quote, c) {
            (None, ',') => out.push(std::mem::take(&mut item)),
            (None, '"' | '\'') if item.trim().is_empty() => {
                quote = Some(c);
                item.push(c);
            }
            (Some(open), c) if c == open => {
                quote = None;
                item.push(c);
            }
            _ => item.push(c),
        }
    }
    out.push(item);
    out.iter().map(|item| unquoted(item.trim())).filter(|item| !item.is_empty()).collect()
}

/// A value without the comment behind it.
fn bare(value: &str) -> &str {
    if value.starts_with(['"', '\'']) {
        return value;
    }
    if value.starts_with('#') {
        return "";
    }
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end())
}

fn unquoted(value: &str) -> String {
    let inner = |quote| value.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
    if let Some(inner) = inner('\'') {
        return inner.replace("''", "'");
    }
    let Some(inner) = inner('"') else { return value.to_owned() };
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(c) => out.push(c),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_write_is_read() {
        let text = "---\r\nid: BACK-2.1\ntitle: >-\n  Two lines\n  of title\nstatus: \"To Do\"\nnote: 'it''s'\nlabels: [a, \"b, c\"]\ndependencies:\n  - task-1\n  - 'task-2'\nassignee:\n- '@x'\nempty: []\nnull_one: null\nnone:\npath: a#b # a comment\nraw: |\n  x\n  y\n---\nbody\n";
        let (fields, body) = split(text).unwrap();
        let of = |key: &str| fields.iter().find(|f| f.key == key).unwrap().values.clone();
        assert_eq!(body, "body\n");
        assert_eq!(of("id"), ["BACK-2.1"]);
        assert_eq!(of("title"), ["Two lines of title"]);
        assert_eq!(of("status"), ["To Do"]);
        assert_eq!(of("note"), ["it's"]);
        assert_eq!(of("labels"), ["a", "b, c"]);
        assert_eq!(of("dependencies"), ["task-1", "task-2"]);
        assert_eq!(of("assignee"), ["@x"]);
        assert_eq!(of("path"), ["a#b"]);
        assert_eq!(of("raw"), ["x\ny"]);
        for empty in ["empty", "null_one", "none"] {
            assert!(of(empty).is_empty(), "{empty}");
        }
        for none in ["", "# x\n", "---\nid: 1\n", "a\n---\nid: 1\n---\n"] {
            assert_eq!(split(none), None, "{none:?}");
        }
    }
}
