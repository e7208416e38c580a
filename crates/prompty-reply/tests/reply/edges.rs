//! The edges of markers: the white space that belongs to them, and where a name or a text begins.

use prompty_reply::ReplyParser;
use prompty_reply::format::{
    Arguments, CallId, CallIdPosition, CallShape, Content, ContentMode, JsonCall, Marker,
    NamePlace, NamedCall, Reasoning, ReplyFormat, Suffix, Tools,
};

use crate::support::{self, calls, read, tools};

/// Named calls with markers around each.
fn named(call: (&'static str, &'static str), suffix: &'static str, id: Option<CallId>) -> Tools {
    let shape = CallShape::Named(NamedCall {
        name: NamePlace::Call,
        prefix: Marker::NONE,
        suffix: Suffix::new(suffix),
        namespace: "".into(),
        id,
        arguments: Arguments::Json,
        close: Marker::NONE,
    });
    Tools::new(shape).with_call(call.0, call.1)
}

fn parser(tools_written: Tools) -> ReplyParser {
    let format = ReplyFormat { tools: Some(tools_written), ..ReplyFormat::plain() };
    ReplyParser::new(format).with_tools(&tools())
}

fn json_on_lines() -> ReplyParser {
    let mut written =
        Tools::new(CallShape::Json(JsonCall::default())).with_call("<call>\n", "\n</call>");
    written.separator = "\n".into();
    parser(written)
}

#[test]
fn separator_of_calls_also_separates_content_from_the_first_call() {
    let call = "<call>\n{\"name\": \"weather\", \"arguments\": {}}\n</call>";
    let reply = read(&json_on_lines(), &format!("One moment.\n{call}\n{call}"));
    assert_eq!((reply.content(), reply.calls().len()), ("One moment.", 2));
    let reply = read(&json_on_lines(), &format!("One moment.\n\n{call}"));
    assert_eq!(reply.content(), "One moment.\n");
}

#[test]
fn white_space_after_a_brace_without_a_call_belongs_to_the_marker() {
    let call = "<call>\n{\"name\": \"weather\", \"arguments\": {}}\n</call>";
    for text in ["{", "[{", "{\n"] {
        let reply = read(&json_on_lines(), &format!("{text}\n{call}"));
        assert_eq!((reply.content(), reply.calls().len()), (text, 1), "{text:?}");
    }
    assert_eq!(read(&json_on_lines(), "{\n and so on").content(), "{\n and so on");
    assert_eq!(read(&json_on_lines(), "{\n").content(), "{\n");
}

#[test]
fn comma_after_the_last_call_is_text() {
    let parser = ReplyParser::new(support::quoted_by_token()).with_tools(&tools());
    let call = "<|call>do:weather{}<call|>";
    let reply = read(&parser, &format!("{call}, they say.<|over|>"));
    assert_eq!((reply.content(), reply.calls().len()), (", they say.", 1));
    let reply = read(&parser, &format!("{call}, {call}"));
    assert_eq!((reply.content(), reply.calls().len()), ("", 2));
}

#[test]
fn id_at_the_end_of_a_call_ends_with_the_call() {
    let id = CallId {
        position: CallIdPosition::PostArgs,
        prefix: Marker::new("<id>"),
        suffix: Marker::NONE,
    };
    let parser = parser(named(("<call>", "</call>"), "<with>", Some(id)));
    let text = "<call>weather<with>{}<id>a1</call><call>weather<with>{\"days\": 2}<id>a2</call>";
    let reply = read(&parser, text);
    assert_eq!(calls(&reply), [("weather", "{}", true), ("weather", "{\"days\": 2}", true)]);
    assert_eq!((&*reply.calls()[0].id, &*reply.calls()[1].id), ("a1", "a2"));
}

#[test]
fn id_may_directly_follow_the_opener_of_a_call() {
    let id = CallId {
        position: CallIdPosition::PreFuncName,
        prefix: Marker::NONE,
        suffix: Marker::new(" as "),
    };
    let parser = parser(named(("<call ", "</call>"), ">", Some(id)));
    let reply = read(&parser, "<call a1 as weather>{\"days\": 2}</call>");
    assert_eq!(calls(&reply), [("weather", "{\"days\": 2}", true)]);
    assert_eq!(reply.calls()[0].id, "a1");
}

/// Content and calls after the same mark. Content has a reserved name.
fn content_and_calls_by_mark() -> ReplyParser {
    let content = Content {
        mode: ContentMode::AlwaysWrapped,
        open: Marker::new(">>>all\n"),
        ..Content::default()
    };
    let tools_written = named((">>>", ""), "\n", None);
    let format = ReplyFormat { content, tools: Some(tools_written), ..ReplyFormat::plain() };
    ReplyParser::new(format)
}

#[test]
fn name_may_begin_with_the_word_of_another_marker() {
    let reply =
        read(&content_and_calls_by_mark(), ">>>all\nWell.>>>all_in\n{\"a\": 1}>>>all\nDone.");
    assert_eq!(calls(&reply), [("all_in", "{\"a\": 1}", true)]);
    assert_eq!(reply.content(), "Well.Done.");
    assert_eq!(read(&content_and_calls_by_mark(), ">>>all").content(), "");
}

#[test]
fn regions_of_a_reply_exclude_its_prompt() {
    let parser = content_and_calls_by_mark().with_prompt_tail(">>>");
    let regions = parser.regions("all\nWell.");
    let text: String = regions.iter().map(|(_, piece)| &**piece).collect();
    assert_eq!(text, "all\nWell.");
    assert_eq!(parser.parse("all\nWell.").content(), "Well.");
}

#[test]
fn content_may_follow_the_white_space_before_reasoning() {
    let mut format = ReplyFormat::plain();
    format.reasoning = Some(Reasoning::tags(" <muse>\n", "\n</muse>\n\n"));
    let parser = ReplyParser::new(format);
    assert_eq!(read(&parser, " Well.").content(), "Well.");
    assert_eq!(read(&parser, "  Well.").content(), " Well.");
    assert_eq!(read(&parser, " <muse>\nHm.\n</muse>\n\nWell.").content(), "Well.");
}

#[test]
fn call_after_a_bracket_that_opens_nothing_is_read() {
    let parser = ReplyParser::new(support::json_bare()).with_tools(&tools());
    let reply = read(&parser, "{ {\"name\": \"weather\", \"parameters\": {\"days\": 2}}");
    assert_eq!(
        (reply.content(), reply.calls().len()),
        ("{ {\"name\": \"weather\", \"parameters\": {\"days\": 2}}", 0)
    );
    let parser = ReplyParser::new(support::python()).with_tools(&tools());
    read(&parser, "[\n  [weather()]");
}

#[test]
fn opener_of_the_reply_is_not_part_of_the_prompt() {
    let parser =
        ReplyParser::new(support::json()).with_tools(&tools()).with_prompt_tail("<call>\n");
    for reply in ["\n<call>\nx", "</call>true<call>>true", "x<call>y</call>"] {
        read(&parser, reply);
    }
}

#[test]
fn closer_beyond_ascii_does_not_split_a_character() {
    let mut format = support::quoted_by_token();
    let shape = format.tools.as_mut().map(|tools| &mut tools.shape);
    if let Some(CallShape::Named(call)) = shape
        && let Arguments::Literal { close, .. } = &mut call.arguments
    {
        *close = "）".into();
    }
    let parser = ReplyParser::new(format).with_tools(&tools());
    let reply = read(&parser, "<|call>do:weather{days:\"2\"）<call|>");
    assert!(reply.calls().iter().all(|call| !call.complete));
    assert_eq!(reply.malformed().len(), 1);
}
