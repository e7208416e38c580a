//! The remaining parts of a damaged reply.

use prompty_reply::{FinishReason, Malformation, ReplyParser};

use crate::support::{self, calls, read, read_finished, tools};

fn json() -> ReplyParser {
    ReplyParser::new(support::json()).with_tools(&tools())
}

#[test]
fn complete_call_needs_no_closer() {
    let reply = read(&json(), "<call>{\"name\": \"weather\", \"arguments\": {\"days\": 1}}");
    assert_eq!(calls(&reply), [("weather", "{\"days\": 1}", true)]);
    assert_eq!(reply.malformed().len(), 0);
}

#[test]
fn truncated_call_is_malformed() {
    let text = "Hm.<call>{\"name\": \"weather\", \"arguments\": {\"days\": 1";
    let reply = read(&json(), text);
    assert_eq!(reply.content(), "Hm.");
    assert!(!reply.calls()[0].complete);
    assert_eq!(reply.malformed()[0].reason, Malformation::CutOff);
    assert_eq!(reply.malformed()[0].text, text["Hm.".len()..]);
    let reply = read(&json(), "<call>\n{\"na");
    assert_eq!((reply.content(), reply.calls().len(), reply.malformed().len()), ("", 0, 1));
}

#[test]
fn open_braces_are_closed_at_the_closer() {
    let reply =
        read(&json(), "<call>{\"name\": \"weather\", \"arguments\": {\"place\": {\"x\": 1}</call>");
    assert_eq!(calls(&reply), [("weather", "{\"place\": {\"x\": 1}}", true)]);
    assert!(reply.calls()[0].repaired);
    let reply =
        read(&json(), "<call>{\"name\": \"weather\", \"arguments\": {\"days\": 1}</call>Yes.");
    assert_eq!(calls(&reply), [("weather", "{\"days\": 1}", true)]);
    assert!(reply.calls()[0].repaired);
    assert_eq!(reply.content(), "Yes.");
}

#[test]
fn closer_inside_a_string_is_data() {
    let reply = read(
        &json(),
        "<call>{\"name\": \"weather\", \"arguments\": {\"city\": \"a</call>b\"}}</call>",
    );
    assert_eq!(calls(&reply), [("weather", "{\"city\": \"a</call>b\"}", true)]);
    let tagged = ReplyParser::new(support::tagged()).with_tools(&tools());
    let reply = read(&tagged, "<call><do=weather><arg=city>\na</arg> b\n</arg>\n</do></call>");
    assert_eq!(calls(&reply), [("weather", "{\"city\": \"a</arg> b\"}", true)]);
}

#[test]
fn name_without_arguments_is_a_call_if_none_are_required() {
    let reply = read(&json(), "<call>{\"name\": \"weather\"}</call>");
    assert_eq!(calls(&reply), [("weather", "{}", true)]);
    let reply = read(&json(), "<call>{\"name\": \"locate\"}</call>");
    assert!(!reply.calls()[0].complete);
    assert_eq!(reply.malformed()[0].reason, Malformation::NoArguments);
}

#[test]
fn name_at_the_end_of_a_reply_may_be_a_call() {
    let parser = ReplyParser::new(support::named_json()).with_tools(&tools());
    assert_eq!(calls(&read(&parser, "[CALL]weather")), [("weather", "{}", true)]);
    let cut = read_finished(&parser, "[CALL]weather", FinishReason::Length);
    assert_eq!((cut.calls().len(), cut.malformed().len()), (0, 1));
}

#[test]
fn invalid_json_arguments_are_malformed() {
    let text = "<call>{\"name\": \"weather\", \"arguments\": {\"days\": one two}}</call>";
    let reply = read(&json(), &format!("{text}Sorry."));
    assert!(!reply.calls()[0].complete);
    assert_eq!(reply.malformed()[0].text, text);
    assert_eq!(reply.content(), "Sorry.");
}

#[test]
fn arguments_are_an_object() {
    for arguments in ["[1]", "7", "\"\\\"a\\\"\"", "\"7\""] {
        let text = format!("<call>{{\"name\": \"weather\", \"arguments\": {arguments}}}</call>");
        let reply = read(&json(), &text);
        assert!(!reply.calls()[0].complete, "{text}");
    }
}

