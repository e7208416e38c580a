//! Formats that are written as response templates and read back, and templates as documented, with
//! invented markers.

use prompty_core::value::Value;
use prompty_reply::format::{
    Arguments, CallIdPosition, CallShape, ContentMode, Marker, ReplyFormat,
};
use prompty_reply::{Reply, ReplyParser};
use proptest::prelude::*;
use serde_json::json;

use super::json::formats;
use crate::support;

fn from(template: &serde_json::Value) -> Result<ReplyFormat, String> {
    let template = Value::from_serialize(template).unwrap();
    ReplyFormat::from_response_template(&template).map_err(|error| error.to_string())
}

fn parse(format: &ReplyFormat, text: &str) -> Reply {
    support::read(&ReplyParser::new(format.clone()).with_tools(&support::tools()), text)
}

/// Replies of each kind. Every format reads some of them as markup, and the rest as text.
const REPLIES: &[&str] = &[
    "Yes.",
    "<muse>\nHm.\n</muse>\n\nYes.<|over|>",
    "<muse>\n\n  Hm.\n\n</muse>\n\n\nYes.\n<|over|>",
    "Now.\n<call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bonn\"}}\n</call>\n<call>\n{\"name\": \"weather\", \"arguments\": {}}\n</call><|over|>",
    "Now.[CALLS][{\"name\": \"weather\", \"arguments\": {\"days\": 1}, \"id\": \"a\"}, {\"name\": \"weather\", \"arguments\": {}, \"id\": \"b\"}][/CALLS]Then.",
    "<call>\n<do=weather>\n<arg=city>\n42\n</arg>\n<arg=days>\n2\n</arg>\n</do>\n</call><call>\n<do=weather>\n</do>\n</call>",
    "<|call>do:weather{city:<|q|>\"Bonn\" <3<|q|>,days:-7,place:{x:1,name:<|q|><|q|>}}<call|>!",
    "<|channel|>thoughts<|body|>Hm.<|end|><|start|>assistant<|channel|>answer<|body|>Yes.<|end|>",
    "<|channel|>notes to=functions.weather <|format|>json<|body|>{\"days\": 1}<|call|>",
];

#[test]
fn expressible_formats_parse_replies_the_same_way() {
    let with_anchor = |format: ReplyFormat, anchor: &'static str| {
        let mut format = format;
        format.turn.open = anchor.into();
        format
    };
    for (format, anchor) in [
        (ReplyFormat::plain(), "<|turn|>"),
        (support::json(), "<|turn|>assistant\n"),
        (support::json_list(), "<|turn|>assistant\n"),
        (support::tagged(), "<|turn|>assistant\n"),
        (support::quoted_by_token(), "<|turn|>assistant\n"),
        (support::message_headers(), "<|start|>assistant"),
    ] {
        let format = with_anchor(format, anchor);
        let template = format.to_response_template().unwrap();
        let again = ReplyFormat::from_response_template(&template).unwrap();
        assert_eq!(again.to_response_template().unwrap(), template);
        for text in REPLIES {
            assert_eq!(parse(&again, text), parse(&format, text), "{text:?}\n{template}");
        }
    }
}

