//! The `hooks` of a settings text: `{"hooks": {EVENT: [{"matcher"?, "hooks": [HANDLER, ...]}, ...]}}`, a handler being
//! `{"type": "command", "command", "args"?, "timeout"?}` (Claude Code 2.1; Codex and others use the same shape).

use std::collections::HashSet;

use super::EditError;
use super::place::{Edits, Fresh, cut, found, insert, style, vanishes};
use super::render::{New, Style, quote};
use super::scan::{Doc, Item, Node, Value};

/// One hook that we install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEntry {
    /// The host's name of the event.
    pub event: String,
    /// Which tools it is called for, where it is not called for all.
    pub matcher: Option<String>,
    /// Absolute path of the program; started directly, not by a shell.
    pub command: String,
    /// Its arguments, the first being `hook`.
    pub args: Vec<String>,
    /// Seconds the host waits for it.
    pub timeout: u32,
    /// It runs beside the session, and wakes it by exit code 2.
    pub wakes: bool,
}

impl HookEntry {
    /// What it does, as its arguments say: see [`word`].
    fn word(&self) -> &str {
        self.args.get(1).map_or("", String::as_str)
    }
}

/// The place among the entries of a hook of ours: the one of this event with this word, else the first of the event, which an
/// older or a hand-made hook stands for. `None` where no entry asks for the event.
fn place_of(entries: &[HookEntry], event: &str, word: &str) -> Option<usize> {
    let of_event = |entry: &HookEntry| entry.event == event;
    let same = entries.iter().position(|entry| of_event(entry) && entry.word() == word);
    same.or_else(|| entries.iter().position(of_event))
}

/// Adds our hooks to a settings text, one per entry, and creates what is missing in the text's own style. A hook of ours
/// that is there already stays where it is; only a different command or arguments are replaced, and the matcher of an entry
/// that has one, unless other hooks share it. Hooks of ours that no entry asks for, and second ones for an entry, are taken
/// out. A second call changes nothing.
///
/// # Errors
/// Where the text is no JSON, or its `hooks` are not an object of lists, or a key stands there twice.
pub fn merge_hooks(text: &str, entries: &[HookEntry]) -> Result<String, EditError> {
    let mut seen = HashSet::new();
    let text = prune(text, |event, word| place_of(entries, event, word).is_none_or(|place| !seen.insert(place)))?;
    let doc = Doc::read(&text)?;
    let style = style(&doc);
    let mut edits = Edits::default();
    let Some(root) = &doc.root else {
        found(&doc, &style, &mut edits, &[(Some("hooks"), New::Object(by_event(entries)))]);
        return Ok(edits.apply(&text));
    };
    let Some(hooks) = hooks_of(&doc, root)? else {
        insert(&doc, &style, &mut edits, root, &[(Some("hooks"), New::Object(by_event(entries)))]);
        return Ok(edits.apply(&text));
    };
    let mut missing: Vec<HookEntry> = Vec::new();
    for event in events(entries) {
        let Some(there) = hooks.member(event) else {
            missing.extend(entries.iter().filter(|entry| entry.event == event).cloned());
            continue;
        };
        let Some(list) = there.node.elements() else {
            return Err(doc.error(there.node.span.start, format!("`hooks.{event}` is not a list")));
        };
        let ours: Vec<(&Item, &Item)> = list
            .iter()
            .flat_map(|group| handlers(group).unwrap_or(&[]).iter().map(move |handler| (group, handler)))
            .filter(|(_, handler)| is_ours(&handler.node))
            .collect();
        let mut fresh: Vec<Fresh> = Vec::new();
        for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.event == event) {
            let stands = |handler: &Item| place_of(entries, event, &word(&handler.node)) == Some(place);
            match ours.iter().find(|(_, handler)| stands(handler)) {
                Some((group, handler)) => {
                    update(&doc, &style, &mut edits, &handler.node, entry);
                    match_tools(&doc, &style, &mut edits, group, entry);
                }
                None => fresh.push((None, group(entry))),
            }
        }
        if !fresh.is_empty() {
            insert(&doc, &style, &mut edits, &there.node, &fresh);
        }
    }
    if !missing.is_empty() {
        let fresh: Vec<Fresh> = by_event(&missing).into_iter().map(|(event, list)| (Some(event), list)).collect();
        insert(&doc, &style, &mut edits, hooks, &fresh);
    }
    Ok(edits.apply(&text))
}

