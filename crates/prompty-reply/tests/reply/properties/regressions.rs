//! Texts that the property tests found. Each of them once gave a different reply in chunks, lost a
//! byte, or gave a call that is not one.

use prompty_reply::format::{Arguments, CallShape, Marker, NamePlace, Reasoning, Suffix};
use prompty_reply::{Event, FinishReason, Reply, ReplyOptions, ReplyParser};

use super::{cases, reply_checks};

/// Reads a text in the format of this name, in one chunk and in many ways to split it.
fn read(format: &str, tail: &str, text: &str) -> Reply {
    let cases = cases();
    let case = cases.iter().find(|case| case.name == format).expect("a format of that name");
    let parser = case.parser(true, ReplyOptions::default(), tail);
    reply_checks::check(&parser, text, &[1, 7, 3], FinishReason::End)
}

#[test]
fn text_after_a_name_waits_until_it_is_decided() {
    read("nested", "<muse>\n", "~<do name=\"~<calls>\n");
    read("named_json", "", "[CALL]weather[ARGS][ARGS]<|over|>");
}

#[test]
fn white_space_before_markup_keeps_its_order() {
    read("python", "", "<muse>x</muse>\n\n<|/calls|>a");
    read("json_list", "", "<muse>x</muse>\n\n[CALLS][{\"a\": 1}][/CALLS]");
}

#[test]
fn empty_name_as_key_is_not_a_call() {
    let reply = read("json_name_is_key", "", "[CALLS][{\"\": {}}][/CALLS]");
    assert!(reply.calls().is_empty());
    assert_eq!(reply.malformed().len(), 1);
}

#[test]
fn marker_inside_a_string_without_arguments_is_data() {
    let text = "<call>{\"name\": \"weather\", \"arguments\": \"{a: b\n<call>\"}</call>Yes.";
    let reply = read("json", "", text);
    assert_eq!((reply.malformed().len(), reply.content()), (1, "Yes."));
}

#[test]
fn lone_surrogate_escape_is_replaced() {
    let arguments = |written: &str| {
        let text = format!(
            "<call>{{\"name\": \"weather\", \"arguments\": {{\"a\": \"{written}\"}}}}</call>"
        );
        read("json", "", &text).calls()[0].arguments.clone()
    };
    assert_eq!(arguments("\\ud83d"), "{\"a\": \"\\ufffd\"}");
    assert_eq!(arguments("\\ude00x"), "{\"a\": \"\\ufffdx\"}");
    assert_eq!(arguments("\\ud83d\\u0041"), "{\"a\": \"\\ufffd\\u0041\"}");
    assert_eq!(arguments("\\ud83d\\ud83d\\ude00"), "{\"a\": \"\\ufffd\\ud83d\\ude00\"}");
}

#[test]
fn first_arguments_of_a_call_count() {
    let text =
        "<call>{\"name\": \"weather\", \"arguments\": {\"days\": 1}, \"arguments\": {}}</call>";
    assert_eq!(read("json", "", text).calls()[0].arguments, "{\"days\": 1}");
}

#[test]
fn overlong_markup_does_not_depend_on_chunks() {
    let (word, space) = ("a".repeat(600), " ".repeat(70));
    read("tagged_with_types", "", &format!("<|do name=\"{word}<muse>"));
    read("tagged_with_types", "", &format!("<|do name=\"weather\" number=\"{word}\">"));
    read("tagged", "", &format!("<do=weather><arg={word}>1</arg></do>"));
    read("tagged", "", &format!("<do=weather><arg=city>1</arg>{space}x</arg></do>"));
    read("named_json", "", &format!("[CALL]weather[ARGS]{{{word}: 1, \"days\": {word}}}"));
    read("json", "", &format!("<call>{{\"{word}{word}\": 1, \"name\": \"weather\"}}</call>"));
    read("json", "", &format!("<call>{{\"name\": \"{word}{word}\", \"arguments\": {{}}}}</call>"));
    read("headed", "<|start|>assistant", &format!("<|end|>{word}{word}<|body|>a"));
}

