//! What is written in a format comes back.

use prompty_reply::format::{Arguments, CallShape, Marker, ReplyFormat, Tools};
use prompty_reply::{FinishReason, Reply, ReplyOptions};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::writer::{Message, messages, quoted, write};
use super::{cases, held};

/// A text without its white space, which may be any inside of markers.
fn without_space(text: &str) -> String {
    text.split_ascii_whitespace().collect()
}

/// Whether a text holds a marker.
fn holds(text: &str, marker: &str) -> bool {
    let marker = without_space(marker);
    !marker.is_empty() && without_space(text).contains(&marker)
}

/// Whether reasoning or content can be told from markup. What can not: a marker in it, white space
/// alone, and, where calls need no marker, what begins like JSON.
fn can_be_said(format: &ReplyFormat, text: &str, is_reasoning: bool) -> bool {
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
        && markers.iter().all(|marker| !holds(text, &marker.text))
}

/// Whether arguments can be told from the markup around them.
fn can_be_given(format: &ReplyFormat, arguments: &Map<String, Value>) -> bool {
    let Some(CallShape::Named(call)) = format.tools.as_ref().map(|tools| &tools.shape) else {
        return true;
    };
    arguments.iter().all(|(key, value)| match &call.arguments {
        Arguments::Json => true,
        // A text between quoting tokens cannot hold the token: nothing escapes it.
        Arguments::Literal { quote, .. } => {
            quote.is_empty() || texts_of(value).iter().all(|text| !text.contains(&**quote))
        }
        Arguments::Tagged { key_open, key_close, value_close, quoting, .. } => {
            // A text that the schema does not call one is a text only if it is nothing else.
            let says_nothing = key == "either" && key_close.hint.is_none();
            let is_plain = value.as_str().is_none_or(|text| !says_nothing || !is_literal(text));
            // A closing tag inside a text closes it where what follows may follow: another
            // argument, what closes the call, or the end.
            let follows = legal_behind(format, &call.close, key_open);
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
            let follows = legal_behind(format, &call.close, open_prefix);
            let close = Marker::new(format!("{close_prefix}{key}{close_suffix}"));
            match value {
                Value::String(text) => {
                    let is_told =
                        key != "either" || !(is_literal(text) || holds(text, &open_prefix.text));
                    is_told
                        && !closes_early(text, &close, &follows)
                        && !looks_damaged(format, text, &close, open_prefix)
                }
                // Texts inside an object are no different from tags inside it.
                _ => texts_of(value).iter().all(|text| {
                    !holds(text, &open_prefix.text) && !holds(text, &close_prefix.text)
                }),
            }
        }
        _ => true,
    })
}

/// Whether a text is what JSON or Python writes for something else.
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

/// What may stand behind a value.
fn legal_behind(format: &ReplyFormat, close: &Marker, key_open: &Marker) -> Vec<String> {
    let mut legal = vec![close.text.to_string(), key_open.text.to_string()];
    if let Some(tools) = &format.tools {
        let around =
            [&tools.call_open, &tools.call_close, &tools.section_open, &tools.section_close];
        legal.extend(around.iter().map(|marker| marker.text.to_string()));
        if let CallShape::Named(call) = &tools.shape {
            legal.push(call.prefix.text.to_string());
        }
    }
    legal.extend(format.turn.end.iter().map(|end| end.text.to_string()));
    legal.retain(|text| !text.is_empty());
    legal
}

fn closes_early(text: &str, close: &Marker, follows: &[String]) -> bool {
    // What stands behind the value is its own closing tag and something legal.
    let written = format!("{text}{close}");
    written.match_indices(&*close.text).any(|(at, mark)| {
        let behind = written[at + mark.len()..].trim_start();
        at < text.len() && (behind.is_empty() || follows.iter().any(|it| behind.starts_with(&**it)))
    })
}

/// Whether the end of a text seems damaged: it holds what closes it and an opener anywhere behind that. Such a call is
/// malformed also where a model meant the text (`DESIGN.md`, "A call told as complete is right").
fn looks_damaged(format: &ReplyFormat, text: &str, close: &Marker, key_open: &Marker) -> bool {
    let text = without_space(text);
    let Some((_, behind)) = text.split_once(&without_space(&close.text)) else { return false };
    let tools = format.tools.as_ref();
    let prefix = tools.and_then(|tools| match &tools.shape {
        CallShape::Named(call) => Some(&call.prefix),
        _ => None,
    });
    let openers = tools.into_iter().flat_map(|tools| [&tools.section_open, &tools.call_open]);
    openers.chain(prefix).chain([key_open]).any(|opener| holds(behind, &opener.text))
}

fn comes_back(reply: &Reply, message: &Message, text: &str) {
    assert_eq!(reply.reasoning(), message.reasoning, "{text:?}");
    assert_eq!(reply.content(), message.content, "{text:?}");
    assert!(reply.malformed().is_empty(), "{:?} in {text:?}", reply.malformed());
    assert_eq!(reply.calls().len(), message.calls.len(), "{text:?}");
    for (call, arguments) in reply.calls().iter().zip(&message.calls) {
        assert!(call.complete && !call.mended && call.name == "weather", "{call:?} in {text:?}");
        let read: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap();
        assert_eq!(&read, arguments, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn a_message_comes_back(
        format in 0..cases().len(),
        message in messages(),
        sizes in prop::collection::vec(1_u8..12, 1..6),
    ) {
        let case = &cases()[format];
        let mut message = message;
        if !can_be_said(&case.format, &message.reasoning, true) {
            message.reasoning.clear();
        }
        // Calls without markers stand at the start of the content, so there is none beside them.
        let tools = case.format.tools.as_ref().unwrap();
        let are_bare = tools.section_open.is_none()
            && tools.call_open.is_none()
            && matches!(tools.shape, CallShape::Json(_));
        let is_alone = are_bare && !message.calls.is_empty();
        if is_alone || !can_be_said(&case.format, &message.content, false) {
            message.content.clear();
        }
        message.calls.retain(|arguments| can_be_given(&case.format, arguments));
        let text = write(&case.format, &message);
        let parser = case.parser(true, ReplyOptions::default(), case.tail);
        let reply = held::check(&parser, &text, &sizes, FinishReason::End);
        comes_back(&reply, &message, &format!("{}: {text}", case.name));
    }
}