/// Takes our hooks out of a settings text, with the containers that are empty because of that. Other hooks stay, in the
/// same list too.
///
/// # Errors
/// As [`merge_hooks`].
pub fn remove_hooks(text: &str) -> Result<String, EditError> {
    prune(text, |_, _| true)
}

/// A hook of ours as it stands in a settings text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OurHook {
    /// The host's name of the event.
    pub event: String,
    /// What it does: our word for the event, as a rule.
    pub word: String,
    /// The command as written.
    pub command: String,
}

/// How many of the entries none of these hooks stands for.
pub fn lacking(hooks: &[OurHook], entries: &[HookEntry]) -> usize {
    let places: HashSet<_> = hooks.iter().filter_map(|hook| place_of(entries, &hook.event, &hook.word)).collect();
    entries.len() - places.len()
}

/// Our hooks in a settings text.
///
/// # Errors
/// As [`merge_hooks`].
pub fn our_hooks(text: &str) -> Result<Vec<OurHook>, EditError> {
    let doc = Doc::read(text)?;
    let Some(root) = &doc.root else { return Ok(Vec::new()) };
    let Some(hooks) = hooks_of(&doc, root)? else { return Ok(Vec::new()) };
    let mut ours = Vec::new();
    for event in hooks.members().unwrap_or(&[]) {
        let handlers = event.node.elements().unwrap_or(&[]).iter().filter_map(handlers).flatten();
        for handler in handlers.filter(|handler| is_ours(&handler.node)) {
            let command = handler.node.member("command").and_then(|member| member.node.text()).unwrap_or("");
            ours.push(OurHook {
                event: event.key.clone().unwrap_or_default(),
                word: word(&handler.node),
                command: command.to_owned(),
            });
        }
    }
    Ok(ours)
}

/// Every hook that starts a program named `steadfast`, as it is written, with its event and matcher, without white space: two
/// of these are equal where a host does the same for both. The launcher of a plugin has that name, too.
///
/// # Errors
/// As [`merge_hooks`].
pub fn hooks_as_written(text: &str) -> Result<Vec<String>, EditError> {
    let doc = Doc::read(text)?;
    let Some(root) = &doc.root else { return Ok(Vec::new()) };
    let Some(hooks) = hooks_of(&doc, root)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for event in hooks.members().unwrap_or(&[]) {
        for group in event.node.elements().unwrap_or(&[]) {
            let ours = |handler: &&Item| is_ours(&handler.node) || starts_us(&handler.node);
            for handler in handlers(group).unwrap_or(&[]).iter().filter(ours) {
                let matcher = group.node.member("matcher").map_or("", |member| doc.slice(member.node.span.clone()));
                let name = event.key.as_deref().unwrap_or("");
                found.push(format!("{name} {matcher} {}", bare(doc.slice(handler.node.span.clone()))));
            }
        }
    }
    Ok(found)
}

/// The members of the root object, or of the object that it has under `key`: names, and values as written.
///
/// # Errors
/// Where the text is no JSON.
pub fn members_as_written(text: &str, key: Option<&str>) -> Result<Vec<(String, String)>, EditError> {
    let doc = Doc::read(text)?;
    let object = match (&doc.root, key) {
        (Some(root), Some(key)) => root.member(key).map(|member| &member.node),
        (root, _) => root.as_ref(),
    };
    let members = object.and_then(Node::members).unwrap_or(&[]);
    let written = |item: &Item| (item.key.clone().unwrap_or_default(), doc.slice(item.node.span.clone()).to_owned());
    Ok(members.iter().map(written).collect())
}

/// A JSON text without white space between its values.
fn bare(text: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let keep = |c: &char| {
        let keep = quoted || !c.is_whitespace();
        quoted ^= *c == '"' && !escaped;
        escaped = quoted && *c == '\\' && !escaped;
        keep
    };
    text.chars().filter(keep).collect()
}

