//! Every format can be written as JSON and read back.

use prompty_reply::ReplyParser;
use prompty_reply::format::{
    Arguments, CallId, CallIdPosition, CallShape, Content, ContentMode, Escape, Headers, Hint,
    JsonCall, Marker, NamePlace, NamedCall, Quoting, Reasoning, ReasoningMode, ReplyFormat, Suffix,
    Tools, Turn,
};
use proptest::prelude::*;

use crate::support;

#[test]
fn handwritten_formats_round_trip() {
    for format in [
        ReplyFormat::plain(),
        support::json(),
        support::json_list(),
        support::json_bare(),
        support::json_name_is_key(),
        support::named_json(),
        support::tagged(),
        support::tagged_with_types(),
        support::nested(),
        support::python(),
        support::quoted_by_token(),
        support::message_headers(),
    ] {
        let json = format.to_json();
        assert_eq!(ReplyFormat::from_json(&json).unwrap(), format, "{json}");
    }
}

fn text() -> BoxedStrategy<String> {
    prop_oneof!["[ \n]{0,2}[<\\[|a-z/=>:\"'\\\\{]{0,6}[ \n]{0,2}", any::<String>()].boxed()
}

fn marker() -> impl Strategy<Value = Marker> {
    text().prop_map(Marker::new)
}

fn texts() -> impl Strategy<Value = Vec<std::borrow::Cow<'static, str>>> {
    prop::collection::vec(text().prop_map(Into::into), 0..3)
}

fn suffix() -> impl Strategy<Value = Suffix> {
    let hint = (marker(), texts()).prop_map(|(end, string)| Hint { end, string: string.into() });
    (marker(), prop::option::of(hint)).prop_map(|(text, hint)| Suffix { text, hint })
}

fn arguments() -> BoxedStrategy<Arguments> {
    let escape = (text(), text())
        .prop_map(|(written, meant)| Escape { written: written.into(), meant: meant.into() });
    let quoting =
        (text(), text(), prop::collection::vec(escape, 0..2)).prop_map(|(open, close, escapes)| {
            Quoting { open: open.into(), close: close.into(), escapes: escapes.into() }
        });
    let tagged = (marker(), suffix(), marker(), text(), quoting).prop_map(
        |(key_open, key_close, value_close, separator, quoting)| Arguments::Tagged {
            key_open,
            key_close,
            value_close,
            separator: separator.into(),
            quoting,
        },
    );
    let nested = ([marker(), marker()], [marker(), marker()], text()).prop_map(
        |([open_prefix, open_suffix], [close_prefix, close_suffix], item)| Arguments::Nested {
            open_prefix,
            open_suffix,
            close_prefix,
            close_suffix,
            item: item.into(),
        },
    );
    let literal = [text(), text(), text(), text(), text()].prop_map(
        |[open, assign, separator, quote, close]| Arguments::Literal {
            open: open.into(),
            assign: assign.into(),
            separator: separator.into(),
            quote: quote.into(),
            close: close.into(),
        },
    );
    prop_oneof![Just(Arguments::Json), tagged, nested, literal].boxed()
}

fn shape() -> BoxedStrategy<CallShape> {
    let json = (any::<bool>(), [text(), text(), text(), text(), text()], texts()).prop_map(
        |(name_is_key, [function, name, args, id, gen_id], order)| {
            CallShape::Json(JsonCall {
                name_is_key,
                function_field: function.into(),
                name_field: name.into(),
                args_field: args.into(),
                id_field: id.into(),
                gen_id_field: gen_id.into(),
                order: order.into(),
            })
        },
    );
    let place = prop::sample::select(&[NamePlace::Call, NamePlace::Id, NamePlace::Header]);
    let position = prop::sample::select(&[
        CallIdPosition::PreFuncName,
        CallIdPosition::BetweenFuncAndArgs,
        CallIdPosition::PostArgs,
    ]);
    let id = (position, marker(), marker()).prop_map(|(position, prefix, suffix)| CallId {
        position,
        prefix,
        suffix,
    });
    let id = prop::option::of(id);
    let named = (place, [marker(), marker()], suffix(), text(), id, arguments()).prop_map(
        |(name, [prefix, close], suffix, namespace, id, arguments)| {
            let namespace = namespace.into();
            CallShape::Named(NamedCall { name, prefix, suffix, namespace, id, arguments, close })
        },
    );
    prop_oneof![json, named].boxed()
}

