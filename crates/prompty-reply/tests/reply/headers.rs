//! Replies that are sequences of messages with headers.

use prompty_reply::ReplyParser;

use crate::support::{self, calls, read, tools};

fn parser() -> ReplyParser {
    ReplyParser::new(support::message_headers())
        .with_tools(&tools())
        .with_prompt_tail("<|start|>assistant")
}

#[test]
fn header_determines_the_kind_of_the_body() {
    let reply = read(
        &parser(),
        "<|channel|>thoughts<|body|>Hm.<|end|><|start|>assistant<|channel|>answer<|body|>Yes.<|end|>",
    );
    assert_eq!((reply.reasoning(), reply.content()), ("Hm.", "Yes."));
}

#[test]
fn recipient_at_any_position_makes_a_call() {
    for header in [
        " to=functions.weather<|channel|>notes json",
        "<|channel|>notes to=functions.weather <|format|>json",
        "<|channel|>thoughts to=functions.weather",
    ] {
        let reply = read(&parser(), &format!("{header}<|body|>{{\"days\": 1}}<|call|>"));
        assert_eq!(calls(&reply), [("weather", "{\"days\": 1}", true)], "{header}");
    }
}

#[test]
fn recipient_that_is_not_a_tool_leaves_the_body_to_its_channel() {
    let reply = read(&parser(), "<|channel|>notes to=assistant<|channel|>answer<|body|>Yes.");
    assert_eq!(reply.content(), "Yes.");
}

#[test]
fn reply_starts_in_the_header_that_the_turn_opens() {
    let mut format = support::message_headers();
    format.turn.open = "<|start|>assistant".into();
    let reply = read(&ReplyParser::new(format), "<|channel|>answer<|body|>Yes.");
    assert_eq!(reply.content(), "Yes.");
}

#[test]
fn unknown_channel_is_content() {
    let reply = read(&parser(), "<|channel|>notes<|body|>Yes.<|end|>");
    assert_eq!(reply.content(), "Yes.");
}

#[test]
fn text_without_a_header_is_content() {
    assert_eq!(read(&parser(), "Yes, of course.").content(), "Yes, of course.");
}

#[test]
fn header_without_its_opener_is_recognised_by_its_first_token() {
    let text = "<|channel|>thoughts<|body|>Hm.<|end|><|channel|>answer<|body|>42<|end|>";
    let reply = read(&parser(), text);
    assert_eq!((reply.reasoning(), reply.content()), ("Hm.", "42"));
}

#[test]
fn header_without_an_end_loses_no_text() {
    let reply = read(&parser(), "<|channel|>answer It is 42.<|end|>");
    assert_eq!((reply.content(), reply.malformed().len()), (" It is 42.", 0));
    let reply = read(&parser(), "<|channel|>thoughts Hm.");
    assert_eq!((reply.reasoning(), reply.content()), (" Hm.", ""));
    let reply = read(&parser(), " to=functions.weather {\"days\": 2}");
    assert_eq!((reply.content(), reply.malformed().len()), ("", 1));
}

#[test]
fn truncated_known_words_are_markup() {
    let parser =
        ReplyParser::new(support::message_headers()).with_prompt_tail("<|start|>assistant");
    for text in ["<|channel|>answer", "<|channel|>ans", " to="] {
        let reply = read(&parser, text);
        assert_eq!((reply.content(), reply.malformed().len()), ("", 0), "{text}");
    }
}