/// Takes out those of our handlers that `doomed` names, asked once for each in the order of the text, by event and word.
fn prune(text: &str, mut doomed: impl FnMut(&str, &str) -> bool) -> Result<String, EditError> {
    let doc = Doc::read(text)?;
    let mut edits = Edits::default();
    let Some(root) = &doc.root else { return Ok(text.to_owned()) };
    let Some(hooks) = hooks_of(&doc, root)? else { return Ok(text.to_owned()) };
    let style = style(&doc);
    let mut events = Vec::new();
    for event in hooks.members().unwrap_or(&[]) {
        let name = event.key.as_deref().unwrap_or("");
        let groups = prune_groups(&doc, &style, &mut edits, event, |word| doomed(name, word));
        let gone = vanishes(&doc, &event.node, &groups);
        if !gone && groups.contains(&true) {
            cut(&doc, &style, &mut edits, &event.node, &groups);
        }
        events.push((event, gone));
    }
    let gone: Vec<bool> = events.iter().map(|(_, gone)| *gone).collect();
    if vanishes(&doc, hooks, &gone) {
        // Cuts inside what goes as a whole would overlap with it, but there are none: every event vanished.
        cut(&doc, &style, &mut edits, root, &is_member(root, "hooks"));
    } else if gone.contains(&true) {
        cut(&doc, &style, &mut edits, hooks, &gone);
    }
    Ok(edits.apply(text))
}

/// Which groups of an event go as a whole; handlers of ours in other groups are cut.
fn prune_groups(
    doc: &Doc,
    style: &Style,
    edits: &mut Edits,
    event: &Item,
    mut doomed: impl FnMut(&str) -> bool,
) -> Vec<bool> {
    let mut gone = Vec::new();
    for group in event.node.elements().unwrap_or(&[]) {
        let flags: Vec<bool> =
            handlers(group).unwrap_or(&[]).iter().map(|h| is_ours(&h.node) && doomed(&word(&h.node))).collect();
        let all = !flags.is_empty() && flags.iter().all(|flag| *flag);
        gone.push(all);
        if let Some(list) = group.node.member("hooks").filter(|_| !all && flags.contains(&true)) {
            cut(doc, style, edits, &list.node, &flags);
        }
    }
    gone
}

/// The object of `hooks`.
fn hooks_of<'n>(doc: &Doc, root: &'n Node) -> Result<Option<&'n Node>, EditError> {
    let Some(hooks) = unique_member(doc, root, "hooks")? else { return Ok(None) };
    let Some(events) = hooks.members() else { return Err(doc.error(hooks.span.start, "`hooks` is not an object")) };
    let mut names = HashSet::new();
    for event in events {
        if !names.insert(event.key.as_deref()) {
            let name = event.key.as_deref().unwrap_or("");
            return Err(doc.error(event.start, format!("`hooks.{name}` stands here a second time")));
        }
    }
    Ok(Some(hooks))
}

/// The value of a member of the root object.
pub(super) fn unique_member<'n>(doc: &Doc, object: &'n Node, key: &str) -> Result<Option<&'n Node>, EditError> {
    let Some(members) = object.members() else {
        return Err(doc.error(object.span.start, "the settings are not an object"));
    };
    let mut named = members.iter().filter(|member| member.key.as_deref() == Some(key));
    let first = named.next();
    match named.next() {
        Some(second) => Err(doc.error(second.start, format!("`{key}` stands here a second time"))),
        None => Ok(first.map(|member| &member.node)),
    }
}

/// Marks the member of this name.
pub(super) fn is_member(object: &Node, key: &str) -> Vec<bool> {
    object.members().unwrap_or(&[]).iter().map(|member| member.key.as_deref() == Some(key)).collect()
}

fn handlers(group: &Item) -> Option<&[Item]> {
    group.node.member("hooks")?.node.elements()
}

/// Whether a handler runs `steadfast hook ...`: by program and arguments, or by a shell command that does nothing else.
fn is_ours(handler: &Node) -> bool {
    let Some(command) = handler.member("command").and_then(|member| member.node.text()) else { return false };
    match handler.member("args") {
        Some(args) => {
            let first = args.node.elements().and_then(<[Item]>::first).and_then(|first| first.node.text());
            is_program(command) && first == Some("hook")
        }
        None => is_shell_form(command),
    }
}

/// What a handler of ours does: the word behind `hook`; empty where there is none.
fn word(handler: &Node) -> String {
    let text = |key: &str| handler.member(key).and_then(|member| member.node.text());
    let word = match handler.member("args") {
        Some(args) => args.node.elements().and_then(|args| args.get(1)).and_then(|arg| arg.node.text()),
        None => text("command").and_then(|line| line.rsplit_once(" hook ")?.1.split_whitespace().next()),
    };
    word.unwrap_or_default().to_owned()
}

