//! From characters to commands.

use super::{Simple, UNKNOWN, Walk};

/// Runs through a command line and hands every command on as soon as it is whole, so that what it sets counts for the next.
pub(super) fn commands(walk: &mut Walk<'_>, text: &str) {
    let mut scan = Scan { chars: text.chars().collect(), at: 0, documents: 0 };
    let mut command = Simple::default();
    let mut fed = Vec::new();
    let mut shells = Vec::new();
    while let Some(c) = scan.peek() {
        match c {
            '\\' if scan.ahead(1) == Some('\n') => scan.at += 2,
            '\n' | ';' | '&' | '|' | '(' | ')' if !(c == '&' && scan.ahead(1) == Some('>')) => {
                scan.at += 1;
                let words = walk.command(std::mem::take(&mut command), &fed);
                // Of `||` the first bar feeds nobody: the second ends an empty command.
                fed = if c == '|' { words } else { Vec::new() };
                if c == '(' {
                    shells.push(walk.here.clone());
                } else if c == ')'
                    && let Some(here) = shells.pop()
                {
                    walk.here = here;
                }
            }
            c if c.is_whitespace() => scan.at += 1,
            '#' => scan.skip_line(),
            '<' | '>' | '&' => scan.redirection(walk, &mut command),
            _ => {
                let word = scan.word(walk);
                // The number of what is redirected.
                let number = word.bytes().all(|b| b.is_ascii_digit()) && matches!(scan.peek(), Some('<' | '>'));
                if !number {
                    command.words.push(word);
                }
            }
        }
    }
    walk.command(command, &fed);
}

struct Scan {
    chars: Vec<char>,
    at: usize,
    /// How many documents were looked for.
    documents: usize,
}

impl Scan {
    fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> Option<char> {
        self.chars.get(self.at + by).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
    }

    /// `>`, `>>`, `>|`, `&>`, `>&`, `<>`, `<`, `<<`, `<<<`, and `<(...)`, `>(...)`.
    fn redirection(&mut self, walk: &mut Walk<'_>, command: &mut Simple) {
        let mut sign = String::new();
        while let Some(c) = self.peek().filter(|c| "<>&|-".contains(*c)) {
            // A dash belongs to `<<-` alone.
            if (c == '-' && sign != "<<") || (c == '|' && sign != ">") || sign.len() == 3 {
                break;
            }
            sign.push(c);
            self.at += 1;
        }
        if self.peek() == Some('(') && matches!(sign.as_str(), "<" | ">") {
            self.at += 1;
            let inner = self.enclosed();
            walk.apart(&inner);
            command.words.push(UNKNOWN.to_string());
            return;
        }
        self.skip_blanks();
        let word = self.word(walk);
        match sign.as_str() {
            "<<" | "<<-" => command.input = self.here_document(&word),
            "<<<" => command.input = word,
            "<" | "<&" => {}
            // A copy of a descriptor.
            ">&" if word == "-" || word.bytes().all(|b| b.is_ascii_digit()) => {}
            _ => command.into.push(word),
        }
    }

    /// Takes the lines that follow the present one, up to the mark, out of the text.
    fn here_document(&mut self, mark: &str) -> String {
        let from = self.line_end(self.at);
        let mut at = from;
        let mut body = String::new();
        while at < self.chars.len() {
            let end = self.line_end(at + 1);
            let line: String = self.chars.get(at + 1..end).unwrap_or_default().iter().collect();
            at = end;
            if line.trim_start_matches('\t') == mark {
                break;
            }
            body.push_str(&line);
            body.push('\n');
        }
        self.chars.drain(from..at);
        body
    }

    /// Steps over the line that opens a document, and the document.
    fn skip_document(&mut self) {
        self.at += 1;
        self.documents += 1;
        if self.documents > super::MANY {
            return;
        }
        let end = self.line_end(self.at);
        let line: String = self.chars.get(self.at..end).unwrap_or_default().iter().collect();
        let mark = line.trim_start_matches('-').trim_start().split([' ', '\t', ';', '|', '&', '>', ')']).next();
        let mark = mark.unwrap_or_default().replace(['\'', '"', '\\'], "");
        let mut at = end;
        while at < self.chars.len() {
            let next = self.line_end(at + 1);
            let line: String = self.chars.get(at + 1..next).unwrap_or_default().iter().collect();
            at = next;
            if line.trim_start_matches('\t') == mark {
                self.at = at;
                return;
            }
        }
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = self.chars.get(from..).unwrap_or_default();
        rest.iter().position(|c| *c == '\n').map_or(self.chars.len(), |n| from + n)
    }

