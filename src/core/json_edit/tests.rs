use proptest::prelude::*;

use super::*;

fn entries() -> Vec<HookEntry> {
    [
        ("SessionStart", "session-start", None),
        ("PreToolUse", "pre-tool", Some("^(Write|mcp__.*)$")),
        ("Stop", "stop", None),
        ("Stop", "sleep", None),
    ]
    .into_iter()
    .map(|(event, word, matcher)| HookEntry {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        command: "/opt/my tools/steadfast".to_owned(),
        args: ["hook", word, "--host", "claude-code"].map(str::to_owned).to_vec(),
        timeout: 10,
        wakes: word == "sleep",
    })
    .collect()
}

fn rules() -> Vec<String> {
    vec!["Bash(steadfast status:*)".to_owned(), "Bash(steadfast next:*)".to_owned()]
}

/// Both edits in and out, in both orders; the middle text is returned.
fn there_and_back(text: &str) -> String {
    let hooked = merge_hooks(text, &entries()).unwrap();
    assert_eq!(merge_hooks(&hooked, &entries()).unwrap(), hooked, "a second merge changes nothing");
    assert_eq!(remove_hooks(&hooked).unwrap(), text, "after\n{hooked}");
    let both = merge_permissions(&hooked, &rules()).unwrap();
    assert_eq!(merge_permissions(&both, &rules()).unwrap(), both);
    assert_eq!(merge_hooks(&both, &entries()).unwrap(), both);
    let last_in_first_out = remove_hooks(&remove_permissions(&both, &rules()).unwrap()).unwrap();
    assert_eq!(last_in_first_out, text, "after\n{both}");
    let first_in_first_out = remove_permissions(&remove_hooks(&both).unwrap(), &rules()).unwrap();
    assert_eq!(first_in_first_out, text, "after\n{both}");
    both
}

/// The text without comments, trailing commas and byte order mark.
fn strict(text: &str) -> serde_json::Value {
    let mut out = String::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        if let Some(body) = rest.strip_prefix("//") {
            rest = &body[body.find(['\n', '\r']).unwrap_or(body.len())..];
        } else if let Some(body) = rest.strip_prefix("/*") {
            rest = &body[body.find("*/").unwrap() + 2..];
        } else if c == '"' {
            let end = 1 + rest[1..]
                .char_indices()
                .scan(false, |escaped, (i, c)| {
                    let here = *escaped;
                    *escaped = !here && c == '\\';
                    Some((i, !here && c == '"'))
                })
                .find(|(_, end)| *end)
                .unwrap()
                .0;
            out.push_str(&rest[..=end]);
            rest = &rest[end + 1..];
        } else {
            if (c == '}' || c == ']') && out.trim_end().ends_with(',') {
                out.truncate(out.trim_end().len() - 1);
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}:\n{out}"))
}

#[test]
fn a_usual_file_keeps_its_look() {
    let text = "{\n    \"model\": \"large\", // mine\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]} // loud\n        ]\n    }\n}\n";
    insta::assert_snapshot!(there_and_back(text), @r#"
    {
        "model": "large", // mine
        "hooks": {
            "Stop": [
                {"hooks": [{"type": "command", "command": "say done"}]}, // loud
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "/opt/my tools/steadfast",
                            "args": ["hook", "stop", "--host", "claude-code"],
                            "timeout": 10
                        }
                    ]
                },
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "/opt/my tools/steadfast",
                            "args": ["hook", "sleep", "--host", "claude-code"],
                            "timeout": 10,
                            "asyncRewake": true
                        }
                    ]
                }
            ],
            "SessionStart": [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "/opt/my tools/steadfast",
                            "args": ["hook", "session-start", "--host", "claude-code"],
                            "timeout": 10
                        }
                    ]
                }
            ],
            "PreToolUse": [
                {
                    "matcher": "^(Write|mcp__.*)$",
                    "hooks": [
                        {
                            "type": "command",
                            "command": "/opt/my tools/steadfast",
                            "args": ["hook", "pre-tool", "--host", "claude-code"],
                            "timeout": 10
                        }
                    ]
                }
            ]
        },
        "permissions": {
            "allow": [
                "Bash(steadfast status:*)",
                "Bash(steadfast next:*)"
            ]
        }
    }
    "#);
}

