//! Formats of each kind with invented markers, and a reader that checks every way to split a reply.

use prompty_core::message::ToolSpec;
use prompty_core::value::Value;
use prompty_reply::format::{
    Arguments, CallId, CallIdPosition, CallShape, Escape, Headers, Hint, JsonCall, Marker,
    NamePlace, NamedCall, Quoting, Reasoning, ReplyFormat, Suffix, Tools,
};
use prompty_reply::{FinishReason, Reply, ReplyParser};

/// Reads a reply in one chunk, split in two at every position, and by characters. All results must
/// be equal, and no byte may be lost.
pub(crate) fn read(parser: &ReplyParser, text: &str) -> Reply {
    read_finished(parser, text, FinishReason::End)
}

pub(crate) fn read_finished(parser: &ReplyParser, text: &str, reason: FinishReason) -> Reply {
    let complete = parser.parse_finished(text, reason);
    let regions = parser.regions(text);
    let again: String = regions.iter().map(|(_, piece)| piece.as_str()).collect();
    assert_eq!(again, text, "every byte is in one channel: {regions:?}");
    for (at, _) in text.char_indices() {
        let (left, right) = text.split_at(at);
        assert_eq!(
            read_chunks(parser, [left, right], reason),
            complete,
            "split at {at}: {left:?} {right:?}"
        );
    }
    let mut buffer = [0; 4];
    let mut stream = parser.stream();
    let mut reply = Reply::default();
    for character in text.chars() {
        stream.push(character.encode_utf8(&mut buffer)).for_each(|event| reply.add(event));
    }
    stream.finish(reason).for_each(|event| reply.add(event));
    assert_eq!(reply, complete, "by characters");
    complete
}

fn read_chunks(parser: &ReplyParser, chunks: [&str; 2], reason: FinishReason) -> Reply {
    let mut stream = parser.stream();
    let mut reply = Reply::default();
    for chunk in chunks {
        stream.push(chunk).for_each(|event| reply.add(event));
    }
    stream.finish(reason).for_each(|event| reply.add(event));
    reply
}

/// The calls of a reply as name, arguments and completeness.
pub(crate) fn calls(reply: &Reply) -> Vec<(&str, &str, bool)> {
    reply.calls().iter().map(|call| (&*call.name, &*call.arguments, call.complete)).collect()
}

/// Tools with arguments of every type.
pub(crate) fn tools() -> Vec<ToolSpec> {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "exact": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "place": {"type": "object", "properties": {"x": {"type": "number"}, "name": {"type": "string"}}},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "integer"}]},
        },
    });
    let demanding = serde_json::json!({
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
    });
    [("weather", schema), ("locate", demanding)]
        .into_iter()
        .map(|(name, schema)| {
            let schema = Value::from_serialize(&schema).expect("JSON is a value");
            ToolSpec::new(name, schema.as_object().expect("an object").clone())
        })
        .collect()
}

fn with_reasoning() -> ReplyFormat {
    let mut format = ReplyFormat::plain();
    format.reasoning = Some(Reasoning::tags("<muse>\n", "\n</muse>\n\n"));
    format.turn.end = vec![Marker::new("<|over|>\n")].into();
    format
}

/// Reasoning, and calls as JSON objects in tags.
pub(crate) fn json() -> ReplyFormat {
    let mut format = with_reasoning();
    format.tools =
        Some(Tools::new(CallShape::Json(JsonCall::default())).with_call("\n<call>\n", "\n</call>"));
    format
}

/// Calls as JSON objects in a list, with markers around all of them.
pub(crate) fn json_list() -> ReplyFormat {
    let mut format = with_reasoning();
    let call = JsonCall { id_field: "id".into(), ..JsonCall::default() };
    let mut tools = Tools::new(CallShape::Json(call)).with_section("[CALLS]", "[/CALLS]");
    tools.array = true;
    format.tools = Some(tools);
    format
}

/// Calls as JSON objects without markers.
pub(crate) fn json_bare() -> ReplyFormat {
    let mut format = with_reasoning();
    format.tools = Some(Tools::new(CallShape::Json(JsonCall {
        args_field: "parameters".into(),
        ..JsonCall::default()
    })));
    format
}

/// Calls whose only key is the name.
pub(crate) fn json_name_is_key() -> ReplyFormat {
    let mut format = json_list();
    let call = JsonCall { name_is_key: true, ..JsonCall::default() };
    format.tools = format.tools.map(|tools| Tools { shape: CallShape::Json(call), ..tools });
    format
}

fn named(
    prefix: &'static str,
    suffix: &'static str,
    arguments: Arguments,
    close: &'static str,
) -> CallShape {
    CallShape::Named(NamedCall {
        name: NamePlace::Call,
        prefix: Marker::new(prefix),
        suffix: Suffix::new(suffix),
        namespace: "".into(),
        id: None,
        arguments,
        close: Marker::new(close),
    })
}

