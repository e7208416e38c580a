//! Messages that are written in a format are read back.

use prompty_reply::format::{Arguments, CallShape, Marker, ReplyFormat, Tools};
use prompty_reply::{FinishReason, Reply, ReplyOptions};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::writer::{Message, messages, quoted, write};
use super::{cases, reply_checks};

/// A text without white space, which is arbitrary inside markers.
fn without_space(text: &str) -> String {
    text.split_ascii_whitespace().collect()
}

/// Whether a text contains a marker.
fn contains_marker(text: &str, marker: &str) -> bool {
    let marker = without_space(marker);
    !marker.is_empty() && without_space(text).contains(&marker)
}

/// Whether reasoning or content can be distinguished from markup. It cannot if it contains a
/// marker, is only white space, or, if calls need no marker, begins like JSON.
fn is_distinguishable(format: &ReplyFormat, text: &str, is_reasoning: bool) -> bool {
    if text.is_empty() {
        return true;
    }
    let mut markers: Vec<&Marker> = format.turn.end.iter().collect();
    if let Some(headers) = &format.headers {
        markers.extend([&headers.open, &headers.end]);
        markers.extend(headers.close.iter());
    }
    if let Some(reasoning) = &format.reasoning {
        markers.push(&reasoning.close);
        if !is_reasoning {
            markers.push(&reasoning.open);
        }
    }
    if let (Some(tools), false) = (&format.tools, is_reasoning) {
        markers.extend([&tools.section_open, &tools.call_open]);
        markers.extend([&tools.section_close, &tools.call_close]);
        if let CallShape::Named(call) = &tools.shape {
            markers.push(&call.prefix);
        }
    }
    let is_bare = matches!(&format.tools, Some(Tools { shape: CallShape::Json(_), .. }));
    let begins_like_json = !is_reasoning && is_bare && text.trim_start().starts_with(['{', '[']);
    !text.trim().is_empty()
        && !begins_like_json
        && markers.iter().all(|marker| !contains_marker(text, &marker.text))
}

/// Whether arguments can be distinguished from the markup around them.
fn are_distinguishable(format: &ReplyFormat, arguments: &Map<String, Value>) -> bool {
    let Some(CallShape::Named(call)) = format.tools.as_ref().map(|tools| &tools.shape) else {
        return true;
    };
    arguments.iter().all(|(key, value)| match &call.arguments {
        Arguments::Json => true,
        // A string between quoting tokens cannot contain the token, because there are no escapes.
        Arguments::Literal { quote, .. } => {
            quote.is_empty() || texts_of(value).iter().all(|text| !text.contains(&**quote))
        }
        Arguments::Tagged { key_open, key_close, value_close, quoting, .. } => {
            // A value without a type in the schema is only a string if it cannot be anything else.
            let has_no_type = key == "either" && key_close.hint.is_none();
            let is_plain = value.as_str().is_none_or(|text| !has_no_type || !is_literal(text));
            // A closing tag inside a string closes it if a valid continuation follows: another
            // argument, the closer of the call, or the end.
            let follows = continuations(format, &call.close, key_open);
            let text = value.as_str().map_or_else(|| value.to_string(), |it| quoted(quoting, it));
            let closes = match !quoting.open.is_empty() && text.starts_with(&*quoting.open) {
                true => Marker::new(format!("{}{value_close}", quoting.close)),
                false => value_close.clone(),
            };
            let is_quoted = closes != *value_close;
            is_plain
                && !closes_early(&text, &closes, &follows)
                && (is_quoted || !looks_damaged(format, &text, value_close, key_open))
        }
        Arguments::Nested { open_prefix, close_prefix, close_suffix, .. } => {
            let follows = continuations(format, &call.close, open_prefix);
            let close = Marker::new(format!("{close_prefix}{key}{close_suffix}"));
            match value {
                Value::String(text) => {
                    let is_distinguishable = key != "either"
                        || !(is_literal(text) || contains_marker(text, &open_prefix.text));
                    is_distinguishable
                        && !closes_early(text, &close, &follows)
                        && !looks_damaged(format, text, &close, open_prefix)
                }
                // Strings inside an object cannot be distinguished from tags inside it.
                _ => texts_of(value).iter().all(|text| {
                    !contains_marker(text, &open_prefix.text)
                        && !contains_marker(text, &close_prefix.text)
                }),
            }
        }
        _ => true,
    })
}

