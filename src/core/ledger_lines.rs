//! A ledger file line by line: what each line is, and how it is chained to the lines before it.

use std::collections::HashSet;

use crate::core::ledger::{Record, chain, parse_line};

/// To what the `prev` of a record leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// The line before, or nothing where it is the first.
    Next,
    /// An earlier line: from there on two histories, as a merge leaves them, or a line that was put between.
    Fork,
    /// No line of this file: something was changed or taken out.
    Lost,
    /// It has none, and needs none: ledgers of other tools have no chain, until we append to them.
    Free,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A record.
    Record(Box<Record>, Link),
    /// What git writes around two versions it could not merge.
    Marker,
    /// No record, with a line end.
    Damaged,
    /// No record, without a line end: the last line, of a write that was cut short.
    Torn,
}

/// A line that is not blank.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// What it is.
    pub kind: Kind,
    /// What `prev` of the next line should be, see [`chain`].
    pub chain: String,
}

/// The lines of one file.
#[derive(Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
    chained: bool,
    /// The bytes begin in the middle of the file, so that the first link leads out of them.
    cut: bool,
    last_good: String,
    last_any: String,
    /// The chain of every line so far, as a number.
    seen: HashSet<u64>,
}

impl<'a> Lines<'a> {
    /// All lines of a file.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            number: 0,
            chained: false,
            cut: false,
            last_good: String::new(),
            last_any: String::new(),
            seen: HashSet::new(),
        }
    }

    /// The lines of a file from somewhere in it on.
    pub fn of_end(bytes: &'a [u8]) -> Self {
        Self { cut: true, ..Self::of(bytes) }
    }

    fn link(&mut self, record: &Record) -> Link {
        let prev = &record.prev;
        let first = self.cut && self.seen.is_empty();
        let link = if prev.is_empty() {
            if self.chained { Link::Lost } else { Link::Free }
        } else if first || *prev == self.last_good || *prev == self.last_any {
            Link::Next
        } else if number(prev).is_some_and(|prev| self.seen.contains(&prev)) {
            Link::Fork
        } else {
            Link::Lost
        };
        self.chained |= !prev.is_empty();
        link
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let end = self.rest.iter().position(|byte| *byte == b'\n').map_or(self.rest.len(), |at| at + 1);
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest;
            self.number += 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let chain = chain(line);
            let kind = match parse_line(line) {
                Some(record) => {
                    let link = self.link(&record);
                    self.last_good.clone_from(&chain);
                    Kind::Record(Box::new(record), link)
                }
                None if is_marker(line) => Kind::Marker,
                None if line.ends_with(b"\n") => Kind::Damaged,
                None => Kind::Torn,
            };
            self.seen.extend(number(&chain));
            self.last_any.clone_from(&chain);
            return Some(Line { number: self.number, kind, chain });
        }
    }
}

fn number(chain: &str) -> Option<u64> {
    u64::from_str_radix(chain, 16).ok()
}

fn is_marker(line: &[u8]) -> bool {
    let marker = |byte: u8| line.iter().take_while(|b| **b == byte).count() == 7;
    [b'<', b'=', b'>', b'|'].into_iter().any(marker)
}
