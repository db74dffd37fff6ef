//! Writes new values in the style of the file they go into.

/// A value to be written.
pub(super) enum New<'a> {
    /// A string.
    Text(String),
    /// A number.
    Number(u32),
    /// `true`.
    True,
    /// A list of strings that stays on one line.
    Words(Vec<String>),
    /// A list.
    List(Vec<New<'a>>),
    /// An object, in this order.
    Object(Vec<(&'a str, New<'a>)>),
}

/// The style of a file.
pub(super) struct Style {
    /// Line ending.
    pub(super) newline: &'static str,
    /// One level of indentation.
    pub(super) unit: String,
}

/// How the items of one container are written.
pub(super) enum Layout {
    /// Each on its own line with this indentation.
    Lines(String),
    /// All on one line.
    Inline,
}

impl Style {
    /// What stands between an item and what comes before it.
    pub(super) fn separator(&self, layout: &Layout) -> String {
        match layout {
            Layout::Lines(indent) => format!("{}{indent}", self.newline),
            Layout::Inline => " ".to_owned(),
        }
    }

    /// A member or, without a key, an element, as it stands in a container of this layout.
    pub(super) fn item(&self, key: Option<&str>, value: &New<'_>, layout: &Layout) -> String {
        match key {
            Some(key) => format!("{}: {}", quote(key), self.value(value, layout)),
            None => self.value(value, layout),
        }
    }

    fn value(&self, value: &New<'_>, layout: &Layout) -> String {
        match value {
            New::Text(text) => quote(text),
            New::Number(number) => number.to_string(),
            New::True => "true".to_owned(),
            New::Words(words) => {
                let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
                format!("[{}]", words.join(", "))
            }
            New::List(items) => {
                let inner = self.inner(layout);
                let items = items.iter().map(|item| self.value(item, &inner));
                self.container('[', items, ']', layout, &inner)
            }
            New::Object(members) => {
                let inner = self.inner(layout);
                let members = members.iter().map(|(key, value)| self.item(Some(key), value, &inner));
                self.container('{', members, '}', layout, &inner)
            }
        }
    }

    fn inner(&self, layout: &Layout) -> Layout {
        match layout {
            Layout::Lines(indent) => Layout::Lines(format!("{indent}{}", self.unit)),
            Layout::Inline => Layout::Inline,
        }
    }

    /// White space before the closing bracket always: it marks the container as written by us.
    fn container(
        &self,
        open: char,
        items: impl Iterator<Item = String>,
        close: char,
        outer: &Layout,
        inner: &Layout,
    ) -> String {
        let before = self.separator(inner);
        let items: Vec<String> = items.map(|item| format!("{before}{item}")).collect();
        format!("{open}{}{}{close}", items.join(","), self.separator(outer))
    }
}

/// A JSON string.
pub(super) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
