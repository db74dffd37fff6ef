//! Payloads of hosts, each of the registry: whatever comes in is an event or nothing, and what goes out is one JSON object of the
//! host's own keys or nothing, within the host's limits. A new host is checked as soon as it stands in [`HOSTS`].

use serde_json::{Map, Value};
use steadfast::core::candidate::strict;
use steadfast::core::contract::{Contract, GateOptions, Mode};
use steadfast::core::event::{Event, Kind, Reply};
use steadfast::core::gate::Work;
use steadfast::core::inject::{self, Block};
use steadfast::core::next::next;
use steadfast::core::plan_read::read;
use steadfast::core::run::Run;
use steadfast::core::view::View;
use steadfast::core::whole::{Scanner, Step};
use steadfast::hosts::{HOSTS, Host};

/// What a hook may be called for: the host says it in the payload, or by one of these.
const EVENTS: [&str; 12] = [
    "",
    "session-start",
    "user-prompt",
    "pre-tool",
    "post-tool",
    "tool-failure",
    "pre-compact",
    "subagent-start",
    "subagent-stop",
    "stop",
    "session-end",
    "unheard-of",
];
/// Keys that every host of this wire knows: of the answer, and of what belongs to one event.
const KEYS: [&str; 4] = ["decision", "reason", "systemMessage", "hookSpecificOutput"];
const SPECIFIC: [&str; 4] = ["hookEventName", "additionalContext", "permissionDecision", "permissionDecisionReason"];

/// Takes the bytes for the payload of each host and of each event, and answers it.
pub fn check(bytes: &[u8]) {
    scanned(bytes);
    let text = String::from_utf8_lossy(bytes);
    let env = |name: &str| text.split(['"', '\n']).find_map(|part| part.strip_prefix(name)).map(str::to_owned);
    for host in HOSTS {
        for word in EVENTS {
            let event = (host.parse)(word, bytes, &env);
            assert_eq!(event, (host.parse)(word, bytes, &env), "an event is a function of the payload");
            assert!(word != "unheard-of" || event.is_none());
            if let Some(event) = event {
                answered(host, &event);
            }
        }
        let _ = ((host.session)(&env), (host.inside)(&env), (host.sleeps)(&env), (host.settings)(None, &env));
        let _ = (host.settings_harm)("{}", &text);
        assert_eq!((host.settings_harm)(&text, &text), None, "what stays as it is does no harm");
    }
}

/// The end of a payload is found where a JSON parser sees it, however the stream is cut.
fn scanned(bytes: &[u8]) {
    if serde_json::from_slice::<Map<String, Value>>(bytes).is_err() {
        return;
    }
    let length = bytes.trim_ascii_end().len();
    assert_eq!(Scanner::default().feed(bytes), Step::Whole(length));
    let mut scanner = Scanner::default();
    let (head, tail) = bytes.split_at(length / 2);
    assert_eq!(scanner.feed(head), Step::More);
    assert_eq!(scanner.feed(tail), Step::Whole(length - head.len()));
}

fn answered(host: &Host, event: &Event) {
    assert!(event.cwd.iter().chain(&event.project).all(|path| path.is_absolute()));
    assert_eq!((host.render)(event, &Reply::default()), None, "nothing to say");
    let text = words(event);
    let some = Some(text.clone());
    for reply in [
        Reply { context: some.clone(), ..Reply::default() },
        Reply { notice: some.clone(), ..Reply::default() },
        Reply { hold: some.clone(), ..Reply::default() },
        Reply { deny: some.clone(), ..Reply::default() },
        Reply { context: some.clone(), notice: some.clone(), hold: some.clone(), deny: some },
    ] {
        let Some(out) = (host.render)(event, &reply) else {
            assert!(reply.hold.is_none() || !matches!(event.kind, Kind::Stop(_)), "a hold that nobody hears of");
            continue;
        };
        rendered(event, &reply, &out);
    }
    // What a hook puts in front of the model is within the host's limit, whatever the plan.
    let (limit, in_bytes) = limit(host);
    for context in contexts(&text) {
        assert!(context.chars().count() <= inject::MAX_CHARS);
        let size = if in_bytes { context.len() } else { context.chars().count() };
        assert!(size <= limit, "{} takes {limit}: {size}", host.id);
    }
}

/// The text of an event that a person or an agent wrote.
fn words(event: &Event) -> String {
    match &event.kind {
        Kind::Prompt(text) | Kind::SessionEnd(text) => text.clone(),
        Kind::PreTool(call) | Kind::PostTool(call) => call.command.clone().unwrap_or_else(|| call.input.clone()),
        Kind::Stop(stop) => stop.last_message.clone(),
        _ => event.session.clone(),
    }
}

/// One object on one line; only what was said, by keys the host knows; a refusal only where one was meant.
fn rendered(event: &Event, reply: &Reply, out: &str) {
    assert!(!out.contains(['\n', '\r']));
    let object: Map<String, Value> = serde_json::from_str(out).expect("one JSON object");
    assert!(!object.is_empty() && object.keys().all(|key| KEYS.contains(&key.as_str())), "{out}");
    let none = Map::new();
    let specific = object.get("hookSpecificOutput").and_then(Value::as_object).unwrap_or(&none);
    assert!(specific.keys().all(|key| SPECIFIC.contains(&key.as_str())), "{out}");
    let said = |map: &Map<String, Value>, key: &str| map.get(key).map(|text| text.as_str().expect("text").to_owned());
    let only = |found: Option<String>, meant: &Option<String>| assert!(found.is_none() || found == *meant, "{out}");
    only(said(specific, "additionalContext"), &reply.context);
    only(said(specific, "permissionDecisionReason"), &reply.deny);
    only(said(&object, "systemMessage"), &reply.notice);
    let blocks = object.contains_key("decision");
    assert_eq!(said(&object, "reason").is_some(), blocks);
    match event.kind {
        Kind::Stop(_) => assert_eq!(said(&object, "reason"), reply.hold, "{out}"),
        Kind::Prompt(_) => assert_eq!(said(&object, "reason"), reply.deny, "{out}"),
        _ => assert!(!blocks, "{out}"),
    }
    assert!(
        specific.contains_key("permissionDecision") == (reply.deny.is_some() && matches!(event.kind, Kind::PreTool(_)))
    );
}

/// The host's limit for a text, as published, and whether it counts bytes.
fn limit(host: &Host) -> (usize, bool) {
    let digits: String = host.abilities.context_limit.chars().filter(char::is_ascii_digit).collect();
    (digits.parse().expect("a number"), host.abilities.context_limit.ends_with("bytes"))
}

/// The texts for the model about a plan, a goal and a name that say this.
fn contexts(text: &str) -> Vec<String> {
    let plan = read(text.as_bytes());
    let mut out = vec![
        inject::draft(text, text),
        inject::draft_reason(text, text),
        inject::offer(text, 1, 2),
        inject::woken(1, text),
        inject::legacy(&plan, text),
    ];
    let contract = strict(text.as_bytes(), Mode::Gate, GateOptions::default());
    let contract = contract.map_or_else(|_| Contract { goal: text.to_owned(), ..Contract::default() }, |(_, c)| c);
    let run = Run::default();
    let view = View::new(&contract, Some(&plan), &run);
    let next = next(&view);
    let block = Block::new(&view, &next, "3fa9c1d2", Mode::Gate, &run);
    out.extend([inject::full(&block), inject::short(&block), inject::subagent(&block), inject::anchor(&block, 40)]);
    out.push(inject::reason(&view, &next, Work::Open));
    out
}
