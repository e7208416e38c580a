//! Arguments are valid JSON, whatever notation the model writes.

use prompty_core::value::Map;
use prompty_reply::{ReplyOptions, ReplyParser};

use crate::support::{self, calls, read, tools};

fn arguments(written: &str) -> String {
    let parser = ReplyParser::new(support::json()).with_tools(&tools());
    let reply =
        read(&parser, &format!("<call>{{\"name\": \"weather\", \"arguments\": {written}}}</call>"));
    let calls = calls(&reply);
    assert!(calls[0].2, "{written}: {reply:?}");
    calls[0].1.to_owned()
}

#[test]
fn json_is_passed_on_unchanged() {
    for json in
        ["{}", "{ \"a\" : [1, 2.5e3, -0],\n \"b\": {\"c\": null} }", "{\"a\": \"\\u00e9\\n\\\\\"}"]
    {
        assert_eq!(arguments(json), json);
    }
}

#[test]
fn python_literals_become_json() {
    for (python, json) in [
        ("{'a': True, 'b': None}", "{\"a\": true, \"b\": null}"),
        ("{'a': 'it\\'s \"so\"'}", "{\"a\": \"it's \\\"so\\\"\"}"),
        ("{'a': (1, 2,), 'b': [.5,],}", "{\"a\": [1, 2], \"b\": [0.5]}"),
        ("{a: 1, b = 2}", "{\"a\": 1, \"b\" : 2}"),
        ("{'a': '\\x41\\q'}", "{\"a\": \"\\u0041\\\\q\"}"),
    ] {
        assert_eq!(arguments(python), json);
    }
}

#[test]
fn control_characters_in_strings_are_escaped() {
    assert_eq!(arguments("{\"a\": \"two\nlines\t\u{1}\"}"), "{\"a\": \"two\\nlines\\t\\u0001\"}");
}

#[test]
fn fence_around_content_with_a_schema_is_removed() {
    let options = ReplyOptions::default().with_content_schema(Map::new());
    let parser = ReplyParser::new(support::json()).with_options(options);
    for text in [
        "```json\n{\"a\": 1}\n```",
        "```\n{\"a\": 1}\n```\n",
        "{\"a\": 1}",
        "<muse>Hm.</muse>```json\n{\"a\": 1}\n```<|over|>",
    ] {
        assert_eq!(read(&parser, text).content(), "{\"a\": 1}", "{text}");
    }
    let kept = "```a\n`` x\n``` y";
    assert_eq!(read(&parser, kept).content(), "`` x\n``` y");
}

#[test]
fn numbers_keep_all_their_digits() {
    let parser = ReplyParser::new(support::json()).with_tools(&tools());
    let reply = read(
        &parser,
        "<call>{\"name\": \"weather\", \"arguments\": {\"days\": 123456789012345678901234567890}}</call>",
    );
    #[derive(serde::Deserialize)]
    struct Arguments {
        days: i128,
    }
    let arguments: Arguments = reply.calls()[0].arguments_as().expect("they fit");
    assert_eq!(arguments.days, 123_456_789_012_345_678_901_234_567_890);
}

#[test]
fn attributes_after_a_name_are_optional() {
    let text = "<|calls|><|do name=\"weather\"><|arg name=\"days\">2<|/arg|><|/do|><|/calls|>";
    let reply = read(&ReplyParser::new(support::tagged_with_types()).with_tools(&tools()), text);
    assert_eq!(calls(&reply), [("weather", "{\"days\": 2}", true)]);
}

#[test]
fn closing_tag_inside_a_json_string_is_data() {
    let value = "{\"name\": \"</arg>\\n</do></call>\", \"x\": 1e9999}";
    let text = format!("<call><do=weather><arg=place>{value}</arg></do></call>");
    let reply = read(&ReplyParser::new(support::tagged()).with_tools(&tools()), &text);
    let json = format!("{{\"place\": {}}}", value.replace("1e9999", "\"1e9999\""));
    assert_eq!(calls(&reply), [("weather", &*json, true)]);
    // A string that never ends is not a call.
    let text = "<call><do=weather><arg=place>{\"name</arg></do></call>";
    let reply = read(&ReplyParser::new(support::tagged()).with_tools(&tools()), text);
    assert!(!reply.calls()[0].complete);
}

#[test]
fn unclosed_tags_in_a_value_make_the_call_malformed() {
    let parser = ReplyParser::new(support::nested()).with_tools(&tools());
    for value in ["~<x>1", "Bonn ~<x>1~</x>", "~<x>1~</x> Bonn", "~<x>1~</y>"] {
        let text = format!("~<calls>~<do name=\"weather\">~<place>{value}~</place>~</do>~</calls>");
        let reply = read(&parser, &text);
        assert!(reply.calls().iter().all(|call| !call.complete), "{text}: {reply:?}");
        assert_eq!(reply.content(), "", "{text}");
    }
}

#[test]
fn quoted_values_are_unquoted() {
    let parser = ReplyParser::new(support::tagged_with_quotes()).with_tools(&tools());
    let call = |value: &str| format!("<call><do=weather><arg=city>{value}</arg></do></call>");
    for (written, meant) in [
        ("<![CDATA[</arg></do>]]>", "</arg></do>"),
        ("Bonn &amp; K\u{f6}ln &amp;amp;", "Bonn & K\u{f6}ln &amp;"),
        ("&am", "&am"),
    ] {
        let reply = read(&parser, &call(written));
        assert_eq!(calls(&reply), [("weather", &*format!("{{\"city\": \"{meant}\"}}"), true)]);
    }
}
