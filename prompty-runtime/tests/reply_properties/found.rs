//! Texts that the properties found: each was once read differently when it came in pieces, or lost a
//! byte, or gave a call that is none.

use prompty_runtime::reply::{FinishReason, Reply, ReplyOptions};

use crate::{cases, held};

/// Reads a text in a format, by its name, whole and in all pieces.
fn read(format: &str, tail: &str, text: &str) -> Reply {
    let cases = cases();
    let case = cases.iter().find(|case| case.name == format).expect("a format of that name");
    let parser = case.parser(true, ReplyOptions::default(), tail);
    held::check(&parser, text, &[1, 7, 3], FinishReason::End)
}

#[test]
fn what_stands_behind_a_name_waits_until_it_can_be_told() {
    read("nested", "<muse>\n", "~<do name=\"~<calls>\n");
    read("named_json", "", "[CALL]weather[ARGS][ARGS]<|over|>");
}

#[test]
fn white_space_in_front_of_markup_comes_before_it() {
    read("python", "", "<muse>x</muse>\n\n<|/calls|>a");
    read("json_list", "", "<muse>x</muse>\n\n[CALLS][{\"a\": 1}][/CALLS]");
}

#[test]
fn a_key_without_a_name_is_no_call() {
    let reply = read("json_name_is_key", "", "[CALLS][{\"\": {}}][/CALLS]");
    assert!(reply.calls().is_empty());
    assert_eq!(reply.malformed().len(), 1);
}

#[test]
fn a_marker_inside_a_text_that_holds_no_arguments_is_data() {
    let text = "<call>{\"name\": \"weather\", \"arguments\": \"{a: b\n<call>\"}</call>Yes.";
    let reply = read("json", "", text);
    assert_eq!((reply.malformed().len(), reply.content()), (1, "Yes."));
}

#[test]
fn half_a_character_in_an_escape_is_none() {
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
fn the_first_arguments_of_a_call_count() {
    let text =
        "<call>{\"name\": \"weather\", \"arguments\": {\"days\": 1}, \"arguments\": {}}</call>";
    assert_eq!(read("json", "", text).calls()[0].arguments, "{\"days\": 1}");
}

#[test]
fn what_is_too_long_for_markup_is_so_however_it_is_cut() {
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
fn white_space_in_front_of_what_is_no_call_comes_before_it() {
    read("json_bare", "", "<|over|>\n{\"arguments\": {PLAIN<|over|>\n");
}

#[test]
fn a_value_that_is_no_name_is_part_of_the_malformed_text() {
    read("json_list", "", "[CALLS][{\"name\":[CALLS][{\"name\":\"weat");
}

#[test]
fn a_header_with_a_recipient_is_content_where_there_are_no_tools() {
    let mut format = crate::support::headed();
    format.tools = None;
    let parser = prompty_runtime::reply::ReplyParser::new(format).behind("<|start|>assistant");
    let text = " to=functions.weather<|body|>Yes.<|end|>";
    let reply = held::check(&parser, text, &[1, 7, 3], FinishReason::End);
    assert_eq!(reply.content(), "Yes.");
}

#[test]
fn what_stands_far_behind_a_fence_is_content() {
    let case = cases().remove(0);
    let options = ReplyOptions::default().with_content_schema(prompty_runtime::value::Map::new());
    let parser = case.parser(true, options, "");
    let read = |space: usize| {
        let text = format!("```json\n{{}}\n```{}", " ".repeat(space));
        held::check(&parser, &text, &[1, 7, 64], FinishReason::End).content().to_owned()
    };
    assert_eq!(read(64), "{}");
    assert_eq!(read(65), format!("{{}}\n```{}", " ".repeat(65)));
}
