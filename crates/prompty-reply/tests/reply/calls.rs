//! Calls of every shape, as templates write them and with small deviations.

use prompty_reply::ReplyParser;

use crate::support::{self, calls, read, tools};

fn parser(format: prompty_reply::format::ReplyFormat) -> ReplyParser {
    ReplyParser::new(format).with_tools(&tools())
}

#[test]
fn json_calls_in_tags() {
    let reply = read(
        &parser(support::json()),
        "<muse>\nWarm?\n</muse>\n\nOne moment.\n<call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bonn\"}}\n</call>\n<call>\n{\"arguments\": {\"days\": 2}, \"name\": \"weather\"}</call><|over|>",
    );
    assert_eq!(reply.reasoning(), "Warm?");
    assert_eq!(reply.content(), "One moment.");
    assert_eq!(
        calls(&reply),
        [("weather", "{\"city\": \"Bonn\"}", true), ("weather", "{\"days\": 2}", true)]
    );
}

#[test]
fn json_calls_in_a_list() {
    let reply = read(
        &parser(support::json_list()),
        "Yes.[CALLS][{\"name\": \"weather\", \"arguments\": {}, \"id\": \"a1\"}, {\"id\": \"a2\", \"name\": \"weather\", \"arguments\": {\"tags\": [\"x\", \"]\"]}}][/CALLS]Done.",
    );
    assert_eq!(
        calls(&reply),
        [("weather", "{}", true), ("weather", "{\"tags\": [\"x\", \"]\"]}", true)]
    );
    assert_eq!(reply.calls()[0].id, "a1");
    assert_eq!(reply.calls()[1].id, "a2");
    assert_eq!(reply.content(), "Yes.Done.");
}

#[test]
fn bare_json_call_is_recognised_by_its_tool() {
    let parser = parser(support::json_bare());
    let reply = read(&parser, " {\"name\": \"weather\", \"parameters\": {\"days\": 1}}");
    assert_eq!(calls(&reply), [("weather", "{\"days\": 1}", true)]);
    for text in [
        "{\"name\": \"Ada\", \"age\": 36}",
        "{\"a\": 1}",
        "[1, 2]",
        "{",
        "Look: {\"name\": \"weather\"}",
    ] {
        let reply = read(&parser, text);
        assert_eq!((reply.content(), reply.calls().len()), (text, 0), "{text}");
    }
}

#[test]
fn name_may_be_the_key() {
    let reply = read(
        &parser(support::json_name_is_key()),
        "[CALLS][{\"weather\": {\"city\": \"Bonn\"}}, {\"weather\": {}}][/CALLS]",
    );
    assert_eq!(calls(&reply), [("weather", "{\"city\": \"Bonn\"}", true), ("weather", "{}", true)]);
}

#[test]
fn inner_call_without_its_wrapper_is_a_call() {
    let reply = read(
        &parser(support::tagged()),
        "Well.\n<do=weather>\n<arg=days>\n2\n</arg>\n</do>\n</call>",
    );
    assert_eq!(calls(&reply), [("weather", "{\"days\": 2}", true)]);
    assert_eq!(reply.content().trim(), "Well.");
    let reply =
        read(&parser(support::json()), "{\"name\": \"weather\", \"arguments\": {\"days\": 2}}");
    assert_eq!(calls(&reply), [("weather", "{\"days\": 2}", true)]);
}

#[test]
fn names_ids_and_json_arguments_between_tokens() {
    let reply = read(
        &parser(support::named_json()),
        "[CALL]weather[ID]abc123[ARGS]{\"city\": \"Bonn\"}[CALL]weather[ARGS]{\"days\": 3}",
    );
    assert_eq!(
        calls(&reply),
        [("weather", "{\"city\": \"Bonn\"}", true), ("weather", "{\"days\": 3}", true)]
    );
    assert_eq!(reply.calls()[0].id, "abc123");
}

#[test]
fn tagged_arguments_have_the_types_of_the_schema() {
    let reply = read(
        &parser(support::tagged()),
        "<call>\n<do=weather>\n<arg=city>\n42\n</arg>\n<arg=days>\n2\n</arg>\n<arg=exact>\nTrue\n</arg>\n<arg=tags>\n['a', \"b\"]\n</arg>\n<arg=either>\n2 days\n</arg>\n</do>\n</call>",
    );
    assert_eq!(
        calls(&reply),
        [(
            "weather",
            "{\"city\": \"42\", \"days\": 2, \"exact\": true, \"tags\": [\"a\", \"b\"], \"either\": \"2 days\"}",
            true
        )]
    );
}

#[test]
fn tagged_value_keeps_everything_except_the_lines_of_its_tags() {
    let reply = read(
        &parser(support::tagged()),
        "<call><do=weather><arg=city>\n  two\nlines \"quoted\"\n\n</arg></do></call>",
    );
    assert_eq!(calls(&reply)[0].1, "{\"city\": \"  two\\nlines \\\"quoted\\\"\\n\"}");
}

