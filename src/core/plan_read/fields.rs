//! Contract keys of a phase. A key is exact; what is nearly one is named as a problem and not obeyed.

use crate::core::plan::{Fields, Problem};
use crate::core::plan_read::label::Label;

const KEYS: [&str; 9] =
    ["DependsOn", "Check", "AcceptanceCheck", "Artifact", "Receipt", "Approval", "WaitsFor", "Every", "Tool"];

/// Spellings, folded, that mean a key although no single slip of the finger leads there.
const MEANT: [(&str, &str); 10] = [
    ("depends", "DependsOn"),
    ("dependsupon", "DependsOn"),
    ("checks", "Check"),
    ("acceptancechecks", "AcceptanceCheck"),
    ("artefact", "Artifact"),
    ("artefacts", "Artifact"),
    ("waitingfor", "WaitsFor"),
    ("waitfor", "WaitsFor"),
    ("tools", "Tool"),
    ("waiton", "WaitsFor"),
];

/// Takes a line over into the fields. Returns a problem that keeps the plan from being approved.
pub(super) fn take(label: Label<'_>, line: usize, fields: &mut Fields) -> Option<Problem> {
    let Some(key) = KEYS.iter().find(|key| **key == label.key) else {
        let meant = near(label.key)?;
        return Some(Problem {
            line,
            what: format!("`{}` is not a key; `{meant}` is", label.key),
            fix: format!("write `- **{meant}:** ...`, or another word if it is only a note"),
        });
    };
    let value = unquoted(label.value);
    let text = value.to_owned();
    match *key {
        "DependsOn" => fields.depends_on.extend(names(label.value)),
        "Tool" => fields.tools.extend(names(label.value)),
        "Check" | "AcceptanceCheck" => {
            if value.len() == label.value.len() && value.starts_with('`') {
                return Some(Problem {
                    line,
                    what: "the check is more than one command in backticks".to_owned(),
                    fix: "write exactly one command between backticks, and notes on a line of their own".to_owned(),
                });
            }
            fields.checks.push(text);
        }
        "Artifact" => fields.artifacts.push(text),
        "Receipt" => fields.receipts.push(text),
        "Approval" => fields.approvals.push(text),
        "WaitsFor" => fields.waits_for.push(text),
        _ if fields.every.is_some() => {
            return Some(Problem {
                line,
                what: "the phase has a second `Every`".to_owned(),
                fix: "keep one".to_owned(),
            });
        }
        _ => fields.every = Some(text),
    }
    None
}

/// Names with commas between them, each perhaps in backticks.
fn names(value: &str) -> impl Iterator<Item = String> {
    let names = value.split([',', '，', '、', '،']).map(|name| unquoted(name.trim()).to_owned());
    names.filter(|name| !name.is_empty())
}

/// Takes one pair of backticks, single or longer, off a value that is wholly inside it.
fn unquoted(value: &str) -> &str {
    let run = value.bytes().take_while(|byte| *byte == b'`').count();
    let inner = value.get(run..value.len().saturating_sub(run));
    let Some(inner) = inner.filter(|inner| run > 0 && !inner.is_empty() && value.ends_with(&"`".repeat(run))) else {
        return value;
    };
    let mut longest = 0;
    let mut length = 0;
    for byte in inner.bytes().chain(*b" ") {
        length = if byte == b'`' { length + 1 } else { 0 };
        longest = longest.max(length);
    }
    if longest >= run {
        return value;
    }
    match inner.strip_prefix(' ').and_then(|inner| inner.strip_suffix(' ')) {
        Some(padded) if run > 1 => padded,
        _ => inner,
    }
    .trim()
}

/// The key that a word that is none was meant to be.
fn near(word: &str) -> Option<&'static str> {
    if word.len() > 40 || !word.is_ascii() {
        return None;
    }
    let folded: String =
        word.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    if let Some((_, key)) = MEANT.iter().find(|(spelling, _)| *spelling == folded) {
        return Some(key);
    }
    KEYS.into_iter().find(|key| {
        let key = key.to_ascii_lowercase();
        let (key, word) = (key.as_bytes(), folded.as_bytes());
        // Of a short key a letter more or less is another word.
        key == word || (key.len() >= 7 && one_slip(key, word)) || swapped(key, word)
    })
}

/// Whether two neighbours were swapped.
fn swapped(a: &[u8], b: &[u8]) -> bool {
    let head = a.iter().zip(b).take_while(|(left, right)| left == right).count();
    let (a, b) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
    matches!((a, b), ([one, two, rest @ ..], [first, second, other @ ..]) if one == second && two == first && rest == other)
}

/// Whether one letter was added, dropped, or changed.
fn one_slip(a: &[u8], b: &[u8]) -> bool {
    let head = a.iter().zip(b).take_while(|(left, right)| left == right).count();
    let (a, b) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
    match (a, b) {
        ([_, rest @ ..], [_, other @ ..]) if rest == other => true,
        ([_, rest @ ..], b) if rest == b => true,
        (a, [_, rest @ ..]) => rest == a,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks() {
        for (value, right) in [
            ("`cargo test`", "cargo test"),
            ("cargo test", "cargo test"),
            ("`` echo `date` ``", "echo `date`"),
            ("``a``", "a"),
            ("`a` && `b`", "`a` && `b`"),
            ("`a` (note)", "`a` (note)"),
            ("`", "`"),
            ("``", "``"),
            ("", ""),
            ("`a", "`a"),
        ] {
            assert_eq!(unquoted(value), right, "{value}");
        }
    }

    #[test]
    fn near_misses() {
        for (word, key) in [
            ("Depends on", "DependsOn"),
            ("depends_on", "DependsOn"),
            ("Dependson", "DependsOn"),
            ("DependOn", "DependsOn"),
            ("Depends", "DependsOn"),
            ("Checks", "Check"),
            ("check", "Check"),
            ("Acceptance Check", "AcceptanceCheck"),
            ("Reciept", "Receipt"),
            ("Artifacts", "Artifact"),
            ("Waits for", "WaitsFor"),
            ("Tools", "Tool"),
            ("every", "Every"),
            ("Chekc", "Check"),
            ("Tolo", "Tool"),
            ("Waitsofr", "WaitsFor"),
        ] {
            assert_eq!(near(word), Some(key), "{word}");
        }
        for word in [
            "Owner",
            "Method",
            "Files",
            "Notes",
            "Depth",
            "Checked by",
            "Ever",
            "Dependencies",
            "Toolchain",
            "Approved",
        ] {
            assert_eq!(near(word), None, "{word}");
        }
    }

    #[test]
    fn what_is_taken() {
        let mut fields = Fields::default();
        let mut put = |key, value| take(Label { key, value }, 1, &mut fields);
        assert!(put("DependsOn", "survey, `build`,").is_none());
        assert!(put("Check", "`make`").is_none());
        assert!(put("AcceptanceCheck", "true").is_none());
        assert!(put("Check", "`make` (slow)").is_some());
        assert!(put("Tool", "Read, `Bash`").is_none());
        assert!(put("Tool", "mcp__files__*").is_none());
        assert!(put("Every", "7d").is_none());
        assert!(put("Every", "1d").is_some());
        assert!(put("Owner", "Ada").is_none());
        assert!(put("Depends on", "survey").is_some());
        assert_eq!(fields.depends_on, ["survey", "build"]);
        assert_eq!(fields.checks, ["make", "true"]);
        assert_eq!(fields.tools, ["Read", "Bash", "mcp__files__*"]);
        assert_eq!(fields.every.as_deref(), Some("7d"));
    }
}
