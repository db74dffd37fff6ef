//! What a file is after the hunks of a patch.

use super::Hunk;

/// The most comparisons of lines. A patch that would need more, which only one made for that does, does not apply.
const MOST: usize = 20_000_000;

/// Finds the lines of every hunk in the file, each from where the one before ended (behind its anchor, where it has one), and
/// replaces them. Space at the ends of lines and typographic quotes, dashes and blanks may differ; lines that only stand around
/// a change stay as they are in the file, and new ones end like its first line. `None` where a hunk does not fit.
pub fn apply(old: &str, hunks: &[Hunk]) -> Option<String> {
    let lines = lines(old);
    let plain: Vec<&str> = lines.iter().map(|(text, _)| *text).collect();
    let wanted: usize = hunks.iter().map(|hunk| hunk.old.len() + 1).sum();
    if plain.len().checked_mul(wanted)? > MOST {
        return None;
    }
    let ending = lines.first().map_or("\n", |(_, ending)| if ending.is_empty() { "\n" } else { *ending });
    let mut out: Vec<(&str, &str)> = Vec::with_capacity(lines.len());
    let mut appended: Vec<&str> = Vec::new();
    let mut at = 0;
    for hunk in hunks {
        let mut from = at;
        if !hunk.anchor.is_empty() {
            from = find(&plain, std::slice::from_ref(&hunk.anchor), from, false)? + 1;
        }
        if hunk.old.is_empty() {
            // Lines that stand next to nothing go to the end, whatever the anchor.
            appended.extend(hunk.new.iter().map(String::as_str));
            out.extend_from_slice(lines.get(at..from)?);
            at = from;
            continue;
        }
        let (before, after, begin) = place(&plain, hunk, from)?;
        out.extend_from_slice(lines.get(at..begin)?);
        at = begin + before.len();
        let mut kept = lines.get(begin..at)?.iter().zip(before);
        let mut behind = None;
        for new in after {
            let rest = kept.clone();
            if let Some((line, _)) = kept.find(|(_, text)| *text == new) {
                out.push(*line);
                behind = (kept.len() == 0).then_some(out.len());
            } else {
                out.push((new, ending));
                kept = rest;
            }
        }
        // What follows the last line of the file stands in the order of the hunks.
        if let Some(behind) = behind.filter(|_| at == lines.len()) {
            appended.extend(out.drain(behind..).map(|(text, _)| text));
        }
    }
    out.extend_from_slice(lines.get(at..)?);
    out.extend(appended.iter().map(|text| (*text, ending)));
    Some(out.iter().flat_map(|(text, end)| [*text, if end.is_empty() { ending } else { *end }]).collect())
}

/// The lines to look for, those that take their place, and where they begin. An empty last line may stand for the end of the
/// file: where the lines do not fit, they are looked for without it.
fn place<'a>(file: &[&str], hunk: &'a Hunk, from: usize) -> Option<(&'a [String], &'a [String], usize)> {
    if let Some(begin) = find(file, &hunk.old, from, hunk.at_end) {
        return Some((&hunk.old, &hunk.new, begin));
    }
    let old = without_empty_end(&hunk.old)?;
    let new = without_empty_end(&hunk.new).unwrap_or(&hunk.new);
    Some((old, new, find(file, old, from, hunk.at_end)?))
}

fn without_empty_end(lines: &[String]) -> Option<&[String]> {
    let (last, rest) = lines.split_last()?;
    last.is_empty().then_some(rest)
}

/// Where these lines stand in the file. A place that fits better counts before one that comes earlier.
fn find(file: &[&str], wanted: &[String], from: usize, at_end: bool) -> Option<usize> {
    if wanted.is_empty() {
        return Some(from);
    }
    let last = file.len().checked_sub(wanted.len())?;
    let from = if at_end { last.max(from) } else { from };
    let same: [fn(&str, &str) -> bool; 4] = [
        |a, b| a == b,
        |a, b| a.trim_end() == b.trim_end(),
        |a, b| a.trim() == b.trim(),
        |a, b| a.trim().chars().map(plain).eq(b.trim().chars().map(plain)),
    ];
    same.iter().find_map(|same| {
        (from..=last).find(|at| file.iter().skip(*at).zip(wanted).all(|(line, wanted)| same(line, wanted)))
    })
}

/// A typographic character as it is typed.
fn plain(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// Every line with its ending: `\n`, `\r\n`, `\r`, or none at the end of the file.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        let length = if after.starts_with("\r\n") { 2 } else { after.len().min(1) };
        let (ending, after) = after.split_at(length);
        lines.push((line, ending));
        rest = after;
    }
    lines
}