#[test]
fn styles_come_back_byte_for_byte() {
    let texts = [
        "",
        "\n",
        " \t\r\n",
        "\u{feff}",
        "// only a remark",
        "{}",
        "{ }",
        "{}\n",
        "{\n}",
        "{\r\n}\r\n",
        "{\n\n\n}\n",
        "\u{feff}{\r\n\t\"a\": 1\r\n}",
        "{ /* nothing */ }",
        "{\n  // nothing\n}\n",
        "{\n  // nothing\n\n}\n",
        r#"{"a":1}"#,
        r#"{"a":1,}"#,
        r#"{"a":1 , }"#,
        r#"{"a":1 /* one */}"#,
        "{\"a\": 1 // one\n}",
        "{\"a\": 1, // one\n}",
        "{\"a\": 1 // one\r\n,}",
        "{\n  \"a\": [1,\n   2],\n  \"b\": {}\n}",
        r#"{"hooks":{}}"#,
        r#"{"hooks":{ }}"#,
        r#"{"hooks": {"Stop":[]}}"#,
        r#"{"hooks": {"Stop":[ ]} }"#,
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n  \"hooks\": {\n    // later\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"Other\": [\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\"Stop\": [{\"hooks\": []}]}\n}\n",
        "{\n\t\"permissions\": {},\n\t\"hooks\": {}\n}\n",
        "{\"permissions\": {\"allow\": [], \"deny\": [\"Bash(rm:*)\"]}}",
        "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\",\n    ],\n  },\n}\n",
        "{\"permissions\": {\"deny\": []}, \"hooks\": {\"PreToolUse\": [1, \"odd\", null]}}",
    ];
    for text in texts {
        let both = there_and_back(text);
        let value = strict(&both);
        let stops = value["hooks"]["Stop"].as_array().unwrap();
        let last: Vec<_> = stops[stops.len() - 2..].iter().map(|group| &group["hooks"][0]["args"][1]).collect();
        assert_eq!(last, ["stop", "sleep"], "{both}");
        assert!(value["permissions"]["allow"].as_array().unwrap().contains(&"Bash(steadfast next:*)".into()));
    }
}

