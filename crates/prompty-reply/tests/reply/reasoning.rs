//! The start and the end of reasoning.

use prompty_reply::{CallsInReasoning, ReplyOptions, ReplyParser};

use crate::support::{self, calls, read, tools};

fn parser() -> ReplyParser {
    ReplyParser::new(support::json()).with_tools(&tools())
}

const CALL: &str = "<call>\n{\"name\": \"weather\", \"arguments\": {}}\n</call>";

#[test]
fn reply_after_an_open_prompt_starts_in_reasoning() {
    let reply = read(&parser().with_prompt_tail("<muse>\n"), "Hm.\n</muse>\n\nYes.");
    assert_eq!((reply.reasoning(), reply.content()), ("Hm.", "Yes."));
}

#[test]
fn reasoning_that_never_closes_is_reasoning() {
    let reply = read(&parser().with_prompt_tail("<muse>\n"), "Hm, what");
    assert_eq!((reply.reasoning(), reply.content()), ("Hm, what", ""));
}

#[test]
fn empty_reasoning_is_dropped() {
    let reply = read(&parser(), "<muse>\n\n</muse>\n\nYes.");
    assert_eq!((reply.reasoning(), reply.content()), ("", "Yes."));
}

#[test]
fn call_ends_reasoning_that_the_prompt_opened() {
    let reply = read(&parser().with_prompt_tail("<muse>\n"), &format!("Hm.\n{CALL}"));
    assert_eq!((reply.reasoning(), calls(&reply).len()), ("Hm.", 1));
}

#[test]
fn call_in_reasoning_that_the_model_opened_is_text() {
    let reply = read(&parser(), &format!("<muse>Say {CALL} perhaps</muse>Yes."));
    assert_eq!(reply.reasoning(), format!("Say {CALL} perhaps"));
    assert_eq!(reply.calls().len(), 0);
}

#[test]
fn option_decides_about_calls_in_reasoning() {
    let text = format!("<muse>Hm.{CALL}");
    let options = ReplyOptions::default().with_calls_in_reasoning(CallsInReasoning::End);
    assert_eq!(read(&parser().with_options(options), &text).calls().len(), 1);
    let options = ReplyOptions::default().with_calls_in_reasoning(CallsInReasoning::Text);
    let parser_after_prompt = parser().with_options(options).with_prompt_tail("<muse>\n");
    assert_eq!(read(&parser_after_prompt, &format!("Hm.{CALL}")).calls().len(), 0);
}

#[test]
fn lone_closer_at_the_start_means_no_reasoning() {
    let reply = read(&parser(), "</muse>\n\nYes.");
    assert_eq!((reply.reasoning(), reply.content()), ("", "Yes."));
}

#[test]
fn lone_closer_inside_content_is_text() {
    let reply = read(&parser(), "The tag </muse> closes it.");
    assert_eq!(reply.content(), "The tag </muse> closes it.");
}

#[test]
fn text_that_ends_like_a_marker_is_text() {
    for text in ["Is 1 <", "Is 1 <mus", "a\n", "<", "\n\n"] {
        assert_eq!(read(&parser(), text).content(), text.trim_start_matches('\n'), "{text:?}");
    }
}

#[test]
fn reasoning_can_stay_in_the_content() {
    let options = ReplyOptions::default().with_reasoning_in_content(true);
    let parser = parser().with_options(options);
    let reply = read(&parser, "<muse>\nHm.\n</muse>\n\nYes.");
    assert_eq!((reply.reasoning(), reply.content()), ("", "<muse>\nHm.\n</muse>\n\nYes."));
    let reply = read(&parser.with_prompt_tail("<muse>\n"), "Hm.\n</muse>\n\nYes.");
    assert_eq!(reply.content(), "<muse>Hm.\n</muse>\n\nYes.");
}

#[test]
fn continued_message_comes_first_with_the_option() {
    let tail = "<muse>\nHm.\n</muse>\n\nHello, ";
    let options = ReplyOptions::default().with_prepend_continued(true);
    let reply = read(&parser().with_options(options).with_prompt_tail(tail), "world!");
    assert_eq!((reply.reasoning(), reply.content()), ("Hm.", "Hello, world!"));
    assert_eq!(read(&parser().with_prompt_tail(tail), "world!").content(), "world!");
}

#[test]
fn nothing_is_read_after_the_first_call_with_the_option() {
    let options = ReplyOptions::default().with_stop_at_first_call(true);
    let reply = read(&parser().with_options(options), &format!("{CALL}\n{CALL}More."));
    assert_eq!((reply.calls().len(), reply.content()), (1, ""));
}