#[test]
fn inexpressible_part_of_a_format_is_named() {
    for (format, what) in [
        (support::json_bare(), "calls without an opener and a closer"),
        (support::json_name_is_key(), "a name that is a key: `tools.shape.json.name_is_key`"),
        (support::named_json(), "an optional id"),
        (
            support::tagged_with_types(),
            "types in the markup of arguments: `tools.shape.named.arguments`",
        ),
        (support::nested(), "tags inside tags: `tools.shape.named.arguments`"),
        (support::python(), "a list of calls that are not JSON: `tools.array`"),
        (support::json(), "a turn without an opener: `turn.open`"),
    ] {
        let mut format = format;
        if !what.starts_with("a turn") {
            format.turn.open = "<|turn|>".into();
        }
        let error = format.to_response_template().unwrap_err().to_string();
        let expected = format!("a response template cannot express {what}");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn calls_with_the_name_in_the_opener() {
    let format = from(&json!({
        "defaults": {"role": "assistant", "content": ""},
        "start_anchor": "<|turn|>assistant\n",
        "fields": {
            "thinking": {"open": "<muse>", "close": "</muse>", "content": "text"},
            "tool_calls": {
                "open_pattern": "\\s*<call>\\s*<do=(?P<name>[^>\\n]+)>",
                "close_pattern": "</do>\\s*</call>",
                "repeats": true,
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": "<arg=(?P<key>[^>\\n]+)>\\s*(?P<value>.*?)\\s*</arg>"
                },
                "transform": {
                    "type": "function",
                    "function": {"name": "{name}", "arguments": "{content}"}
                }
            },
            "content": {"close_pattern": "\\s*(?:<\\|over\\|>|<\\|done\\|>)", "content": "text"}
        }
    }))
    .unwrap();
    assert_eq!(*format.turn.end, [Marker::new("<|over|>"), Marker::new("<|done|>")]);
    let text = "<muse>Hm.</muse>So.\n<call>\n<do=weather>\n<arg=city>\n42\n</arg>\n<arg=days>2</arg>\n</do>\n</call><|done|>";
    let reply = parse(&format, text);
    assert_eq!((reply.reasoning(), reply.content()), ("Hm.", "So."));
    assert_eq!(support::calls(&reply), [("weather", "{\"city\": \"42\", \"days\": 2}", true)]);
}

#[test]
fn list_of_calls_with_other_field_names() {
    let format = from(&json!({
        "start_anchor": "<|turn|>",
        "fields": {
            "tool_calls": {
                "open": "<|calls|>",
                "close": "<|/calls|>",
                "content": "json",
                "transform_each": true,
                "transform": {
                    "type": "function",
                    "id": "{call_no}",
                    "function": {"name": "{tool}", "arguments": "{given}"}
                }
            },
            "content": {"open": "<|says|>", "close": ["<|/says|>", "<|over|>"]}
        }
    }))
    .unwrap();
    assert_eq!(format.content.mode, ContentMode::AlwaysWrapped);
    let text = "<|says|>Now.<|/says|><|calls|>[{\"call_no\": \"7\", \"tool\": \"weather\", \"given\": {\"days\": 1}}]<|/calls|>";
    let reply = parse(&format, text);
    assert_eq!(reply.content(), "Now.");
    assert_eq!(support::calls(&reply), [("weather", "{\"days\": 1}", true)]);
    assert_eq!(reply.calls()[0].id, "7");
}

#[test]
fn sequence_of_messages() {
    let format = from(&json!({
        "start_anchor": "<|start|>assistant",
        "fields": {
            "reasoning": {"open": "<|channel|>thoughts<|body|>", "close": "<|end|>"},
            "tool_calls": {
                "open_pattern": "<\\|channel\\|>notes to=functions\\.(?P<name>\\w+).*?<\\|body\\|>",
                "close": "<|call|>",
                "repeats": true,
                "content": "json",
                "transform": {
                    "type": "function",
                    "function": {"name": "{name}", "arguments": "{content}"}
                }
            },
            "content": {"open": "<|channel|>answer<|body|>", "close": ["<|end|>", "<|back|>"]}
        }
    }))
    .unwrap();
    let reply = parse(&format, REPLIES[7]);
    assert_eq!((reply.reasoning(), reply.content()), ("Hm.", "Yes."));
    assert_eq!(support::calls(&parse(&format, REPLIES[8])), [("weather", "{\"days\": 1}", true)]);
}

#[test]
fn ids_namespaces_counts_and_sections_in_patterns() {
    let format = from(&json!({
        "start_anchor": "<|turn|>",
        "fields": {"tool_calls": {
            "open_pattern": "(?:<\\|calls\\|>)?<\\|call\\|>(?:functions\\.)?(?P<name>[\\w.]+):\\d+<\\|args\\|>",
            "close_pattern": "<\\|/call\\|>(?:<\\|/calls\\|>)?",
            "repeats": true,
            "content": "json",
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
        }}
    }))
    .unwrap();
    let text = "<|calls|><|call|>functions.weather:0<|args|>{\"days\": 1}<|/call|><|call|>functions.weather:1<|args|>{}<|/call|><|/calls|>";
    assert_eq!(
        support::calls(&parse(&format, text)),
        [("weather", "{\"days\": 1}", true), ("weather", "{}", true)]
    );

    let format = from(&json!({
        "start_anchor": "<|turn|>",
        "fields": {"tool_calls": {
            "open_pattern": "\\[CALL\\](?P<name>\\w+)\\[ID\\](?P<id>\\w+)\\[ARGS\\]",
            "close": "[/CALL]",
            "repeats": true,
            "content": "json",
            "transform": {
                "type": "function",
                "id": "{id}",
                "function": {"name": "{name}", "arguments": "{content}"}
            }
        }}
    }))
    .unwrap();
    let Some(CallShape::Named(call)) = format.tools.as_ref().map(|tools| &tools.shape) else {
        panic!("a named call");
    };
    assert_eq!(call.id.as_ref().unwrap().position, CallIdPosition::BetweenFuncAndArgs);
    assert_eq!(call.arguments, Arguments::Json);
    let reply = parse(&format, "[CALL]weather[ID]a1[ARGS]{}[/CALL]");
    assert_eq!((&*reply.calls()[0].id, &*reply.calls()[0].arguments), ("a1", "{}"));
}

/// A valid template with one change.
fn with(pointer: &str, value: serde_json::Value) -> serde_json::Value {
    let mut template = json!({
        "start_anchor": "<|turn|>",
        "defaults": {"role": "assistant"},
        "fields": {
            "thinking": {"open": "<muse>", "close": "</muse>"},
            "tool_calls": {
                "open_pattern": "<call>(?P<name>\\w+)<args>",
                "close": "</call>",
                "repeats": true,
                "content": "json",
                "content_args": {},
                "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
            },
            "content": {"close": "<|over|>"}
        }
    });
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = template.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.insert(key.to_owned(), value);
    template
}

#[test]
fn unsupported_part_of_a_template_is_named() {
    let calls = "/fields/tool_calls/";
    for (pointer, value, error) in [
        ("/version", json!(2), "`version`: expected 1, found 2"),
        ("/extra", json!(1), "`extra`: unknown key"),
        (
            "/start_anchor",
            json!(["a", "b"]),
            "`start_anchor`: several strings are not supported here",
        ),
        (
            "/start_anchor_pattern",
            json!("a"),
            "`start_anchor` and `start_anchor_pattern` cannot both be set",
        ),
        ("/defaults/content", json!("Yes."), "`defaults.content`: unsupported value"),
        ("/fields/mood", json!({}), "`fields.mood`: unknown key"),
        ("/fields/reasoning", json!({}), "`fields.reasoning`: the reasoning is specified twice"),
        (
            "/fields/thinking/optional",
            json!(false),
            "`fields.thinking.optional`: required fields are not supported",
        ),
        ("/fields/thinking/opens", json!("<"), "`fields.thinking.opens`: unknown key"),
        (
            "/fields/thinking/open",
            json!(""),
            "`fields.thinking.open`: expected a non-empty string or an array of them",
        ),
        (
            "/fields/thinking/close_pattern",
            json!("a"),
            "`fields.thinking.close` and `fields.thinking.close_pattern` cannot both be set",
        ),
        (
            "/fields/thinking/content",
            json!("int"),
            "`fields.thinking.content`: expected `text`, found `int`",
        ),
        (
            "/fields/thinking/join",
            json!("\n"),
            "`fields.thinking.join`: text between strings is not supported",
        ),
        (
            "/fields/content/repeats",
            json!(true),
            "`fields.content.repeats`: lists of strings are not supported",
        ),
        (
            "/fields/content/transform",
            json!("{content}"),
            "`fields.content.transform`: transforms of strings are not supported",
        ),
        (
            "open_pattern",
            json!("<call>(?P<name>\\w+)(?=<args>)"),
            "`fields.tool_calls.open_pattern`: `(?=<args>)` is not supported",
        ),
        (
            "open_pattern",
            json!("<call>(?P<name>a|b)"),
            "`fields.tool_calls.open_pattern`: the content of the group `name` is not supported",
        ),
        (
            "open_pattern",
            json!("<call>.*?(?P<name>\\w+)<args>"),
            "`fields.tool_calls.open_pattern`: the group `name` is not allowed here",
        ),
        (
            "close",
            json!(["a", "b"]),
            "`fields.tool_calls.close`: alternatives are not allowed here",
        ),
        ("content", json!("kv-lines"), "`fields.tool_calls.content`: unsupported kind `kv-lines`"),
        (
            "content_args",
            json!({"allow_non_json": true}),
            "`fields.tool_calls.content_args.allow_non_json`: unsupported key or value",
        ),
        (
            "content_args",
            json!({"string_delims": [["<", ">"]]}),
            "`fields.tool_calls.content_args.string_delims`: only one token for both sides of a string is supported",
        ),
        (
            "transform",
            json!({"type": "function", "function": "{content}"}),
            "`fields.tool_calls.transform`: only the unchanged name, id and arguments are supported",
        ),
        (
            "transform",
            json!({"kind": "function"}),
            "`fields.tool_calls.transform.kind`: unknown key",
        ),
        (
            "transform_each",
            json!(true),
            "`fields.tool_calls.transform_each`: not supported for calls with a name",
        ),
    ] {
        let pointer =
            if pointer.starts_with('/') { pointer.to_owned() } else { format!("{calls}{pointer}") };
        let expected = format!("response template, {error}");
        assert_eq!(from(&with(&pointer, value)).unwrap_err(), expected);
    }
    let tags = json!({
        "start_anchor": "<|turn|>",
        "fields": {"tool_calls": {
            "open_pattern": "<call>\\s*<do=(?P<name>\\w+)>",
            "close": "</call>",
            "content": "xml-inline",
            "content_args": {"tag_pattern": "<arg=(?P<key>\\w+)>(?P<value>.*?)</arg>"},
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
        }}
    });
    assert_eq!(
        from(&tags).unwrap_err(),
        "response template, `fields.tool_calls.close`: the opener has two parts, but the closer has only one"
    );
    assert_eq!(
        from(&json!([])).unwrap_err(),
        "response template, the template: expected an object"
    );
    let error = ReplyFormat::from_response_template(&"{".into()).unwrap_err().to_string();
    assert!(error.starts_with("the response template is not valid JSON: "), "{error}");
}

proptest! {
    #[test]
    fn written_template_can_be_read(format in formats()) {
        if let Ok(template) = format.to_response_template() {
            let again = ReplyFormat::from_response_template(&template);
            prop_assert!(again.is_ok(), "{:?} of {} from {:?}", again, template, format);
        }
    }

    #[test]
    fn any_pattern_is_read_without_a_panic(pattern in "[(?P<name>)\\[\\]|*+.{0,3}\\\\sw:a^$]{0,30}") {
        let template = with("/fields/tool_calls/open_pattern", pattern.into());
        let _ = from(&template);
    }
}
