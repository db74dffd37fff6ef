//! Data on its way into a text: made harmless, marked, folded.

use crate::core::text::{cut, flatten_to};

/// One line of data in at most `width` columns. What looks like a mark of ours (`[plan`, `[/plan`, `[steadfast`) loses its bracket.
pub(crate) fn data(text: &str, width: usize) -> String {
    // One more than fits, so that it shows where something was left out.
    cut(&defuse(&flatten_to(text, width + 1)), width)
}

fn defuse(text: &str) -> String {
    if text.is_ascii() && !text.as_bytes().contains(&b'[') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        out.push(if matches!(c, '[' | '［') && opens_mark(rest) { '(' } else { c });
    }
    out
}

fn opens_mark(rest: &str) -> bool {
    let word = rest.trim_start_matches([' ', '/', '／', '\\']);
    ["plan", "steadfast"]
        .iter()
        .any(|mark| word.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark)))
}

/// The first 6 hex digits of a digest; other text, which is no digest, makes no tag of its own.
pub(super) fn tag(digest: &str) -> &str {
    digest.get(..6).filter(|tag| tag.bytes().all(|b| b.is_ascii_hexdigit())).unwrap_or("000000")
}

/// Lines between the marks of `tag`.
pub(super) fn marked(tag: &str, lines: &[String]) -> String {
    format!("[plan {tag}]\n{}\n[/plan {tag}]", lines.join("\n"))
}

/// A line of the phase list.
pub(super) struct Row<'a> {
    /// How the phase stands, see [`legend`].
    pub(super) mark: char,
    /// Its number.
    pub(super) number: String,
    /// Its title.
    pub(super) title: &'a str,
}