#[test]
fn markup_gives_the_type_of_a_value() {
    let reply = read(
        &parser(support::tagged_with_types()),
        "<|calls|><|do name=\"weather\" number=\"1\"><|arg name=\"days\" kind=\"text\">2<|/arg|><|arg name=\"city\" kind=\"number\">3<|/arg|><|/do|><|do name=\"weather\" number=\"2\"><|/do|><|/calls|>",
    );
    assert_eq!(
        calls(&reply),
        [("weather", "{\"days\": \"2\", \"city\": 3}", true), ("weather", "{}", true)]
    );
}

#[test]
fn objects_and_lists_as_nested_tags() {
    let reply = read(
        &parser(support::nested()),
        "~<calls>\n~<do name=\"weather\">~<city>Bonn~</city>~<tags>~<item>a~</item>~<item>b~</item>~</tags>~<place>~<x>1.5~</x>~<name>2~</name>~</place>~</do>\n~</calls>",
    );
    assert_eq!(
        calls(&reply),
        [(
            "weather",
            "{\"city\": \"Bonn\", \"tags\": [\"a\", \"b\"], \"place\": {\"x\": 1.5, \"name\": \"2\"}}",
            true
        )]
    );
}

#[test]
fn python_calls() {
    let reply = read(
        &parser(support::python()),
        "So:<|calls|>[weather(city='B\"o\\'nn', exact=True, tags=[\"a\",], either=None), weather()]<|/calls|>",
    );
    assert_eq!(reply.content(), "So:");
    assert_eq!(
        calls(&reply),
        [
            (
                "weather",
                "{\"city\":\"B\\\"o'nn\", \"exact\":true, \"tags\":[\"a\"], \"either\":null}",
                true
            ),
            ("weather", "{}", true)
        ]
    );
}

#[test]
fn strings_between_quoting_tokens() {
    let reply = read(
        &parser(support::quoted_by_token()),
        "<|call>do:weather{city:<|q|>\"Bonn\" <3<|q|>,days:-7,place:{x:1,name:<|q|><|q|>}}<call|><|call>do:weather{}<call|>",
    );
    assert_eq!(
        calls(&reply),
        [
            (
                "weather",
                "{\"city\":\"\\\"Bonn\\\" <3\",\"days\":-7,\"place\":{\"x\":1,\"name\":\"\"}}",
                true
            ),
            ("weather", "{}", true)
        ]
    );
}

#[test]
fn unknown_tool_is_marked() {
    let reply =
        read(&parser(support::json()), "<call>{\"name\": \"fly\", \"arguments\": {}}</call>");
    assert_eq!(calls(&reply), [("fly", "{}", true)]);
    assert!(!reply.calls()[0].known);
}

#[test]
fn call_without_markers_may_follow_text_if_its_tool_is_offered() {
    let parser = parser(support::json_bare());
    let call = "{ \"name\":\n\"weather\", \"parameters\": {\"days\": 2}}";
    let reply = read(&parser, &format!("Let me see. {call}"));
    assert_eq!(
        (reply.content(), calls(&reply)),
        ("Let me see. ", vec![("weather", "{\"days\": 2}", true)])
    );
    for text in [
        "So {\"name\": \"fly\", \"parameters\": {}}",
        "So {\"name\": 1}",
        "So {\"city\": \"weather\"}",
    ] {
        let reply = read(&parser, text);
        assert_eq!((reply.content(), reply.calls().len()), (text, 0));
    }
}

#[test]
fn python_calls_may_follow_text_if_their_tool_is_offered() {
    let parser = parser(support::python());
    let reply = read(&parser, "Let me see.\n[ weather (days=2), weather()] So.");
    assert_eq!(reply.content(), "Let me see.\n So.");
    assert_eq!(calls(&reply), [("weather", "{\"days\":2}", true), ("weather", "{}", true)]);
    let text = "A list: [weather, fly(days=2)] and [fly()]";
    assert_eq!(read(&parser, text).content(), text);
}

#[test]
fn object_in_an_answer_is_not_a_call() {
    let parser = parser(support::json_bare());
    for text in [
        "{\"name\": \"weather\", \"age\": 2}",
        "{\"name\": \"weather\", \"description\": \"x\", \"parameters\": {\"type\": \"object\"}}",
        "The schema is `{\"function\": {\"name\": \"weather\", \"parameters\": {\"type\": \"object\"}}}`.",
        "So [{\"name\": \"weather\", \"parameters\": {}}] is quoted: \"{\"name\": \"weather\", \"parameters\": {}}\"",
    ] {
        let reply = read(&parser, text);
        assert_eq!((reply.content(), reply.calls().len()), (text, 0));
    }
    let without_tools = ReplyParser::new(support::json_bare());
    for text in ["{\"name\": \"Bob\", \"age\": 3}", "{\"name\": \"Bob\"}"] {
        assert_eq!(read(&without_tools, text).content(), text);
    }
}