/// A name, an id and JSON arguments, with tokens between them and no closer.
pub(crate) fn named_json() -> ReplyFormat {
    let mut format = with_reasoning();
    let CallShape::Named(call) = named("[CALL]", "[ARGS]", Arguments::Json, "") else {
        unreachable!()
    };
    let id = CallId {
        position: CallIdPosition::BetweenFuncAndArgs,
        prefix: Marker::new("[ID]"),
        suffix: Marker::new("[ARGS]"),
    };
    format.tools = Some(Tools::new(CallShape::Named(NamedCall { id: Some(id), ..call })));
    format
}

/// Tagged arguments whose opening tags contain the key, on separate lines.
pub(crate) fn tagged() -> ReplyFormat {
    tagged_with(Quoting::NONE)
}

/// Tagged arguments with quotes around a string with a tag in it, and `&` written as `&amp;`.
pub(crate) fn tagged_with_quotes() -> ReplyFormat {
    tagged_with(Quoting {
        open: "<![CDATA[".into(),
        close: "]]>".into(),
        escapes: vec![Escape { written: "&amp;".into(), meant: "&".into() }].into(),
    })
}

fn tagged_with(quoting: Quoting) -> ReplyFormat {
    let mut format = with_reasoning();
    let arguments = Arguments::Tagged {
        key_open: Marker::new("<arg="),
        key_close: Suffix::new(">\n"),
        value_close: Marker::new("\n</arg>\n"),
        separator: "".into(),
        quoting,
    };
    format.tools = Some(
        Tools::new(named("<do=", ">\n", arguments, "</do>\n")).with_call("<call>\n", "</call>"),
    );
    format
}

/// Tagged arguments with type hints.
pub(crate) fn tagged_with_types() -> ReplyFormat {
    let mut format = with_reasoning();
    let hint = Hint { end: Marker::new("\">"), string: vec!["text".into()].into() };
    let arguments = Arguments::Tagged {
        key_open: Marker::new("<|arg name=\""),
        key_close: Suffix { text: Marker::new("\" kind=\""), hint: Some(hint) },
        value_close: Marker::new("<|/arg|>"),
        separator: "".into(),
        quoting: Default::default(),
    };
    let counter = Hint { end: Marker::new("\">"), string: vec![].into() };
    let CallShape::Named(mut call) = named("<|do name=\"", "", arguments, "<|/do|>") else {
        unreachable!()
    };
    call.suffix = Suffix { text: Marker::new("\" number=\""), hint: Some(counter) };
    format.tools = Some(Tools::new(CallShape::Named(call)).with_section("<|calls|>", "<|/calls|>"));
    format
}

/// Arguments in tags that are named like the key.
pub(crate) fn nested() -> ReplyFormat {
    let mut format = with_reasoning();
    let arguments = Arguments::Nested {
        open_prefix: Marker::new("~<"),
        open_suffix: Marker::new(">"),
        close_prefix: Marker::new("~</"),
        close_suffix: Marker::new(">"),
        item: "item".into(),
    };
    format.tools = Some(
        Tools::new(named("~<do name=\"", "\">", arguments, "~</do>\n"))
            .with_section("~<calls>\n", "~</calls>"),
    );
    format
}

/// Calls as a Python list.
pub(crate) fn python() -> ReplyFormat {
    let mut format = with_reasoning();
    let arguments = Arguments::Literal {
        open: "(".into(),
        assign: "=".into(),
        separator: ", ".into(),
        quote: "".into(),
        close: ")".into(),
    };
    let mut tools =
        Tools::new(named("", "", arguments, "")).with_section("<|calls|>", "<|/calls|>");
    tools.array = true;
    format.tools = Some(tools);
    format
}

/// Arguments with a token as quote.
pub(crate) fn quoted_by_token() -> ReplyFormat {
    let mut format = with_reasoning();
    let arguments = Arguments::Literal {
        open: "{".into(),
        assign: ":".into(),
        separator: ",".into(),
        quote: "<|q|>".into(),
        close: "}".into(),
    };
    format.tools =
        Some(Tools::new(named("do:", "", arguments, "")).with_call("<|call>", "<call|>"));
    format
}

/// A sequence of messages with headers.
pub(crate) fn message_headers() -> ReplyFormat {
    let mut format = ReplyFormat::plain();
    format.headers = Some(Headers {
        open: Marker::new("<|start|>assistant"),
        end: Marker::new("<|body|>"),
        close: vec![Marker::new("<|end|>"), Marker::new("<|call|>")].into(),
        reasoning: vec!["<|channel|>thoughts".into()].into(),
        content: vec!["<|channel|>answer".into()].into(),
        recipient: " to=".into(),
        namespace: "functions.".into(),
    });
    let CallShape::Named(call) = named("", "", Arguments::Json, "") else { unreachable!() };
    let call = NamedCall { name: NamePlace::Header, namespace: "functions.".into(), ..call };
    format.tools = Some(Tools::new(CallShape::Named(call)));
    format
}