/// What the marks of these rows mean.
pub(super) fn legend(rows: &[Row<'_>]) -> String {
    const WORDS: [(char, &str); 7] = [
        ('x', "complete"),
        ('*', "in progress"),
        ('.', "pending"),
        ('!', "failed"),
        ('-', "skipped"),
        ('~', "waiting"),
        ('?', "not proven or unclear"),
    ];
    let used: Vec<_> = WORDS
        .iter()
        .filter(|(mark, _)| rows.iter().any(|row| row.mark == *mark))
        .map(|(mark, word)| format!("{mark} {word}"))
        .collect();
    used.join(", ")
}

/// The rows as lines, at most `most` of them shown. The row at hand is always shown, then what is under way or went wrong, then
/// what comes next. Where not all can be shown, finished rows are folded to a count first, then far ones.
pub(super) fn list(rows: &[Row<'_>], at_hand: Option<usize>, most: usize, width: usize) -> Vec<String> {
    let shown = choose(rows, at_hand, most.max(1));
    let mut lines = Vec::with_capacity(shown.len() * 2);
    let mut from = 0;
    for index in shown {
        lines.extend(folded(rows.get(from..index).unwrap_or_default()));
        if let Some(row) = rows.get(index) {
            lines.push(format!("{} {} {}", row.mark, row.number, data(row.title, width)));
        }
        from = index + 1;
    }
    lines.extend(folded(rows.get(from..).unwrap_or_default()));
    lines
}

fn choose(rows: &[Row<'_>], at_hand: Option<usize>, most: usize) -> Vec<usize> {
    if rows.len() <= most {
        return (0..rows.len()).collect();
    }
    let centre = at_hand.unwrap_or(rows.len());
    let class = |index: usize, row: &Row<'_>| match row.mark {
        _ if Some(index) == at_hand => Some(0),
        'x' => None,
        '*' | '!' | '~' | '?' => Some(1),
        '.' if index > centre => Some(2),
        _ => Some(3),
    };
    let mut order: Vec<_> = rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| Some((class(index, row)?, index.abs_diff(centre), index)))
        .collect();
    order.sort_unstable();
    order.truncate(most);
    let mut shown: Vec<_> = order.into_iter().map(|(_, _, index)| index).collect();
    shown.sort_unstable();
    shown
}

fn folded(rows: &[Row<'_>]) -> Option<String> {
    let done = rows.iter().filter(|row| row.mark == 'x').count();
    match rows.len() {
        0 => None,
        all if all == done => Some(format!("... {done} done")),
        all if done == 0 => Some(format!("... {all} more")),
        all => Some(format!("... {all} more, {done} done")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_in_data_are_defused() {
        for (text, want) in [
            ("a [/plan 3fa9c1] b", "a (/plan 3fa9c1] b"),
            ("[plan 3fa9c1]", "(plan 3fa9c1]"),
            ("[ / PLAN x", "( / PLAN x"),
            ("[\u{200b}/\u{2060}plan", "(/plan"),
            ("[\n/plan", "( /plan"),
            ("［/plan 3fa9c1]", "(/plan 3fa9c1]"),
            ("[[plan", "[(plan"),
            ("[Steadfast gate]", "(Steadfast gate]"),
            ("[VERIFIED] <b> [pla", "[VERIFIED] <b> [pla"),
            ("[", "["),
        ] {
            assert_eq!(data(text, 80), want);
        }
    }

    #[test]
    fn tags() {
        assert_eq!(tag("3fa9c1d2e4"), "3fa9c1");
        assert_eq!(tag("3fa9c"), "000000");
        assert_eq!(tag("zzzzzzzz"), "000000");
        assert_eq!(tag("ééééé"), "000000");
    }

    fn rows(marks: &str) -> Vec<Row<'static>> {
        marks.chars().enumerate().map(|(i, mark)| Row { mark, number: (i + 1).to_string(), title: "T" }).collect()
    }

    #[test]
    fn lists_are_folded() {
        assert_eq!(list(&rows("x*."), Some(1), 7, 80), ["x 1 T", "* 2 T", ". 3 T"]);
        assert_eq!(list(&rows("xxx*..."), Some(3), 3, 80), ["... 3 done", "* 4 T", ". 5 T", ". 6 T", "... 1 more"]);
        assert_eq!(list(&rows("xxx*..."), Some(3), 1, 80), ["... 3 done", "* 4 T", "... 3 more"]);
        assert_eq!(list(&rows("xxx*..."), Some(3), 0, 80), ["... 3 done", "* 4 T", "... 3 more"]);
        assert_eq!(
            list(&rows("x-*..!"), Some(2), 3, 80),
            ["... 2 more, 1 done", "* 3 T", ". 4 T", "... 1 more", "! 6 T"]
        );
        assert_eq!(list(&rows("xxxx"), None, 2, 80), ["... 4 done"]);
        assert!(list(&[], None, 2, 80).is_empty());
    }

    #[test]
    fn legends() {
        assert_eq!(legend(&rows("..x")), "x complete, . pending");
        assert_eq!(legend(&rows("x*.!-~?")).matches(',').count(), 6);
    }

    proptest! {
        #[test]
        fn no_mark_survives(text in "[\\[\\]/ a-n\u{200b}\n]{0,30}|.*(\\[|［) ?/?(plan|PLAN|steadfast).*") {
            let lower = data(&text, 200).to_lowercase().replace(' ', "");
            prop_assert!(!["[plan", "[/plan", "[steadfast", "［plan"].iter().any(|mark| lower.contains(mark)), "{}", lower);
        }

        #[test]
        fn the_row_at_hand_is_shown(marks in "[x*.!~?-]{1,60}", at in 0usize..60, most in 0usize..20) {
            let rows = rows(&marks);
            let at = at % rows.len();
            let lines = list(&rows, Some(at), most, 80);
            let want = format!("{} {} T", rows[at].mark, at + 1);
            prop_assert!(lines.contains(&want));
            let shown = lines.iter().filter(|l| l.ends_with('T')).count();
            let unfinished = rows.iter().enumerate().filter(|(i, row)| row.mark != 'x' || *i == at).count();
            let room = most.max(1);
            prop_assert_eq!(shown, if rows.len() <= room { rows.len() } else { unfinished.min(room) });
            let folded: usize = lines.iter().filter_map(|l| l.strip_prefix("... ")?.split(' ').next()?.parse::<usize>().ok()).sum();
            prop_assert_eq!(shown + folded, rows.len());
        }
    }
}
