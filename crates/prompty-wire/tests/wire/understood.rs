//! A reply that is complete came from a stream whose every byte was read and understood.

use proptest::prelude::*;

use prompty_core::value::Value;
use prompty_reply::Reply;
use prompty_wire::{Protocol, WireError};

use super::answer_shapes::places;

const PROTOCOLS: [Protocol; 3] =
    [Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::AnthropicMessages];

/// The events of an answer with a text in pieces, and with a call whose arguments are in pieces.
fn events(protocol: Protocol, texts: &[String], has_call: bool) -> Vec<String> {
    let text = texts.concat();
    let mut events = Vec::new();
    match protocol {
        Protocol::OpenAiResponses => {
            let message = format!(
                r#"{{"type": "message", "id": "m", "content": [{{"type": "output_text", "text": "{text}"}}]}}"#
            );
            let call = r#"{"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": "{\"a\":1}"}"#;
            events.push(r#"{"type": "response.created", "response": {"id": "r"}}"#.to_owned());
            for text in texts {
                events.push(format!(r#"{{"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "{text}"}}"#));
            }
            events.push(format!(r#"{{"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "{text}"}}"#));
            events.push(format!(
                r#"{{"type": "response.output_item.done", "output_index": 0, "item": {message}}}"#
            ));
            if has_call {
                events.push(r#"{"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": ""}}"#.to_owned());
                for piece in [r#"{\"a\""#, ":1}"] {
                    events.push(format!(r#"{{"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{piece}"}}"#));
                }
                events.push(format!(
                    r#"{{"type": "response.output_item.done", "output_index": 1, "item": {call}}}"#
                ));
            }
            let output = if has_call { format!("{message}, {call}") } else { message };
            events.push(format!(r#"{{"type": "response.completed", "response": {{"status": "completed", "output": [{output}]}}}}"#));
        }
        Protocol::AnthropicMessages => {
            events.push(
                r#"{"type": "message_start", "message": {"id": "m", "content": []}}"#.to_owned(),
            );
            events.push(r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}"#.to_owned());
            for text in texts {
                events.push(format!(r#"{{"type": "content_block_delta", "index": 0, "delta": {{"type": "text_delta", "text": "{text}"}}}}"#));
            }
            events.push(r#"{"type": "content_block_stop", "index": 0}"#.to_owned());
            if has_call {
                events.push(r#"{"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {}}}"#.to_owned());
                for piece in [r#"{\"a\""#, ":1}"] {
                    events.push(format!(r#"{{"type": "content_block_delta", "index": 1, "delta": {{"type": "input_json_delta", "partial_json": "{piece}"}}}}"#));
                }
                events.push(r#"{"type": "content_block_stop", "index": 1}"#.to_owned());
            }
            let reason = if has_call { "tool_use" } else { "end_turn" };
            events.push(format!(
                r#"{{"type": "message_delta", "delta": {{"stop_reason": "{reason}"}}}}"#
            ));
            events.push(r#"{"type": "message_stop"}"#.to_owned());
        }
        _ => {
            let chunk =
                |delta: &str| format!(r#"{{"choices": [{{"index": 0, "delta": {delta}}}]}}"#);
            events.extend(texts.iter().map(|text| chunk(&format!(r#"{{"content": "{text}"}}"#))));
            if has_call {
                events.push(chunk(r#"{"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]}"#));
                for piece in [r#"{\"a\""#, ":1}"] {
                    events.push(chunk(&format!(r#"{{"tool_calls": [{{"index": 0, "function": {{"arguments": "{piece}"}}}}]}}"#)));
                }
            }
            let reason = if has_call { "tool_calls" } else { "stop" };
            events.push(format!(
                r#"{{"choices": [{{"index": 0, "delta": {{}}, "finish_reason": "{reason}"}}]}}"#
            ));
        }
    }
    events
}

fn body(protocol: Protocol, events: &[String]) -> String {
    let done = if protocol == Protocol::OpenAiChat { "data: [DONE]\n\n" } else { "" };
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>() + done
}

/// The complete reply of a body, read in pieces of a size.
fn read(protocol: Protocol, body: &[u8], size: usize) -> Result<Reply, WireError> {
    let mut stream = protocol.reader();
    body.chunks(size).for_each(|piece| _ = stream.push_bytes(piece));
    Ok(stream.finish()?.complete()?)
}

/// Whether a reply has the content of another, and its call. A call may be incomplete instead, or
/// malformed: a program cannot take it for the other one.
fn has_same_answer(reply: &Reply, all: &Reply) -> bool {
    let complete = |reply: &Reply| {
        let calls = reply.calls().iter().filter(|call| call.complete);
        calls.map(|call| (call.name.clone(), call.arguments.clone())).collect::<Vec<_>>()
    };
    let is_reported = reply.malformed().len() + reply.calls().len() > complete(reply).len();
    let (calls, expected) = (complete(reply), complete(all));
    reply.content() == all.content() && (calls == expected || (calls.is_empty() && is_reported))
}

/// Values of another type that may be content.
const OTHER_TYPES: [&str; 4] = ["true", "[{\"x\": 1}]", "{\"x\": 1}", "1.5"];

fn streams() -> impl Strategy<Value = (Protocol, Vec<String>)> {
    let texts = proptest::collection::vec("[a-z é]{1,6}", 1..4);
    (proptest::sample::select(&PROTOCOLS[..]), texts, any::<bool>())
        .prop_map(|(protocol, texts, has_call)| (protocol, events(protocol, &texts, has_call)))
}

proptest! {
    #[test]
    fn an_unchanged_stream_is_complete((protocol, events) in streams(), size in 1usize..50) {
        prop_assert!(read(protocol, body(protocol, &events).as_bytes(), size).is_ok());
    }

    #[test]
    fn a_stream_that_is_cut_is_not_complete_or_has_the_same_answer(
        (protocol, events) in streams(),
        at in any::<proptest::sample::Index>(),
        size in 1usize..50,
    ) {
        let body = body(protocol, &events);
        let all = read(protocol, body.as_bytes(), size).unwrap();
        if let Ok(reply) = read(protocol, &body.as_bytes()[..at.index(body.len())], size) {
            prop_assert!(has_same_answer(&reply, &all), "{:?}", reply);
        }
    }

    #[test]
    fn a_stream_without_a_byte_of_its_structure_is_not_complete_or_has_the_same_answer(
        (protocol, events) in streams(),
        at in any::<proptest::sample::Index>(),
        size in 1usize..50,
    ) {
        let body = body(protocol, &events);
        let all = read(protocol, body.as_bytes(), size).unwrap();
        let field = body.match_indices("data: ").flat_map(|(start, _)| start..start + 6);
        let is_structure = |byte: u8| b"{}[]\":,\\\n".contains(&byte);
        let structure = body.bytes().enumerate().filter(|(_, byte)| is_structure(*byte));
        let places: Vec<usize> = field.chain(structure.map(|(at, _)| at)).collect();
        let mut bytes = body.clone().into_bytes();
        bytes.remove(places[at.index(places.len())]);
        if let Ok(reply) = read(protocol, &bytes, size) {
            prop_assert!(has_same_answer(&reply, &all), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn an_event_that_is_cut_makes_the_reply_incomplete(
        (protocol, mut events) in streams(),
        event in any::<proptest::sample::Index>(),
        at in any::<proptest::sample::Index>(),
        size in 1usize..50,
    ) {
        let event = event.get_mut(&mut events);
        let length = event.floor_char_boundary(1 + at.index(event.len() - 1));
        event.truncate(length);
        prop_assert!(read(protocol, body(protocol, &events).as_bytes(), size).is_err());
    }

    #[test]
    fn a_value_of_another_type_is_an_error_or_reported_or_has_no_content(
        (protocol, mut events) in streams(),
        event in any::<proptest::sample::Index>(),
        place in any::<proptest::sample::Index>(),
        other in proptest::sample::select(&OTHER_TYPES[..]),
        size in 1usize..50,
    ) {
        let all = read(protocol, body(protocol, &events).as_bytes(), size).unwrap();
        let event = event.get_mut(&mut events);
        let kind = Value::from_json(other).unwrap().kind_name();
        let mut places: Vec<(String, Value)> = places(event).collect();
        // Providers omit indices, so another type is a missing one.
        places.retain(|(template, replaced)| {
            replaced.kind_name() != kind && !template.contains("index\": \"@\"")
        });
        let (template, _) = &places[place.index(places.len())];
        *event = template.replace("\"@\"", other);
        let changed = event.clone();
        if let Ok(reply) = read(protocol, body(protocol, &events).as_bytes(), size) {
            let is_same = has_same_answer(&reply, &all);
            prop_assert!(is_same || !reply.others().is_empty(), "{}: {:?}", changed, reply);
        }
    }
}