#[test]
fn marker_after_a_bracket_opens_calls() {
    let parser = ReplyParser::new(support::json_list()).with_tools(&tools());
    let reply = read(&parser, "[[CALLS][{\"name\": \"weather\", \"arguments\": {}}][/CALLS]");
    assert_eq!((reply.content(), calls(&reply).len()), ("[", 1));
}

#[test]
fn closer_without_a_call_is_malformed_in_all_chunks() {
    let parser = ReplyParser::new(support::json_list()).with_tools(&tools());
    let reply = read(&parser, "[/CALLS] Well.");
    assert_eq!((reply.content(), &*reply.malformed()[0].text), (" Well.", "[/CALLS]"));
    assert_eq!(read(&parser, "[/CAL").content(), "[/CAL");
    let mut format = support::json_bare();
    format.tools = format.tools.map(|tools| tools.with_section("", "{"));
    let parser = ReplyParser::new(format).with_tools(&tools());
    read(&parser, "{\"name\": \"weather\", \"parameters\": {}}");
    read(&parser, "{{ {\"name\"");
}

#[test]
fn doubly_encoded_arguments_are_decoded() {
    let reply = read(
        &json(),
        r#"<call>{"name": "weather", "arguments": "{\"city\": \"B\\u00f6nn \\\"x\\\"\"}"}</call>"#,
    );
    assert_eq!(calls(&reply), [("weather", r#"{"city": "B\u00f6nn \"x\""}"#, true)]);
}

#[test]
fn markup_that_prose_mentions_is_malformed_alone() {
    let reply = read(&json(), "Write <call> first. Then `</call>`.");
    assert_eq!(reply.content(), "Write first. Then ``.");
    let malformed: Vec<_> = reply.malformed().iter().map(|it| &*it.text).collect();
    assert_eq!(malformed, ["<call> ", "</call>"]);
    for (text, content) in [
        ("The \"<call>\" tag: it is special.", "The \"\" tag: it is special."),
        ("**<call>** and so on", "**** and so on"),
        ("<call>: the tag\nand more", ": the tag\nand more"),
        ("```xml\n<call>\n```\nEnd.", "```xml```\nEnd."),
    ] {
        assert_eq!(read(&json(), text).content(), content);
    }
    let parser = ReplyParser::new(support::named_json()).with_tools(&tools());
    for text in ["I use [CALL] for that.", "Ends in [CALL] weather", "Calls begin with [CALL]g"] {
        let reply = read(&parser, text);
        assert_eq!(reply.calls().len(), 0, "{reply:?}");
    }
}

#[test]
fn opener_with_a_damaged_call_is_malformed_up_to_the_closer() {
    for text in
        ["<call>[\"x\"]</call>", "<call>name: weather</call>", "<call></call>", "<call>{\"x"]
    {
        let reply = read(&json(), &format!("Well.{text}"));
        assert_eq!((reply.content(), &*reply.malformed()[0].text), ("Well.", text));
    }
}

#[test]
fn lone_opener_that_is_a_token_is_malformed() {
    let parser = ReplyParser::new(support::quoted_by_token()).with_tools(&tools());
    let reply = read(&parser, "So <|call> what?");
    assert_eq!(reply.content(), "So what?");
    assert_eq!(reply.malformed()[0].reason, Malformation::NoCall);
}

#[test]
fn text_after_the_last_call_is_content() {
    let reply =
        read(&json(), "<call>{\"name\": \"weather\", \"arguments\": {}}</call>\nThat is all.");
    assert_eq!(reply.content().trim(), "That is all.");
}

#[test]
fn stop_string_may_be_the_closer() {
    let parser = ReplyParser::new(support::tagged()).with_tools(&tools());
    let text = "<call><do=weather><arg=days>\n2\n</arg>\n";
    let reply = read_finished(&parser, text, FinishReason::Stop);
    assert_eq!(calls(&reply), [("weather", "{\"days\": 2}", true)]);
    assert!(!read_finished(&parser, text, FinishReason::Length).calls()[0].complete);
}

#[test]
fn name_in_a_list_without_a_call_is_malformed() {
    let parser = ReplyParser::new(support::python()).with_tools(&tools());
    let reply = read_finished(&parser, "<|calls|>[weather(), w\n</p> x", FinishReason::Length);
    assert_eq!(calls(&reply), [("weather", "{}", true)]);
    assert_eq!(reply.malformed()[0].text, "w\n</p> x");
}

/// Checks that no call of a reply is complete, and that a part is malformed.
fn assert_malformed(parser: &ReplyParser, text: &str) {
    let reply = read(parser, text);
    assert!(reply.calls().iter().all(|call| !call.complete), "{text}: {reply:?}");
    assert!(!reply.malformed().is_empty(), "{text}: {reply:?}");
}

#[test]
fn damaged_end_of_a_value_does_not_extend_the_value() {
    let parser = ReplyParser::new(support::tagged()).with_tools(&tools());
    for inside in [
        "<arg=city>\nBonn\n</ar>\n<arg=days>\n2\n</arg>\n</do>",
        "<arg=city>\nBonn\n</arg>\n</od>\n</call><call>\n<do=weather>\n</do>",
        "<arg=tags>\n[\"a\"]\n</arg>\n<agr=city>\nBonn\n</arg>\n</do>",
    ] {
        assert_malformed(&parser, &format!("<call>\n<do=weather>\n{inside}\n</call>"));
    }
    // Markup that is not damage is data.
    let text = "<call>\n<do=weather>\n<arg=city>\n<arg=size> and </arg> it\n</arg>\n</do>\n</call>";
    let reply = read(&parser, text);
    assert_eq!(calls(&reply), [("weather", "{\"city\": \"<arg=size> and </arg> it\"}", true)]);
}

#[test]
fn damaged_key_or_word_does_not_swallow_the_following_text() {
    let parser = ReplyParser::new(support::tagged()).with_tools(&tools());
    for key in ["=days>", "\"days\">", "days x=\"1\">", "days\n2\n</arg>\n<arg=city>"] {
        let text = format!("<call>\n<do=weather>\n<arg={key}\n2\n</arg>\n</do>\n</call>");
        assert_malformed(&parser, &text);
    }
    let parser = ReplyParser::new(support::tagged_with_types()).with_tools(&tools());
    let text = "<|calls|><|do name=\"weather\"><|arg name=\"city\" kind=\"text\"Bonn<|/arg|>\
        <|arg name=\"days\" kind=\"number\">2<|/arg|><|/do|><|/calls|>";
    assert_malformed(&parser, text);
}

#[test]
fn arguments_after_a_superfluous_bracket_are_not_lost() {
    for text in [
        "<call>{\"name\": \"weather\", \"arguments\": {\"place\": {\"x\": 1}}}, \"days\": 2}}</call>",
        "<call>{\"name\": \"weather\", \" arguments\": {\"days\": 2}}</call>",
        "<call>{\"name\": \" weather\", \"arguments\": {\"days\": 2}}</call>",
    ] {
        assert_malformed(&json(), text);
    }
    let parser = ReplyParser::new(support::quoted_by_token()).with_tools(&tools());
    assert_malformed(&parser, "<|call>do:weather{place:{x:1}},days:2}<call|>");
    assert_malformed(&parser, "<|call>d:weather{days:2}<call|>");
    let parser = ReplyParser::new(support::tagged()).with_tools(&tools());
    assert_malformed(&parser, "<call>\n<do=weather>\n{<arg=days>\n2\n</arg>\n</do>\n</call>");
}

#[test]
fn truncated_object_is_not_a_string_if_the_schema_wants_an_object() {
    let parser = ReplyParser::new(support::tagged()).with_tools(&tools());
    let text =
        |value| format!("<call>\n<do=weather>\n<arg=place>\n{value}\n</arg>\n</do>\n</call>");
    assert_malformed(&parser, &text("{\"x\": 1"));
    assert_malformed(&parser, &text("{\"x\": 1}\n</arg>\n<arg=days>\n"));
}

#[test]
fn text_after_the_call_in_a_message_is_not_content() {
    let parser = ReplyParser::new(support::message_headers())
        .with_tools(&tools())
        .with_prompt_tail("<|start|>assistant");
    for after in [" and so on", "<b>so</b>", "[1]", "{\"days\": 3}"] {
        let text = format!(" to=functions.weather<|body|>{{\"days\": 2}}{after}<|call|>");
        assert_malformed(&parser, &text);
        assert_eq!(read(&parser, &text).content(), "");
    }
}