#[test]
fn white_space_before_rejected_text_keeps_its_order() {
    read("json_bare", "", "<|over|>\n{\"arguments\": {PLAIN<|over|>\n");
}

#[test]
fn value_that_is_not_a_name_is_part_of_the_malformed_text() {
    read("json_list", "", "[CALLS][{\"name\":[CALLS][{\"name\":\"weat");
}

#[test]
fn header_with_a_recipient_is_content_without_tools() {
    let mut format = crate::support::message_headers();
    format.tools = None;
    let parser = ReplyParser::new(format).with_prompt_tail("<|start|>assistant");
    let text = " to=functions.weather<|body|>Yes.<|end|>";
    let reply = reply_checks::check(&parser, text, &[1, 7, 3], FinishReason::End);
    assert_eq!(reply.content(), "Yes.");
}

#[test]
fn text_far_after_a_fence_is_content() {
    let case = cases().remove(0);
    let options = ReplyOptions::default().with_content_schema(prompty_core::value::Map::new());
    let parser = case.parser(true, options, "");
    let read = |space: usize| {
        let text = format!("```json\n{{}}\n```{}", " ".repeat(space));
        reply_checks::check(&parser, &text, &[1, 7, 64], FinishReason::End).content().to_owned()
    };
    assert_eq!(read(64), "{}");
    assert_eq!(read(65), format!("{{}}\n```{}", " ".repeat(65)));
}

#[test]
fn unicode_white_space_is_split_between_characters() {
    // Characters that differ only in their last byte, around markers of all kinds.
    let (wide, narrow) = ("\u{2003}", "\u{2002}");
    let mut format = crate::support::tagged();
    format.reasoning =
        Some(Reasoning::tags(format!("<muse>{wide}"), format!("{wide}</muse>{wide}")));
    format.turn.end = vec![Marker::new(format!("{wide}<|over|>"))].into();
    if let Some(CallShape::Named(call)) = format.tools.as_mut().map(|tools| &mut tools.shape) {
        call.arguments = Arguments::Tagged {
            key_open: Marker::new("<arg="),
            key_close: Suffix::new(format!(">{wide}")),
            value_close: Marker::new(format!("{wide}</arg>")),
            separator: "".into(),
            quoting: Default::default(),
        };
    }
    let parser = ReplyParser::new(format);
    for text in [
        format!("<muse>{narrow}a{narrow}</muse>{narrow}b{narrow}<|over|>"),
        format!("a{narrow}<|over|>"),
        format!("a{narrow}<|ov"),
        format!("<do=weather><arg=city>{narrow}Bonn{narrow}</arg></do>"),
    ] {
        reply_checks::check(&parser, &text, &[1, 7, 3], FinishReason::End);
    }
    let reply = parser.parse(&format!("<muse>{narrow}a{wide}</muse>{wide}b"));
    assert_eq!((reply.reasoning(), reply.content()), (&*format!("{narrow}a"), "b"));
}

#[test]
fn prompt_text_that_is_not_a_marker_is_not_part_of_the_reply() {
    let reply = read("json", "Is 1 <cal", " 2?");
    assert_eq!(reply.content(), " 2?");
    let reply = read("json", "<call>\n", "I do not call.");
    assert_eq!(reply.content(), "I do not call.");

    let case = cases().remove(0);
    let options = ReplyOptions::default().with_prepend_continued(true);
    let parser = case.parser(true, options, "Is 1 <cal");
    let reply = reply_checks::check(&parser, " 2?", &[1], FinishReason::End);
    assert_eq!(reply.content(), "Is 1 <cal 2?");

    let options = ReplyOptions::default().with_content_schema(prompty_core::value::Map::new());
    let parser = case.parser(true, options, "```js");
    let reply = reply_checks::check(&parser, "on\n{}\n```", &[1], FinishReason::End);
    assert_eq!(reply.content(), "{}");
    let reply = reply_checks::check(&parser, "on", &[1], FinishReason::End);
    assert_eq!(reply.content(), "on");
}