/// Whether a text is a literal of JSON or Python that is not a string.
fn is_literal(text: &str) -> bool {
    let text = text.trim();
    let is_word = matches!(text, "None" | "null");
    is_word || text.trim_start_matches(['+', '-', '.']).starts_with(|it: char| it.is_ascii_digit())
}

fn texts_of(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts_of).collect(),
        Value::Object(map) => map.values().flat_map(texts_of).collect(),
        _ => Vec::new(),
    }
}

/// The texts that may follow a value.
fn continuations(format: &ReplyFormat, close: &Marker, key_open: &Marker) -> Vec<String> {
    let mut continuations = vec![close.text.to_string(), key_open.text.to_string()];
    if let Some(tools) = &format.tools {
        let around =
            [&tools.call_open, &tools.call_close, &tools.section_open, &tools.section_close];
        continuations.extend(around.iter().map(|marker| marker.text.to_string()));
        if let CallShape::Named(call) = &tools.shape {
            continuations.push(call.prefix.text.to_string());
        }
    }
    continuations.extend(format.turn.end.iter().map(|end| end.text.to_string()));
    continuations.retain(|text| !text.is_empty());
    continuations
}

fn closes_early(text: &str, close: &Marker, follows: &[String]) -> bool {
    // The value is followed by its own closing tag and a valid continuation.
    let written = format!("{text}{close}");
    written.match_indices(&*close.text).any(|(at, mark)| {
        let after = written[at + mark.len()..].trim_start();
        at < text.len() && (after.is_empty() || follows.iter().any(|it| after.starts_with(&**it)))
    })
}

/// Whether the end of a string seems damaged: the string contains its closer and an opener anywhere
/// after that. Such a call is malformed even if a model meant the text (`DESIGN.md`, "A call told
/// as complete is right").
fn looks_damaged(format: &ReplyFormat, text: &str, close: &Marker, key_open: &Marker) -> bool {
    let text = without_space(text);
    let Some((_, after)) = text.split_once(&without_space(&close.text)) else { return false };
    let tools = format.tools.as_ref();
    let prefix = tools.and_then(|tools| match &tools.shape {
        CallShape::Named(call) => Some(&call.prefix),
        _ => None,
    });
    let openers = tools.into_iter().flat_map(|tools| [&tools.section_open, &tools.call_open]);
    openers.chain(prefix).chain([key_open]).any(|opener| contains_marker(after, &opener.text))
}

fn assert_read_back(reply: &Reply, message: &Message, text: &str) {
    assert_eq!(reply.reasoning(), message.reasoning, "{text:?}");
    assert_eq!(reply.content(), message.content, "{text:?}");
    assert!(reply.malformed().is_empty(), "{:?} in {text:?}", reply.malformed());
    assert_eq!(reply.calls().len(), message.calls.len(), "{text:?}");
    for (call, arguments) in reply.calls().iter().zip(&message.calls) {
        assert!(call.complete && !call.repaired && call.name == "weather", "{call:?} in {text:?}");
        let read: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap();
        assert_eq!(&read, arguments, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn message_is_read_back(
        format in 0..cases().len(),
        message in messages(),
        sizes in prop::collection::vec(1_u8..12, 1..6),
    ) {
        let case = &cases()[format];
        let mut message = message;
        if !is_distinguishable(&case.format, &message.reasoning, true) {
            message.reasoning.clear();
        }
        // Calls without markers are at the start of the content, so there is no other content.
        let tools = case.format.tools.as_ref().unwrap();
        let are_bare = tools.section_open.is_none()
            && tools.call_open.is_none()
            && matches!(tools.shape, CallShape::Json(_));
        let is_alone = are_bare && !message.calls.is_empty();
        if is_alone || !is_distinguishable(&case.format, &message.content, false) {
            message.content.clear();
        }
        message.calls.retain(|arguments| are_distinguishable(&case.format, arguments));
        let text = write(&case.format, &message);
        let parser = case.parser(true, ReplyOptions::default(), case.tail);
        let reply = reply_checks::check(&parser, &text, &sizes, FinishReason::End);
        assert_read_back(&reply, &message, &format!("{}: {text}", case.name));
    }
}
