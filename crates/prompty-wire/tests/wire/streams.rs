//! Streams and complete answers, including those of odd providers.

use prompty_core::message::Message;
use prompty_reply::{Event, FinishReason, Malformation, Reply, ReplyErrorKind};
use prompty_wire::{Protocol, ReplyReader, WireError, WireErrorKind};

/// The reply of some events. It checks that the folded events give the same
/// content and reasoning, and no call that the reply does not have.
fn reply(protocol: Protocol, events: &[&str]) -> Reply {
    let mut stream = protocol.reader();
    let mut folded = Reply::default();
    for event in events {
        stream.push(event).for_each(|event| folded.add(event));
    }
    let folded_calls = folded.calls().len();
    let reply = stream.finish().unwrap();
    assert_eq!((folded.content(), folded.reasoning()), (reply.content(), reply.reasoning()));
    assert!(folded_calls <= reply.calls().len());
    reply
}

fn calls(reply: &Reply) -> Vec<(&str, &str, &str, bool)> {
    let calls = reply.calls().iter();
    calls.map(|it| (it.id.as_str(), it.name.as_str(), it.arguments.as_str(), it.complete)).collect()
}

const END: &str = r#"{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}"#;

#[test]
fn calls_whose_pieces_are_mixed_keep_their_own_arguments() {
    let reply = reply(
        Protocol::OpenAiChat,
        &[
            r#"{"choices": [{"delta": {"tool_calls": [{"index": 1, "id": "a", "function": {"name": "f", "arguments": "{\"x\""}}]}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": [{"index": 2, "id": "b", "function": {"name": "g", "arguments": "{\"y\""}}]}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": [{"index": 1, "function": {"arguments": ": 1}"}}]}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": [{"index": 2, "function": {"arguments": ": 2}"}}]}}]}"#,
            END,
        ],
    );
    assert_eq!(calls(&reply), [("a", "f", r#"{"x": 1}"#, true), ("b", "g", r#"{"y": 2}"#, true)]);
}

#[test]
fn a_call_is_reported_after_the_call_before_it_has_ended() {
    let pieces = [
        r#"{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\""}}"#,
        r#"{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{\"y\""}}"#,
        r#"{"index": 0, "function": {"arguments": ": 1}"}}"#,
        r#"{"index": 1, "function": {"arguments": ": 2}"}}"#,
    ];
    let mut stream = Protocol::OpenAiChat.reader();
    let mut order = Vec::new();
    for piece in pieces {
        let event = format!(r#"{{"choices": [{{"delta": {{"tool_calls": [{piece}]}}}}]}}"#);
        order.extend(stream.push(&event).filter_map(call_edge));
    }
    assert_eq!(order, ["start 0"]);
    order.extend(stream.push(END).filter_map(call_edge));
    order.extend(stream.end().filter_map(call_edge));
    assert_eq!(order, ["start 0", "end 0", "start 1", "end 1"]);
}

/// The start or the end of a call.
fn call_edge(event: Event<'_>) -> Option<String> {
    match event {
        Event::CallStarted { index, .. } => Some(format!("start {index}")),
        Event::CallEnded { index, .. } => Some(format!("end {index}")),
        _ => None,
    }
}

#[test]
fn a_new_id_with_a_name_starts_a_call_if_all_have_one_index() {
    let call = |id: &str| {
        format!(
            r#"{{"choices": [{{"delta": {{"tool_calls": [{{"index": 0, "id": "{id}", "function": {{"name": "f", "arguments": "{{}}"}}}}]}}}}]}}"#
        )
    };
    let reply = reply(Protocol::OpenAiCompatible, &[&call("a"), &call("b"), END]);
    assert_eq!(calls(&reply), [("a", "f", "{}", true), ("b", "f", "{}", true)]);
}

#[test]
fn a_call_that_the_limit_truncates_is_not_complete() {
    for arguments in ["", r#"{\"x\": "#] {
        let chunk = format!(
            r#"{{"choices": [{{"delta": {{"tool_calls": [{{"id": "a", "function": {{"name": "f", "arguments": "{arguments}"}}}}]}}, "finish_reason": "length"}}]}}"#
        );
        let reply = reply(Protocol::OpenAiChat, &[&chunk]);
        assert!(!reply.calls()[0].complete, "{arguments}");
        assert_eq!(reply.finish_reason(), Some(FinishReason::Length));
    }
}

/// A call may have no arguments because the tool has no parameters, or because a limit truncated
/// it.
#[test]
fn a_block_without_input_is_complete_unless_truncated() {
    let start = r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "a", "name": "now", "input": {}}}"#;
    let stop = r#"{"type": "content_block_stop", "index": 0}"#;
    for (reason, complete) in [("tool_use", true), ("max_tokens", false)] {
        let end = format!(r#"{{"type": "message_delta", "delta": {{"stop_reason": "{reason}"}}}}"#);
        let reply = reply(Protocol::AnthropicMessages, &[start, stop, &end]);
        assert_eq!(reply.calls()[0].complete, complete);
    }
}

#[test]
fn arguments_after_the_end_of_a_call_are_malformed() {
    let mut stream = Protocol::OpenAiResponses.reader();
    for event in [
        r#"{"type": "response.output_item.done", "output_index": 0, "item": {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}}"#,
        r#"{"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"x\": 1}"}"#,
        r#"{"type": "response.completed", "response": {"status": "completed", "output": []}}"#,
    ] {
        stream.push(event);
    }
    let reply = stream.finish().unwrap();
    assert_eq!(calls(&reply), [("a", "f", "{}", true)]);
    assert_eq!(reply.malformed()[0].reason, Malformation::WrongArguments);
}

#[test]
fn a_call_without_a_name_is_malformed() {
    let reply = reply(
        Protocol::OpenAiChat,
        &[
            r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"arguments": "{}"}}]}}]}"#,
            END,
        ],
    );
    assert!(reply.calls().is_empty());
    assert_eq!(reply.malformed()[0].reason, Malformation::NoName);
}