/// Whether a handler starts a program of our name, whatever its arguments.
fn starts_us(handler: &Node) -> bool {
    handler.member("command").and_then(|member| member.node.text()).is_some_and(is_program)
}

fn is_program(path: &str) -> bool {
    matches!(path.rsplit(['/', '\\']).next(), Some("steadfast" | "steadfast.exe"))
}

fn is_shell_form(command: &str) -> bool {
    // A line that does something else as well was written by hand and is not ours to take out.
    if command.contains([';', '&', '|', '\n', '`', '(']) {
        return false;
    }
    let plain = command.replace(['"', '\''], "").replace("steadfast.exe", "steadfast");
    let Some((before, after)) = plain.split_once("steadfast hook") else { return false };
    let whole = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || c == '/' || c == '\\');
    whole(before.chars().next_back()) && after.chars().next().is_none_or(char::is_whitespace)
}

/// Gives a handler that is there the command and arguments of an entry, where they differ.
fn update(doc: &Doc, style: &Style, edits: &mut Edits, handler: &Node, entry: &HookEntry) {
    let mut fresh: Vec<Fresh> = Vec::new();
    match handler.member("command") {
        Some(member) if member.node.text() == Some(&entry.command) => {}
        Some(member) => edits.replace(member.node.span.clone(), quote(&entry.command)),
        None => fresh.push((Some("command"), New::Text(entry.command.clone()))),
    }
    match handler.member("args") {
        Some(member) if is_list(&member.node, &entry.args) => {}
        Some(member) => {
            let args = New::Words(entry.args.clone());
            edits.replace(member.node.span.clone(), style.item(None, &args, &super::render::Layout::Inline));
        }
        None => fresh.push((Some("args"), New::Words(entry.args.clone()))),
    }
    // Without it the host would wait for a hook that sleeps.
    match handler.member(WAKES).filter(|_| entry.wakes) {
        Some(member) if doc.slice(member.node.span.clone()) == "true" => {}
        Some(member) => edits.replace(member.node.span.clone(), "true"),
        None if entry.wakes => fresh.push((Some(WAKES), New::True)),
        None => {}
    }
    if !fresh.is_empty() {
        insert(doc, style, edits, handler, &fresh);
    }
}

/// Gives the group of a hook that is there the matcher of an entry. A group that others share keeps theirs.
fn match_tools(doc: &Doc, style: &Style, edits: &mut Edits, group: &Item, entry: &HookEntry) {
    let alone = handlers(group).is_some_and(|list| list.len() == 1);
    let Some(matcher) = entry.matcher.as_ref().filter(|_| alone) else { return };
    match group.node.member("matcher") {
        Some(member) if member.node.text() == Some(matcher) => {}
        Some(member) => edits.replace(member.node.span.clone(), quote(matcher)),
        None => insert(doc, style, edits, &group.node, &[(Some("matcher"), New::Text(matcher.clone()))]),
    }
}

fn is_list(node: &Node, words: &[String]) -> bool {
    matches!(&node.value, Value::Array(items)
        if items.len() == words.len() && items.iter().zip(words).all(|(item, word)| item.node.text() == Some(word)))
}

/// The host's word for a hook that runs beside the session and wakes it.
const WAKES: &str = "asyncRewake";

fn group(entry: &HookEntry) -> New<'static> {
    let mut handler = vec![
        ("type", New::Text("command".to_owned())),
        ("command", New::Text(entry.command.clone())),
        ("args", New::Words(entry.args.clone())),
        ("timeout", New::Number(entry.timeout)),
    ];
    if entry.wakes {
        handler.push((WAKES, New::True));
    }
    let matcher = entry.matcher.iter().map(|matcher| ("matcher", New::Text(matcher.clone())));
    New::Object(matcher.chain([("hooks", New::List(vec![New::Object(handler)]))]).collect())
}

/// The events of the entries, in their order, each once.
fn events(entries: &[HookEntry]) -> Vec<&str> {
    let mut events: Vec<&str> = entries.iter().map(|entry| entry.event.as_str()).collect();
    events.dedup();
    events
}

/// Each event with the list of its groups.
fn by_event(entries: &[HookEntry]) -> Vec<(&str, New<'static>)> {
    let groups = |event: &str| entries.iter().filter(|entry| entry.event == event).map(group).collect();
    events(entries).into_iter().map(|event| (event, New::List(groups(event)))).collect()
}