#[test]
fn an_older_entry_is_replaced_in_place() {
    let text = r#"{
  "hooks": {
    "Stop": [
      {"matcher": "*", "hooks": [
        {"command": "/old/steadfast", "type": "command", "args": ["hook", "stop"], "timeout": 3},
        {"type": "command", "command": "other"}
      ]},
      {"hooks": [{"type": "command", "command": "\"/older one/steadfast\" hook stop --host claude-code"}]}
    ],
    "SessionStart": [{"hooks": [{"type": "command", "command": "steadfast hook session-start"}]}],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "/old/steadfast", "args": ["hook", "pre-tool"]}]}
    ],
    "PreCompact": [
      {"hooks": [{"type": "command", "command": "/old/steadfast", "args": ["hook", "pre-compact"]}]}
    ]
  }
}"#;
    let merged = merge_hooks(text, &entries()).unwrap();
    insta::assert_snapshot!(merged, @r#"
    {
      "hooks": {
        "Stop": [
          {"matcher": "*", "hooks": [
            {"command": "/opt/my tools/steadfast", "type": "command", "args": ["hook", "stop", "--host", "claude-code"], "timeout": 3},
            {"type": "command", "command": "other"}
          ]},
          {
            "hooks": [
              {
                "type": "command",
                "command": "/opt/my tools/steadfast",
                "args": ["hook", "sleep", "--host", "claude-code"],
                "timeout": 10,
                "asyncRewake": true
              }
            ]
          }
        ],
        "SessionStart": [{"hooks": [{"type": "command", "command": "/opt/my tools/steadfast", "args": ["hook", "session-start", "--host", "claude-code"]}]}],
        "PreToolUse": [
          {"matcher": "^(Write|mcp__.*)$", "hooks": [{"type": "command", "command": "/opt/my tools/steadfast", "args": ["hook", "pre-tool", "--host", "claude-code"]}]}
        ]
      }
    }
    "#);
    assert_eq!(merge_hooks(&merged, &entries()).unwrap(), merged);
    let ours = |event: &str, word: &str| OurHook {
        event: event.to_owned(),
        word: word.to_owned(),
        command: "/opt/my tools/steadfast".to_owned(),
    };
    let all = [
        ours("Stop", "stop"),
        ours("Stop", "sleep"),
        ours("SessionStart", "session-start"),
        ours("PreToolUse", "pre-tool"),
    ];
    assert_eq!(our_hooks(&merged).unwrap(), all);
    assert_eq!((lacking(&our_hooks(text).unwrap(), &entries()), lacking(&all, &entries())), (1, 0));
    insta::assert_snapshot!(remove_hooks(&merged).unwrap(), @r#"
    {
      "hooks": {
        "Stop": [
          {"matcher": "*", "hooks": [
            {"type": "command", "command": "other"}
          ]}
        ],
        "SessionStart": []
      }
    }
    "#);
}

#[test]
fn two_hooks_of_one_event_are_told_apart_by_what_they_do() {
    let text = |hooks: &[&str]| format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}]}}]}}}}"#, hooks.join(", "));
    let hook = |word: &str, more: &str| {
        format!(
            r#"{{"command": "/opt/my tools/steadfast", "args": ["hook", "{word}", "--host", "claude-code"]{more}}}"#
        )
    };
    let (stop, sleep) = (hook("stop", ""), hook("sleep", r#", "asyncRewake": true"#));
    let only = |text: &str| merge_hooks(text, &entries()[2..]).unwrap();
    let both = text(&[&stop, &sleep]);
    assert_eq!(only(&both), both);
    let turned = text(&[&sleep, &stop]);
    assert_eq!(only(&turned), turned);
    // A hook that sleeps and does not run beside the session would keep everybody waiting.
    assert_eq!(only(&text(&[&stop, &hook("sleep", "")])), both);
    assert_eq!(only(&text(&[&stop, &hook("sleep", r#", "asyncRewake": false"#)])), both);
    assert_eq!(only(&text(&[&stop, &sleep, &stop, &sleep])), both);
    // Another name of the event stands for the first hook of it.
    assert_eq!(only(&text(&[&hook("Stop", ""), &sleep])), both);
    let line = r#"{"command": "\"/opt/my tools/steadfast\" hook sleep --host claude-code"}"#;
    assert_eq!(our_hooks(&text(&[line])).unwrap()[0].word, "sleep");
}

#[test]
fn an_older_installation_gets_what_is_new_and_gives_all_of_it_back() {
    let lines = "{\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}";
    for text in ["", "{}\n", "{ }", r#"{"hooks":{}}"#, r#"{"hooks": {"Stop":[]}}"#, lines] {
        let older: Vec<HookEntry> = entries().into_iter().filter(|entry| !entry.wakes).collect();
        let newer = merge_hooks(&merge_hooks(text, &older).unwrap(), &entries()).unwrap();
        assert_eq!(lacking(&our_hooks(&newer).unwrap(), &entries()), 0, "{newer}");
        assert_eq!(merge_hooks(&newer, &entries()).unwrap(), newer);
        assert_eq!(remove_hooks(&newer).unwrap(), text, "after\n{newer}");
    }
}

#[test]
fn a_matcher_is_given_to_a_group_of_ours_and_to_no_other() {
    let group = |rest: &str| format!(r#"{{"hooks": {{"PreToolUse": [{{{rest}}}]}}}}"#);
    let ours = r#"{"command": "/opt/my tools/steadfast", "args": ["hook", "pre-tool", "--host", "claude-code"]}"#;
    let only = |text: &str| merge_hooks(text, &entries()[1..2]).unwrap();
    let matched = group(&format!(r#""matcher": "^(Write|mcp__.*)$", "hooks": [{ours}]"#));
    assert_eq!(only(&group(&format!(r#""matcher": "Bash", "hooks": [{ours}]"#))), matched);
    assert_eq!(only(&matched), matched);
    let bare = only(&group(&format!(r#""hooks": [{ours}]"#)));
    assert_eq!(strict(&bare)["hooks"]["PreToolUse"][0]["matcher"], "^(Write|mcp__.*)$", "{bare}");
    let shared = group(&format!(r#""matcher": "Bash", "hooks": [{ours}, {{"command": "other"}}]"#));
    assert_eq!(only(&shared), shared);
}

#[test]
fn what_is_written_is_compared_without_white_space() {
    let text = |space: &str| {
        format!(
            r#"{{"hooks":{{"Stop":[{{"matcher":{space}"a b","hooks":[{{"command":{space}"/x/steadfast","args":["hook","a \" b"]}}]}}]}}}}"#
        )
    };
    let written = hooks_as_written(&text(" ")).unwrap();
    assert_eq!(written, [r#"Stop "a b" {"command":"/x/steadfast","args":["hook","a \" b"]}"#]);
    assert_eq!(hooks_as_written(&text("\n\t")).unwrap(), written);
    let launcher = r#"{"hooks": {"Stop": [{"hooks": [{"command": "${CLAUDE_PLUGIN_ROOT}/hooks/steadfast"}]}]}}"#;
    assert_eq!(hooks_as_written(launcher).unwrap().len(), 1);
    for none in ["", "{}", r#"{"hooks": {"Stop": [{"hooks": [{"command": "other"}]}]}}"#] {
        assert!(hooks_as_written(none).unwrap().is_empty());
    }
    let settings = "{\"a\": true, // on\n \"env\": {\"X\": \"1\",}}";
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(members_as_written(settings, Some("env")).unwrap(), [pair("X", "\"1\"")]);
    assert_eq!(members_as_written(settings, None).unwrap()[0], pair("a", "true"));
    assert!(members_as_written(settings, Some("none")).unwrap().is_empty());
    assert!(members_as_written("", None).unwrap().is_empty() && members_as_written("{", None).is_err());
}

#[test]
fn a_comment_never_swallows_what_follows() {
    let text = "{\"a\": 1, // one\n  \"hooks\": {\"Stop\": [ {\"hooks\": [{\"command\": \"steadfast hook stop\"}]} ] }, \"b\": 2}";
    assert_eq!(remove_hooks(text).unwrap(), "{\"a\": 1, // one\n \"b\": 2}");
}

#[test]
fn others_are_not_taken_for_ours() {
    let handlers = [
        r#"{"command": "/x/steadfast", "args": ["status"]}"#,
        r#"{"command": "/x/steadfast"}"#,
        r#"{"command": "/x/unsteadfast", "args": ["hook"]}"#,
        r#"{"command": "unsteadfast hook stop"}"#,
        r#"{"command": "steadfast hooks"}"#,
        r#"{"command": "log it; steadfast hook stop"}"#,
        r#"{"args": ["hook"]}"#,
        r#"{"command": 7, "args": ["hook"]}"#,
    ];
    let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}]}}]}}}}"#, handlers.join(", "));
    assert_eq!(remove_hooks(&text).unwrap(), text);
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_place() {
    let said = |text: &str| merge_hooks(text, &entries()).unwrap_err().to_string();
    assert_eq!(said("{\n  \"a\": 1\n  \"b\": 2\n}"), "line 3, column 3: expected `,` or `}`");
    assert_eq!(said("{\"a\": tru}"), "line 1, column 7: expected a value");
    assert_eq!(said("{\"ä\": 01}"), "line 1, column 7: expected a value");
    assert_eq!(said("{\n\"a\": \"x\ny\"}"), "line 2, column 6: this string has no end");
    assert_eq!(said("{\"a\": \"\\x\"}"), "line 1, column 7: this string holds a character JSON does not allow");
    assert_eq!(said("{} /* "), "line 1, column 4: this comment has no end");
    assert_eq!(said("{}{}"), "line 1, column 3: something stands behind the end of the JSON value");
    assert_eq!(said("{,}"), "line 1, column 2: expected a key in double quotes or `}`");
    assert_eq!(said("{\"a\""), "line 1, column 5: expected `:`");
    assert_eq!(said("{\"a\":"), "line 1, column 6: the text ends where a value is expected");
    assert_eq!(said("[]"), "line 1, column 1: the settings are not an object");
    assert_eq!(said("\u{feff}\n[]"), "line 2, column 1: the settings are not an object");
    assert_eq!(said("{\"hooks\": []}"), "line 1, column 11: `hooks` is not an object");
    assert_eq!(said("{\"hooks\": {\"Stop\": {}}}"), "line 1, column 20: `hooks.Stop` is not a list");
    assert_eq!(said("{\"hooks\": {}, \"hooks\": {}}"), "line 1, column 15: `hooks` stands here a second time");
    assert_eq!(
        said("{\"hooks\": {\"A\": [], \"\\u0041\": []}}"),
        "line 1, column 21: `hooks.A` stands here a second time"
    );
    assert_eq!(said(&"[".repeat(100_000)), "line 1, column 130: nested too deeply");
    let said = |text: &str| merge_permissions(text, &rules()).unwrap_err().to_string();
    assert_eq!(said("{\"permissions\": {\"allow\": {}}}"), "line 1, column 27: `permissions.allow` is not a list");
    assert_eq!(said("{\"permissions\": []}"), "line 1, column 17: `permissions` is not an object");
}

/// A JSON text with odd white space, comments and trailing commas, that may hold hooks and permissions of others.
fn text() -> impl Strategy<Value = String> {
    let gap = prop_oneof![
        6 => Just(""),
        3 => Just(" "),
        3 => Just("\n  "),
        1 => Just("\n\t\t"),
        1 => Just(" /* c, } */ "),
        1 => Just("// c ] \"\n"),
        1 => Just("\n\n"),
    ];
    let gaps = proptest::collection::vec(gap, 24);
    let value = prop_oneof![
        Just("1"),
        Just("\"x\\\"{\""),
        Just("[~1~,~[]~]"),
        Just("{~\"a\"~:~null~}"),
        Just("[~1~,~]"),
        Just("{}"),
        Just("[]")
    ]
    .boxed();
    let group = prop_oneof![
        Just("{~\"hooks\"~:~[~{~\"command\"~:~\"other\"~}~]~}"),
        Just("{\"matcher\":\"Write\",\"hooks\":[]}"),
        Just("{}"),
        Just("{\"hooks\":[~{\"type\":\"command\",\"command\":\"a\"}~,~{\"command\":\"b\"}~]}"),
    ];
    let list = |item: BoxedStrategy<&'static str>| {
        (proptest::collection::vec(item, 0..3), any::<bool>()).prop_map(|(items, trailing)| {
            let tail = if trailing && !items.is_empty() { "~,~" } else { "~" };
            format!("[~{}{tail}]", items.join("~,~"))
        })
    };
    let object = |members: Vec<String>, trailing: bool| {
        let tail = if trailing && !members.is_empty() { "~,~" } else { "~" };
        format!("{{~{}{tail}}}", members.join("~,~"))
    };
    let hooks = proptest::collection::btree_map(
        prop_oneof![Just("Stop"), Just("SessionStart"), Just("PreToolUse")],
        list(group.boxed()),
        0..3,
    );
    let hooks = (hooks, any::<bool>()).prop_map(move |(events, trailing)| {
        object(events.into_iter().map(|(name, list)| format!("\"{name}\"~:~{list}")).collect(), trailing)
    });
    let rule = prop_oneof![Just("\"Bash(ls)\""), Just("7")].boxed();
    let permissions = (proptest::option::of(list(rule)), any::<bool>()).prop_map(move |(allow, deny)| {
        let mut members: Vec<String> = allow.into_iter().map(|list| format!("\"allow\"~:~{list}")).collect();
        members.extend(deny.then(|| "\"deny\":[]".to_owned()));
        object(members, false)
    });
    let members = (
        proptest::collection::vec(value, 0..3),
        proptest::option::of(hooks),
        proptest::option::of(permissions),
        any::<(bool, bool)>(),
    );
    let style = (any::<bool>(), any::<bool>(), prop_oneof![Just(""), Just("\n"), Just(" // end")]);
    (members, gaps, style).prop_map(move |((others, hooks, permissions, (trailing, front)), gaps, style)| {
        let (bom, crlf, end) = style;
        let mut members: Vec<String> =
            others.iter().enumerate().map(|(i, value)| format!("\"k{i}\"~:~{value}")).collect();
        let ours = hooks.map(|hooks| format!("\"hooks\"~:~{hooks}"));
        let at = if front { 0 } else { members.len() };
        members.splice(at..at, ours);
        members.extend(permissions.map(|permissions| format!("\"permissions\"~:~{permissions}")));
        let mut gaps = gaps.into_iter().cycle();
        let mut text = if bom { "\u{feff}".to_owned() } else { String::new() };
        for c in format!("{}{end}", object(members, trailing)).chars() {
            if c == '~' { text.push_str(gaps.next().unwrap()) } else { text.push(c) }
        }
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_comes_back_byte_for_byte(text in text()) {
        let both = there_and_back(&text);
        let (before, mut after) = (strict(&text), strict(&both));
        for event in ["SessionStart", "PreToolUse", "Stop"] {
            let list = after["hooks"][event].as_array_mut().unwrap();
            let mut group = list.pop().unwrap();
            if event == "Stop" {
                prop_assert_eq!(&group["hooks"][0]["asyncRewake"], &true);
                group = list.pop().unwrap();
            }
            prop_assert_eq!(&group["hooks"][0]["command"], "/opt/my tools/steadfast");
            prop_assert_eq!(group.get("matcher").is_some(), event == "PreToolUse");
            let missing = before.get("hooks").and_then(|hooks| hooks.get(event)).is_none();
            if missing {
                after["hooks"].as_object_mut().unwrap().remove(event);
            }
        }
        if before.get("hooks").is_none() {
            prop_assert_eq!(after.as_object_mut().unwrap().remove("hooks").unwrap(), serde_json::json!({}));
        }
        for rule in rules() {
            let allow = after["permissions"]["allow"].as_array_mut().unwrap();
            allow.retain(|item| *item != *rule);
        }
        if before["permissions"].get("allow").is_none() {
            after["permissions"].as_object_mut().unwrap().remove("allow");
        }
        if before.get("permissions").is_none() {
            after.as_object_mut().unwrap().remove("permissions");
        }
        prop_assert_eq!(after, before);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}:,\"/* \n\\\\a1-]{0,40}") {
        let _ = merge_hooks(&text, &entries()).map(|merged| remove_hooks(&merged).map(|back| assert_eq!(back, text)));
        let _ = remove_permissions(&text, &rules());
    }
}
