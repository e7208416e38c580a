//! Streams: 1,000 chunks become the text and the calls.

use std::collections::BTreeMap;
use std::hint::black_box;

use async_openai::types::chat::CreateChatCompletionStreamResponse;
use serde_json::{Value as Json, json};
use typed_prompty::wire::ReplyReader;

use crate::Work;

const CHUNKS: usize = 1_000;

pub fn works() -> Vec<Work> {
    let end = |reason: &str| chunk(&json!({}), Some(reason));
    let texts = (0..CHUNKS).map(|at| chunk(&json!({"content": format!(" word {at}")}), None));
    let text: Vec<String> = texts.chain([end("stop")]).collect();
    let opening = |call: usize| {
        let function = json!({"name": "look_up", "arguments": ""});
        let id = format!("call_{call}");
        let call = json!({"index": call, "id": id, "type": "function", "function": function});
        chunk(&json!({"tool_calls": [call]}), None)
    };
    let piece = |call: usize, arguments: &str| {
        let piece = json!({"index": call, "function": {"arguments": arguments}});
        chunk(&json!({"tool_calls": [piece]}), None)
    };
    let calls = (0..4).flat_map(|call| {
        let words = (0..CHUNKS / 4 - 3).map(move |at| piece(call, &format!("word{at} ")));
        let begin = [opening(call), piece(call, r#"{"query": ""#)];
        begin.into_iter().chain(words).chain([piece(call, r#""}"#)])
    });
    let calls: Vec<String> = calls.chain([end("tool_calls")]).collect();
    vec![work("stream of 1,000 chunks, text", text), work("stream of 1,000 chunks, 4 calls", calls)]
}

fn work(name: &str, chunks: Vec<String>) -> Work {
    let reply = ours(&chunks);
    let theirs = PeerReply::from_chunks(&chunks);
    let calls: Vec<_> = reply.calls().iter().map(|call| (&*call.name, &*call.arguments)).collect();
    let peer_calls: Vec<_> =
        theirs.calls.values().map(|call| (&*call.name, &*call.arguments)).collect();
    assert_eq!((reply.content(), calls), (&*theirs.content, peer_calls), "{name}");
    let same = chunks.clone();
    Work::new(
        name,
        move || drop(black_box(ours(black_box(&chunks)))),
        move || drop(black_box(PeerReply::from_chunks(black_box(&same)))),
    )
}

/// Ours reports each event, and builds the reply.
fn ours(chunks: &[String]) -> typed_prompty::reply::Reply {
    let mut stream = ReplyReader::new();
    for chunk in chunks {
        for event in stream.push(chunk) {
            black_box(event);
        }
    }
    stream.finish().expect("the reply is complete")
}

/// The reply that a user of the peer collects.
#[derive(Default)]
struct PeerReply {
    content: String,
    calls: BTreeMap<u32, PeerCall>,
    reason: Option<async_openai::types::chat::FinishReason>,
}

#[derive(Default)]
struct PeerCall {
    id: String,
    name: String,
    arguments: String,
}

impl PeerReply {
    fn from_chunks(chunks: &[String]) -> Self {
        let mut reply = Self::default();
        for chunk in chunks {
            reply.add(serde_json::from_str(chunk).expect("the chunk is valid"));
        }
        black_box(reply.reason);
        for call in reply.calls.values() {
            black_box(&call.id);
        }
        reply
    }

    fn add(&mut self, chunk: CreateChatCompletionStreamResponse) {
        let Some(choice) = chunk.choices.into_iter().next() else { return };
        if let Some(text) = &choice.delta.content {
            black_box(text);
            self.content.push_str(text);
        }
        for piece in choice.delta.tool_calls.into_iter().flatten() {
            let call = self.calls.entry(piece.index).or_default();
            if let Some(id) = piece.id {
                call.id = id;
            }
            let Some(function) = piece.function else { continue };
            if let Some(name) = function.name {
                call.name.push_str(&name);
            }
            if let Some(arguments) = function.arguments {
                call.arguments.push_str(&arguments);
            }
        }
        self.reason = choice.finish_reason.or(self.reason);
    }
}

fn chunk(delta: &Json, reason: Option<&str>) -> String {
    let chunk = json!({
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion.chunk",
        "created": 1_741_569_952,
        "model": "gpt-4o-2024-08-06",
        "service_tier": "default",
        "system_fingerprint": "fp_fc9f1d7035",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}],
        "usage": null,
    });
    chunk.to_string()
}