#[test]
fn tools_that_were_not_offered_are_unknown() {
    use prompty_core::message::{Message, ToolSpec};
    use prompty_core::value::Map;
    use prompty_wire::Request;

    let messages = [Message::user("a")];
    let request = Request::new("m", &messages).with_tools([ToolSpec::new("now", Map::new())]);
    let body = br#"{"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [
        {"id": "a", "function": {"name": "now", "arguments": "{}"}},
        {"id": "b", "function": {"name": "never", "arguments": "{}"}}]}}]}"#;
    let reply = request.read(200, body).unwrap();
    assert_eq!(reply.calls().iter().map(|it| it.known).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn an_error_in_a_stream_keeps_the_reply_so_far() {
    let first = r#"{"choices": [{"delta": {"content": "Once"}}]}"#;
    for (event, kind) in [
        (
            r#"{"error": {"message": "overloaded", "type": "server_error"}}"#,
            WireErrorKind::Provider,
        ),
        (r#"{"error": "overloaded"}"#, WireErrorKind::Provider),
        ("upstream closed", WireErrorKind::Unreadable),
        ("[1, 2]", WireErrorKind::Unreadable),
        ("{}", WireErrorKind::CutOff),
    ] {
        let mut stream = ReplyReader::new();
        stream.push(first);
        stream.push(event);
        let error = stream.finish().unwrap_err();
        assert_eq!(error.kind(), kind, "{event}");
        assert_eq!(error.partial().unwrap().content(), "Once");
    }
    let mut stream = ReplyReader::new();
    stream.push(first);
    let error = stream.fail("connection reset");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (WireErrorKind::Transport, "connection reset")
    );
    assert_eq!(error.partial().unwrap().content(), "Once");
}

/// Some servers never stream.
#[test]
fn a_complete_answer_instead_of_a_stream_is_read() {
    let mut stream = ReplyReader::new();
    for piece in
        br#"  {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}"#.chunks(3)
    {
        stream.push_bytes(piece);
    }
    assert_eq!(stream.finish().unwrap().content(), "Hello");
}

#[test]
fn a_refusal_is_not_content() {
    let reply = reply(
        Protocol::OpenAiChat,
        &[r#"{"choices": [{"delta": {"refusal": "I cannot."}, "finish_reason": "stop"}]}"#],
    );
    assert_eq!((reply.content(), reply.refusal()), ("", Some("I cannot.")));
    let error = reply.complete().unwrap_err();
    assert_eq!(error.to_string(), "the model refused: I cannot.");
}

#[test]
fn a_piece_of_a_call_before_an_unreadable_choice_is_reported_once() {
    let mut stream = ReplyReader::new();
    let call = r#"{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\": 1"}}"#;
    let chunk = format!(
        r#"{{"choices": [{{"index": 0, "delta": {{"tool_calls": [{call}]}}}}, {{"index": 1, "delta": {{"content": [{{"text": "b", "text": "c"}}]}}}}]}}"#
    );
    stream.push(&chunk);
    let error = stream.finish().unwrap_err();
    assert_eq!(error.kind(), WireErrorKind::Unreadable);
    assert_eq!(calls(error.partial().unwrap()), [("a", "f", r#"{"x": 1"#, false)]);
}

/// A call in the form of chat completions, as an element of an array.
fn call(index: usize, id: &str, arguments: &str) -> String {
    let arguments = arguments.replace('"', r#"\""#);
    format!(
        r#"{{"index": {index}, "id": "{id}", "function": {{"name": "f", "arguments": "{arguments}"}}}}"#
    )
}

fn delta(calls: &[String]) -> String {
    let calls = calls.join(", ");
    format!(r#"{{"choices": [{{"delta": {{"tool_calls": [{calls}]}}}}]}}"#)
}

#[test]
fn a_complete_message_counts_if_no_delta_had_content() {
    let role = r#"{"choices": [{"delta": {"role": "assistant"}}]}"#;
    let message = |text: &str| {
        format!(
            r#"{{"choices": [{{"message": {{"content": "{text}"}}, "finish_reason": "stop"}}]}}"#
        )
    };
    assert_eq!(reply(Protocol::OpenAiChat, &[role, &message("Hello")]).content(), "Hello");
    let both = r#"{"choices": [{"delta": {"content": ""}, "message": {"content": "Hello"}, "finish_reason": "stop"}]}"#;
    assert_eq!(reply(Protocol::OpenAiChat, &[role, both]).content(), "Hello");
    let text = r#"{"choices": [{"delta": {"content": "Hello"}}]}"#;
    assert_eq!(reply(Protocol::OpenAiChat, &[role, text, &message("Hello")]).content(), "Hello");
}

#[test]
fn a_growing_message_is_reported_once() {
    let message = |text: &str| {
        format!(
            r#"{{"choices": [{{"message": {{"reasoning": "Hm{text}", "content": "{text}"}}, "finish_reason": "stop"}}]}}"#
        )
    };
    let chunks = ["Hel", "Hello", "Hello"].map(message);
    let reply = reply(Protocol::OpenAiChat, &chunks.each_ref().map(String::as_str));
    assert_eq!((reply.content(), reply.reasoning()), ("Hello", "HmHello"));
}

/// Servers that split text by UTF-16 units send a lone surrogate at the end of an event.
#[test]
fn surrogates_in_two_events_are_joined() {
    let delta = |text: &str| format!(r#"{{"choices": [{{"delta": {{"content": "{text}"}}}}]}}"#);
    let content = |texts: &[&str]| {
        let mut chunks: Vec<String> = texts.iter().map(|text| delta(text)).collect();
        chunks.push(END.to_owned());
        let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
        reply(Protocol::OpenAiChat, &chunks).content().to_owned()
    };
    assert_eq!(content(&[r"a\ud83d", r"\uDE00b"]), "a\u{1f600}b");
    assert_eq!(content(&[r"a\uD83D", "", r"\ude00\ud83d", r"\ude01"]), "a\u{1f600}\u{1f601}");
    assert_eq!(content(&[r"a\ud83d", "b"]), "ab");
    assert_eq!(content(&[r"a\\ud83d", r"\\ude00"]), r"a\ud83d\ude00");
    assert_eq!(content(&[r"a\ud83d", "\\\"\\ude00"]), "a\"\u{fffd}");
    assert_eq!(content(&[r"a\ude00", r"\ud83db"]), "a\u{fffd}\u{fffd}b");
}

/// A complete message in a separate chunk, in the middle of an answer.
fn message(fields: &str) -> String {
    format!(r#"{{"choices": [{{"message": {{{fields}}}}}]}}"#)
}

#[test]
fn a_complete_message_adds_missing_content() {
    let thought = r#"{"choices": [{"delta": {"reasoning": "Hm"}}]}"#;
    let text = r#"{"choices": [{"delta": {"content": "Hello"}}]}"#;
    let complete = message(&format!(
        r#""reasoning": "Hm", "content": " Hello", "tool_calls": [{}]"#,
        call(0, "a", "{}")
    ));
    let exact = complete.replace(" Hello", "Hello");
    for chunks in [
        &[thought, &exact, END][..],
        &[thought, text, &exact, END],
        // The same text, with other white space.
        &[thought, text, &complete, END],
    ] {
        let reply = reply(Protocol::OpenAiChat, chunks);
        assert_eq!((reply.reasoning(), reply.content()), ("Hm", "Hello"));
        assert_eq!(calls(&reply), [("a", "f", "{}", true)]);
    }
}

#[test]
fn growing_messages_of_any_content_are_reported_once() {
    let part = |text: &str| {
        message(&format!(
            r#""content": [{{"type": "text", "text": "A"}}, {{"type": "text", "text": "{text}"}}]"#
        ))
    };
    let chunks = [part("He"), part("Hello"), part("Hello"), END.to_owned()];
    let found = reply(Protocol::OpenAiChat, &chunks.each_ref().map(String::as_str));
    assert_eq!(found.content(), "AHello");

    let part =
        |arguments: &str| message(&format!(r#""tool_calls": [{}]"#, call(0, "a", arguments)));
    let chunks = [part(r#"{"x""#), part(r#"{"x": 1}"#), part(r#"{"x": 1}"#), END.to_owned()];
    for id in ["", "a"] {
        let chunks = chunks
            .each_ref()
            .map(|chunk| chunk.replace(r#""id": "a""#, &format!(r#""id": "{id}""#)));
        let found = reply(Protocol::OpenAiChat, &chunks.each_ref().map(String::as_str));
        assert_eq!(calls(&found), [(id, "f", r#"{"x": 1}"#, true)]);
    }

    let image = message(r#""images": [{"type": "image_url", "image_url": {"url": "data:,x"}}]"#);
    let reply = reply(Protocol::OpenAiChat, &[&image, &image, END]);
    assert_eq!(reply.others().len(), 1);
}

#[test]
fn white_space_with_another_id_belongs_to_the_call() {
    let pieces = |arguments: [&str; 3]| {
        let mut chunks: Vec<String> = arguments
            .iter()
            .zip(["a", "b", "c"])
            .map(|(arguments, id)| delta(&[call(0, id, arguments)]))
            .collect();
        chunks.push(END.to_owned());
        chunks
    };
    let chunks = pieces([r#"{ "x""#, " ", r": 2 }"]);
    let found = reply(Protocol::OpenAiChat, &chunks.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(calls(&found), [("a", "f", r#"{ "x" : 2 }"#, true)]);
}

#[test]
fn an_id_after_the_end_of_a_call_counts() {
    let first =
        delta(&[r#"{"index": 0, "function": {"name": "f", "arguments": "{}"}}"#.to_owned()]);
    let second = delta(&[call(1, "b", "{}")]);
    let late = delta(&[r#"{"index": 0, "id": "a"}"#.to_owned()]);
    let reply = reply(Protocol::OpenAiChat, &[&first, &second, &late, END]);
    assert_eq!(calls(&reply), [("a", "f", "{}", true), ("b", "f", "{}", true)]);
}

#[test]
fn anthropic_content_may_be_a_string() {
    let body = br#"{"type": "message", "content": "Hello", "stop_reason": "end_turn"}"#;
    let reply = Protocol::AnthropicMessages.read(200, body).unwrap();
    assert_eq!(reply.content(), "Hello");
}

#[test]
fn thinking_without_the_start_of_its_block_keeps_its_signature() {
    let delta = |fields: &str| {
        format!(r#"{{"type": "content_block_delta", "index": 0, "delta": {{{fields}}}}}"#)
    };
    let thinking = delta(r#""type": "thinking_delta", "thinking": "Hm""#);
    let signature = delta(r#""type": "signature_delta", "signature": "s""#);
    let end = r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}"#;
    let reply = reply(Protocol::AnthropicMessages, &[&thinking, &signature, end]);
    assert_eq!(reply.reasoning(), "Hm");
    let signed = reply.others()[0].value.get("signature").unwrap();
    assert_eq!(signed.as_str(), Some("s"));
}

#[test]
fn thinking_and_text_without_indices_are_both_reported() {
    let delta =
        |fields: &str| format!(r#"{{"type": "content_block_delta", "delta": {{{fields}}}}}"#);
    let thinking = delta(r#""type": "thinking_delta", "thinking": "Hm""#);
    let text = delta(r#""type": "text_delta", "text": "Yes""#);
    let block = |kind: &str| {
        format!(r#"{{"type": "content_block_start", "content_block": {{"type": "{kind}"}}}}"#)
    };
    let end = r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}"#;
    for chunks in [
        vec![&*thinking, &text, end],
        vec![&text, &thinking, end],
        vec![&block("text"), &thinking, &text, end],
        vec![&block("thinking"), &thinking, &text, end],
    ] {
        let reply = reply(Protocol::AnthropicMessages, &chunks);
        assert_eq!((reply.reasoning(), reply.content()), ("Hm", "Yes"), "{chunks:?}");
    }
}

#[test]
fn two_calls_of_a_message_with_the_same_id_are_separate() {
    let call = |name: &str, arguments: &str| {
        format!(r#"{{"id": "x", "function": {{"name": "{name}", "arguments": "{arguments}"}}}}"#)
    };
    let both = message(&format!(
        r#""tool_calls": [{}, {}]"#,
        call("f", r#"{\"a\": 1}"#),
        call("g", r#"{\"b\": 2}"#)
    ));
    for chunks in [&[&*both, END][..], &[&both, &both, END]] {
        let found = reply(Protocol::OpenAiChat, chunks);
        let expected = [("x", "f", r#"{"a": 1}"#, true), ("x", "g", r#"{"b": 2}"#, true)];
        assert_eq!(calls(&found), expected);
    }
}

#[test]
fn a_call_with_a_late_id_is_reported_once() {
    let unnamed = r#"{"index": 0, "function": {"name": "f", "arguments": "{}"}}"#.to_owned();
    let chunks = [
        delta(&[unnamed]),
        delta(&[call(1, "b", "{}")]),
        delta(&[r#"{"index": 0, "id": "a"}"#.to_owned()]),
        delta(&[call(0, "a", "{}")]),
        END.to_owned(),
    ];
    let reply = reply(Protocol::OpenAiChat, &chunks.each_ref().map(String::as_str));
    assert_eq!(calls(&reply), [("a", "f", "{}", true), ("b", "f", "{}", true)]);
}

#[test]
fn a_text_without_a_phase_is_a_separate_message() {
    let item = |phase: &str, text: &str| {
        format!(
            r#"{{"type": "message", {phase} "content": [{{"type": "output_text", "text": "{text}"}}]}}"#
        )
    };
    let messages_of = |items: &[String]| {
        let body = format!(r#"{{"status": "completed", "output": [{}]}}"#, items.join(", "));
        let reply = Protocol::OpenAiResponses.read(200, body.as_bytes()).unwrap();
        let messages = reply.to_messages();
        let phase = |it: &Message| Some(it.metadata.get("phase")?.as_str()?.to_owned());
        messages.iter().map(|it| (it.text(), phase(it))).collect::<Vec<_>>()
    };
    let comment = || item(r#""phase": "commentary","#, "A");
    let commentary = Some("commentary".to_owned());
    let expected = [("A".to_owned(), commentary.clone()), ("B".to_owned(), None)];
    assert_eq!(messages_of(&[comment(), item("", "B")]), expected);
    assert_eq!(
        messages_of(&[item("", "B"), comment()]),
        [expected[1].clone(), expected[0].clone()]
    );
    assert_eq!(messages_of(&[item("", "A"), item("", "B")]), [("AB".to_owned(), None)]);
}

#[test]
fn repeated_calls_at_the_end_are_reported_once() {
    let parts = [
        delta(&[call(0, "a", r#"{"x": "#)]),
        delta(&[call(1, "b", r#"{"y": 2}"#)]),
        delta(&[r#"{"index": 0, "function": {"arguments": "1}"}}"#.to_owned()]),
        delta(&[call(0, "a", r#"{"x":1}"#), call(1, "b", r#"{"y": 2}"#)]),
        END.to_owned(),
    ];
    let reply = reply(Protocol::OpenAiChat, &parts.each_ref().map(String::as_str));
    assert_eq!(calls(&reply), [("a", "f", r#"{"x": 1}"#, true), ("b", "f", r#"{"y": 2}"#, true)]);
}

#[test]
fn repeated_free_text_is_reported_once() {
    let piece = r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "type": "custom", "custom": {"name": "f", "input": "ls"}}]}}]}"#;
    let reply = reply(Protocol::OpenAiChat, &[piece, piece, END]);
    assert_eq!(calls(&reply), [("a", "f", "ls", true)]);
}

#[test]
fn a_call_in_the_current_and_the_older_form_is_one() {
    let body = format!(
        r#"{{"choices": [{{"message": {{"tool_calls": [{}], "function_call": {{"name": "f", "arguments": "{{}}"}}}}, "finish_reason": "tool_calls"}}]}}"#,
        call(0, "a", "{}")
    );
    let reply = Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap();
    assert_eq!(calls(&reply), [("a", "f", "{}", true)]);
}

#[test]
fn an_id_before_the_name_belongs_to_the_call() {
    let first = r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "type": "function"}]}}]}"#;
    let rest = r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]}}]}"#;
    let reply = reply(Protocol::OpenAiChat, &[first, rest, END]);
    assert_eq!(calls(&reply), [("a", "f", "{}", true)]);
}

#[test]
fn events_of_another_protocol_before_done_are_unreadable() {
    let event = r#"{"choices": [{"delta": {"content": "a"}}]}"#;
    for protocol in [Protocol::OpenAiResponses, Protocol::AnthropicMessages] {
        let mut stream = protocol.reader();
        for data in [event, "[DONE]"] {
            stream.push(data);
        }
        let error = stream.finish().unwrap_err();
        assert_eq!(error.kind(), WireErrorKind::Unreadable, "{error}");
    }
    let mut stream = ReplyReader::new();
    stream.push("[DONE]");
    assert_eq!(stream.finish().unwrap_err().kind(), WireErrorKind::CutOff);
}

#[test]
fn an_answer_that_the_provider_aborted_is_not_complete() {
    let chat = |word: &str| {
        let body = format!(
            r#"{{"choices": [{{"message": {{"content": "a"}}, "finish_reason": "{word}"}}]}}"#
        );
        Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap()
    };
    let error = chat("error").complete().unwrap_err();
    assert_eq!(error.kind(), ReplyErrorKind::CutOff);
    assert_eq!(error.to_string(), "the provider broke off the reply: error");
    let body = br#"{"type": "message", "content": [{"type": "text", "text": "a"}], "stop_reason": "pause_turn"}"#;
    let paused = Protocol::AnthropicMessages.read(200, body).unwrap();
    assert_eq!(paused.complete().unwrap_err().kind(), ReplyErrorKind::CutOff);
    assert!(chat("a word that is new").complete().is_ok());
}

/// A limit would be reached again, but a failed server may succeed later.
#[test]
fn an_answer_that_the_server_aborted_is_retryable() {
    for (word, is_retryable) in [
        ("network_error", true),
        ("insufficient_system_resource", true),
        ("failed", true),
        ("length", false),
        ("aborted", false),
    ] {
        let body = format!(
            r#"{{"choices": [{{"message": {{"content": "a"}}, "finish_reason": "{word}"}}]}}"#
        );
        let reply = Protocol::OpenAiChat.read(200, body.as_bytes()).unwrap();
        let error = WireError::from(reply.complete().unwrap_err());
        assert_eq!(error.kind(), WireErrorKind::CutOff, "{word}");
        assert_eq!(error.partial().unwrap().content(), "a", "{word}");
        assert_eq!(error.is_retryable(), is_retryable, "{word}");
    }
}