    /// One word.
    fn word(&mut self, walk: &mut Walk<'_>) -> String {
        let mut out = String::new();
        while let Some(c) = self.peek() {
            if c.is_whitespace() || ";&|()<>".contains(c) {
                break;
            }
            self.at += 1;
            match c {
                '\\' => match self.next() {
                    None | Some('\n') => {}
                    Some(escaped) => out.push(escaped),
                },
                '\'' => out.push_str(&self.until_quote()),
                '"' => self.in_quotes(walk, &mut out),
                '`' => self.backtick(walk, &mut out),
                '$' => self.dollar(walk, &mut out),
                '~' if self.peek().is_none_or(|c| c == '/' || c.is_whitespace() || ";&|()<>".contains(c))
                    && (out.is_empty() || is_assignment(&out)) =>
                {
                    out.push_str(&walk.var("HOME").unwrap_or_else(|| UNKNOWN.to_string()));
                }
                c => out.push(c),
            }
            if out.len() > super::LONG.1 {
                out = UNKNOWN.to_string();
            }
        }
        out
    }

    fn until_quote(&mut self) -> String {
        let from = self.at;
        while self.next().is_some_and(|c| c != '\'') {}
        self.chars.get(from..self.at.saturating_sub(1)).unwrap_or_default().iter().collect()
    }

    fn in_quotes(&mut self, walk: &mut Walk<'_>, out: &mut String) {
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(c) if "\"\\$`".contains(c) => out.push(c),
                    Some(c) => out.extend(['\\', c]),
                },
                '`' => self.backtick(walk, out),
                '$' => self.dollar(walk, out),
                c => out.push(c),
            }
            if out.len() > super::LONG.1 {
                *out = UNKNOWN.to_string();
            }
        }
    }

    fn backtick(&mut self, walk: &mut Walk<'_>, out: &mut String) {
        let mut inner = String::new();
        while let Some(c) = self.next().filter(|c| *c != '`') {
            inner.push(if c == '\\' { self.next().unwrap_or(c) } else { c });
        }
        walk.apart(&inner);
        out.push(UNKNOWN);
    }

    /// What stands behind a `$`.
    fn dollar(&mut self, walk: &mut Walk<'_>, out: &mut String) {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.enclosed();
                walk.apart(&inner);
                out.push(UNKNOWN);
            }
            Some('{') => {
                self.at += 1;
                let name = self.name();
                let from = self.at;
                let mut open = 1;
                while open > 0
                    && let Some(c) = self.next()
                {
                    open += i32::from(c == '{') - i32::from(c == '}');
                }
                let rest: String = self.chars.get(from..self.at.saturating_sub(1)).unwrap_or_default().iter().collect();
                out.push_str(&value(walk, &name, &rest));
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.name();
                out.push_str(&value(walk, &name, ""));
            }
            // $'...' and $"..." are quotes.
            Some('\'' | '"') => {}
            Some(c) if c.is_ascii_digit() || "?!#@*$-".contains(c) => {
                self.at += 1;
                out.push(UNKNOWN);
            }
            _ => out.push('$'),
        }
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        name
    }

    /// What stands up to the bracket that closes the one before. Brackets and quotes in a document within do not count.
    fn enclosed(&mut self) -> String {
        let from = self.at;
        let mut open = 1;
        let mut quote = None;
        while open > 0
            && let Some(c) = self.next()
        {
            match (quote, c) {
                (None, '<') if self.peek() == Some('<') && self.ahead(1) != Some('<') => self.skip_document(),
                (None, '\'' | '"') => quote = Some(c),
                (Some(q), c) if c == q => quote = None,
                (None | Some('"'), '\\') => self.at += 1,
                (None, '(') => open += 1,
                (None, ')') => open -= 1,
                _ => {}
            }
        }
        self.chars.get(from..self.at.saturating_sub(1)).unwrap_or_default().iter().collect()
    }
}

/// The value of a variable. `rest` is what follows the name in braces: of that, a default is understood.
fn value(walk: &mut Walk<'_>, name: &str, rest: &str) -> String {
    let fallback = rest.strip_prefix(":-").or_else(|| rest.strip_prefix('-')).or_else(|| rest.strip_prefix(":="));
    match (walk.var(name), fallback) {
        (Some(value), _) if rest.is_empty() || fallback.is_some() => value,
        // A name that has to be there: without it the shell would stop.
        (Some(value), None) if rest.starts_with(":?") || rest.starts_with('?') => value,
        (None, Some(text)) if walk.depth < super::DEPTH => {
            walk.depth += 1;
            let word = Scan { chars: text.chars().collect(), at: 0, documents: 0 }.word(walk);
            walk.depth -= 1;
            word
        }
        _ => UNKNOWN.to_string(),
    }
}

/// Whether a word begins by giving a variable its value.
fn is_assignment(word: &str) -> bool {
    word.strip_suffix('=').is_some_and(is_name)
}

/// Whether this is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