fn tools() -> BoxedStrategy<Tools> {
    ([marker(), marker(), marker(), marker()], text(), any::<(bool, bool)>(), shape())
        .prop_map(
            |([section_open, section_close, call_open, call_close], separator, flags, shape)| {
                Tools {
                    section_open,
                    section_close,
                    call_open,
                    call_close,
                    separator: separator.into(),
                    array: flags.0,
                    parallel: flags.1,
                    ..Tools::new(shape)
                }
            },
        )
        .boxed()
}

fn headers() -> BoxedStrategy<Headers> {
    let close = prop::collection::vec(marker(), 0..3);
    (marker(), marker(), close, [texts(), texts()], [text(), text()])
        .prop_map(|(open, end, close, [reasoning, content], [recipient, namespace])| Headers {
            open,
            end,
            close: close.into(),
            reasoning: reasoning.into(),
            content: content.into(),
            recipient: recipient.into(),
            namespace: namespace.into(),
        })
        .boxed()
}

/// Any format.
pub(crate) fn formats() -> BoxedStrategy<ReplyFormat> {
    let mode = prop::sample::select(&[
        ReasoningMode::TagBased,
        ReasoningMode::Delimiter,
        ReasoningMode::ForcedOpen,
        ReasoningMode::ForcedClosed,
        ReasoningMode::ToolsOnly,
    ]);
    let reasoning =
        (mode, marker(), marker()).prop_map(|(mode, open, close)| Reasoning { mode, open, close });
    let mode = prop::sample::select(&[
        ContentMode::Plain,
        ContentMode::AlwaysWrapped,
        ContentMode::WrappedWithReasoning,
    ]);
    let content = (mode, marker(), marker(), any::<bool>()).prop_map(
        |(mode, open, close, requires_nonnull)| Content { mode, open, close, requires_nonnull },
    );
    let turn = ([text(), text()], prop::collection::vec(marker(), 0..3), texts()).prop_map(
        |([user_open, open], end, control_tokens)| Turn {
            user_open: user_open.into(),
            open: open.into(),
            end: end.into(),
            control_tokens: control_tokens.into(),
        },
    );
    let (reasoning, tools) = (prop::option::of(reasoning), prop::option::of(tools()));
    (turn, reasoning, content, tools, prop::option::of(headers()))
        .prop_map(|(turn, reasoning, content, tools, headers)| {
            let mut format = ReplyFormat::plain();
            format.turn = turn;
            format.reasoning = reasoning;
            format.content = content;
            format.tools = tools;
            format.headers = headers;
            format
        })
        .boxed()
}

/// A reply made of a format's own strings, in any order.
fn text_of(format: &ReplyFormat, picks: &[u8]) -> String {
    let json = format.to_json();
    let strings: Vec<String> = json
        .split_inclusive('\n')
        .filter_map(|line| line.trim().trim_end_matches(',').rsplit_once(": ").map(|it| it.1))
        .filter_map(|value| serde_json::from_str(value).ok())
        .collect();
    picks
        .iter()
        .map(|pick| match usize::from(*pick) {
            pick if pick < 20 => ["f", "{", "}", "\"", " ", "1", "a=1", "[", "]", ","][pick % 10],
            pick => strings.get(pick % strings.len().max(1)).map_or("", String::as_str),
        })
        .collect()
}

proptest! {
    #[test]
    fn any_format_round_trips(format in formats()) {
        let json = format.to_json();
        prop_assert_eq!(&ReplyFormat::from_json(&json).unwrap(), &format, "{}", json);
        let compact = serde_json::to_string(&format).unwrap();
        prop_assert_eq!(&ReplyFormat::from_json(&compact).unwrap(), &format);
    }

    #[test]
    fn any_format_reads_any_text_the_same_in_all_chunks(
        format in formats(),
        picks in prop::collection::vec(any::<u8>(), 0..16),
    ) {
        let text = text_of(&format, &picks);
        support::read(&ReplyParser::new(format.clone()), &text);
        support::read(&ReplyParser::new(format).with_tools(&support::tools()), &text);
    }

    #[test]
    fn any_text_is_read_as_a_format_without_a_panic(text in "[{}\\[\\]\":, a-z\n\\\\ö]{0,40}") {
        let _ = ReplyFormat::from_json(&text);
    }
}