#[test]
fn call_that_the_prompt_began_belongs_to_the_reply() {
    let tail = "<call>{\"name\": \"weather\", \"arguments\": {\"city\":";
    let reply = read("json", tail, " \"Bonn\"}}</call>");
    assert_eq!(reply.calls().len(), 1);
    assert_eq!(reply.calls()[0].arguments, "{\"city\": \"Bonn\"}");
    assert!(reply.calls()[0].complete);
}

#[test]
fn calls_of_the_prompt_do_not_belong_to_the_reply() {
    let call = "<call>{\"name\": \"weather\", \"arguments\": {}}</call>";
    let case = cases().remove(0);
    let options = ReplyOptions::default().with_prepend_continued(true);
    let parser = case.parser(true, options, call);
    let reply = reply_checks::check(&parser, &format!("\n{call}"), &[1, 5], FinishReason::End);
    assert_eq!(reply.calls().len(), 1);
    let mut stream = parser.stream();
    let mut indices = Vec::new();
    for event in stream.push(call) {
        if let Event::CallStarted { index, .. } = event {
            indices.push(index);
        }
    }
    assert_eq!(indices, [0]);
}

#[test]
fn reasoning_in_content_that_the_prompt_began_follows_its_opener() {
    let case = cases().remove(0);
    let options =
        ReplyOptions::default().with_reasoning_in_content(true).with_prepend_continued(true);
    let parser = case.parser(true, options, "<muse>\nI thi");
    let reply = reply_checks::check(&parser, "nk.\n</muse>\n\nYes.", &[1, 5], FinishReason::End);
    let options = parser.options().clone();
    let complete = case.parser(true, options, "").parse("<muse>\nI think.\n</muse>\n\nYes.");
    assert_eq!(reply.content(), complete.content());
    assert!(reply.content().starts_with("<muse>\nI think."));
}

#[test]
fn mark_of_white_space_matches_nothing() {
    let mut format = crate::support::json();
    let white = Marker { before: "a".into(), text: "\n".into(), after: "b".into() };
    assert!(white.is_none());
    if let Some(tools) = &mut format.tools {
        tools.section_open = white;
    }
    let parser = ReplyParser::new(format);
    let reply = reply_checks::check(&parser, "x}a\nb:\\", &[1, 2], FinishReason::End);
    assert_eq!(reply.content(), "x}a\nb:\\");
}

#[test]
fn id_that_is_only_a_count_names_no_tool() {
    let mut format = crate::support::named_json();
    if let Some(CallShape::Named(call)) = format.tools.as_mut().map(|tools| &mut tools.shape) {
        call.name = NamePlace::Id;
    }
    let parser = ReplyParser::new(format);
    let reply =
        reply_checks::check(&parser, "[CALL]:0[ARGS]{}<|over|>", &[1, 7, 3], FinishReason::End);
    assert_eq!((reply.calls().len(), reply.malformed().len()), (0, 1));
}

#[test]
fn string_with_its_closer_and_another_opener_has_a_damaged_end() {
    for (text, is_complete) in [
        ("</arg>", true),
        ("</arg> a", true),
        ("a <|do name=\"", true),
        ("</arg><|do name=\"<call>", false),
        ("</arg> a <do=weather>", false),
        ("</arg> a <arg=b", false),
    ] {
        let call = format!("<do=weather>\n<arg=city>\n{text}\n</arg>\n</do>");
        let reply = read("tagged", "", &call);
        let counts = (reply.calls().len(), reply.malformed().len());
        assert_eq!(counts, if is_complete { (1, 0) } else { (1, 1) }, "{text:?}");
    }
}
