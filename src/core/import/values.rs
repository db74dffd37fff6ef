//! JSON of strangers, key by key: a value of the wrong type is a problem, and a key nobody asked for is kept.

use serde_json::{Map, Value};

use crate::core::plan::Problem;

/// A problem at a place.
pub(super) fn problem(at: &str, what: impl AsRef<str>, fix: &str) -> Problem {
    Problem { line: 0, what: format!("{at}: {}", what.as_ref()), fix: fix.to_owned() }
}

/// The JSON of a file.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, Vec<Problem>> {
    let wrong = |line: usize, why: &dyn std::fmt::Display| {
        vec![Problem { line, what: format!("it is not JSON: {why}"), fix: "mend the file".to_owned() }]
    };
    let text = std::str::from_utf8(bytes).map_err(|error| wrong(0, &error))?;
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| wrong(error.line(), &error))
}

/// A list, where it is one and has something in it.
pub(super) fn list(value: Value, of: &str) -> Result<Vec<Value>, Vec<Problem>> {
    match value {
        Value::Array(list) if !list.is_empty() => Ok(list),
        Value::Array(_) => Err(vec![problem("the list", "it is empty", "write what is to be done into it")]),
        _ => Err(vec![problem("the file", format!("it is no list of {of}"), "write a list: [{...}, {...}]")]),
    }
}

/// An object that is read key by key.
pub(super) struct Object {
    /// Where it stands.
    pub(super) at: String,
    map: Map<String, Value>,
    /// What is wrong with it so far.
    pub(super) problems: Vec<Problem>,
}

impl Object {
    /// A value that should be an object.
    pub(super) fn new(at: String, value: Value) -> Self {
        if let Value::Object(map) = value {
            return Self { at, map, problems: Vec::new() };
        }
        let wrong = problem(&at, "it is no object", "write {...}");
        Self { at, map: Map::new(), problems: vec![wrong] }
    }

    /// Takes a value out.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.map.remove(key).filter(|value| !value.is_null())
    }

    /// A text, or a number as text; empty where there is none.
    pub(super) fn text(&mut self, key: &str) -> String {
        let value = self.take(key);
        value.map_or_else(String::new, |value| {
            scalar(&value).unwrap_or_else(|| {
                self.wrong(key, "is no text");
                String::new()
            })
        })
    }

    /// A list of texts; a lone text is a list of one.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(value) = self.take(key) else { return Vec::new() };
        let list = match value {
            Value::Array(list) => list,
            lone => vec![lone],
        };
        let texts: Option<Vec<String>> = list.iter().map(scalar).collect();
        texts.unwrap_or_else(|| {
            self.wrong(key, "is no list of texts");
            Vec::new()
        })
    }

    /// Names what is wrong with a key.
    pub(super) fn wrong(&mut self, key: &str, what: &str) {
        self.problems.push(problem(&self.at, format!("`{key}` {what}"), "mend it, or take it out"));
    }

    /// The keys nobody took.
    pub(super) fn rest(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }

    /// What nobody took, a line each, as JSON. A key that means work to do in a typed plan is no mere note: it is refused.
    pub(super) fn kept(&mut self) -> String {
        for key in ["check", "checks", "depends_on", "do"].into_iter().filter(|key| self.map.contains_key(*key)) {
            self.problems.push(problem(
                &self.at,
                format!("`{key}` is no key of this form, and would be a note only"),
                "write a typed plan, [{\"id\", \"do\", \"depends_on\", \"check\"}], or take it out",
            ));
        }
        let lines: Vec<String> =
            self.map.iter().map(|(key, value)| format!("{}: {value}", Value::from(key.as_str()))).collect();
        lines.join("\n")
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
