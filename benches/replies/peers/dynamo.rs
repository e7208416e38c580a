//! dynamo-parsers, and its second version.

use std::sync::LazyLock;

use dynamo_parsers::tool_calling::ToolDefinition;
use dynamo_parsers::tool_calling::jail::{Annotated, JailedStream};
use dynamo_parsers::tool_calling::parsers::detect_and_parse_tool_call_with_recovery;
use dynamo_parsers::{ReasoningParser as _, ReasoningParserType};
use dynamo_parsers_v2::{
    Tool, UnifiedParserEvent, UnifiedParserInit, UnifiedParserOutput,
    create_tool_parser_for_family, create_unified_parser_for_family, encode_harmony,
};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta,
    CreateChatCompletionStreamResponse, FinishReason, Role,
};
use futures::StreamExt as _;
use serde_json::Value as Json;
use typed_prompty_benches::replies::{Answer, Input, Writing};

use super::run::{add_call, in_runtime, ready};
use super::{Peer, Reading};

pub(super) fn peers<'input>(
    input: &'input Input,
    chunks: &'input [&'input str],
) -> Vec<Peer<'input>> {
    if input.writing == Writing::Headers
        && let Err(error) = &*VOCABULARY
    {
        let name = "dynamo-parsers 11.0.1, dynamo-parsers-v2 0.9.6";
        let fail = || Some(Box::new(|| Err(error.clone())) as Box<dyn Fn() -> Reading>);
        return vec![Peer { name, complete: fail(), streamed: fail() }];
    }
    let mut peers = first_version(input, chunks);
    peers.extend(second_version(input, chunks));
    peers
}

/// Whether the vocabulary for messages with headers is available, which both versions need. It is
/// downloaded, or read from the folder in `TIKTOKEN_ENCODINGS_BASE`. The crate `tiktoken-rs`
/// contains the file, `o200k_base.tiktoken`, in its assets.
static VOCABULARY: LazyLock<Result<(), String>> =
    LazyLock::new(|| encode_harmony("").map(drop).map_err(|error| error.to_string()));

/// The names of the first version's readers of reasoning and of calls.
fn families(input: &Input) -> (Option<&'static str>, Option<&'static str>) {
    let thinks = input.text.starts_with("<think>");
    let thoughts = (thinks || !input.has_calls()).then_some("qwen3");
    match input.writing {
        Writing::Text => (thoughts, (!thinks && !input.tools.is_empty()).then_some("hermes")),
        Writing::JsonCalls => (thoughts, Some("hermes")),
        Writing::TaggedCalls => (thoughts, Some("qwen3_coder")),
        Writing::Headers => (Some("gpt_oss"), Some("harmony")),
        Writing::Other => (None, None),
    }
}

fn first_version<'input>(input: &'input Input, chunks: &'input [&'input str]) -> Vec<Peer<'input>> {
    let tools: Vec<ToolDefinition> = input
        .tools
        .iter()
        .map(|tool| ToolDefinition {
            name: tool["function"]["name"].as_str().unwrap_or_default().to_owned(),
            parameters: Some(tool["function"]["parameters"].clone()),
            strict: None,
        })
        .collect();
    let mut peers = Vec::new();
    let (thoughts, calls) = families(input);
    if let (Some(thoughts), false) = (thoughts, input.has_calls()) {
        peers.push(Peer {
            name: "dynamo-parsers 11.0.1, reasoning",
            complete: Some(Box::new(move || read_complete(&input.text, Some(thoughts), None, &[]))),
            streamed: Some(Box::new(move || read_streamed(chunks, Some(thoughts), None, &[]))),
        });
    }
    if let Some(calls) = calls {
        let thoughts = thoughts.filter(|_| input.has_calls());
        let offered = tools.clone();
        peers.push(Peer {
            name: if thoughts.is_some() {
                "dynamo-parsers 11.0.1, both"
            } else {
                "dynamo-parsers 11.0.1, tools"
            },
            complete: Some(Box::new(move || {
                read_complete(&input.text, thoughts, Some(calls), &tools)
            })),
            streamed: Some(Box::new(move || {
                read_streamed(chunks, thoughts, Some(calls), &offered)
            })),
        });
    }
    peers
}

fn read_complete(
    text: &str,
    thoughts: Option<&str>,
    calls: Option<&str>,
    tools: &[ToolDefinition],
) -> Reading {
    let mut answer = Answer::default();
    let rest = thoughts.map(|thoughts| {
        let mut parser = ReasoningParserType::get_reasoning_parser_from_name(thoughts);
        let split = parser.detect_and_parse_reasoning(text, &[]);
        answer.reasoning = split.reasoning_text;
        split.normal_text
    });
    if calls.is_none() {
        answer.content = rest.unwrap_or_default();
        return Ok(answer);
    }
    let text = rest.as_deref().unwrap_or(text);
    let reading = detect_and_parse_tool_call_with_recovery(text, calls, Some(tools));
    let read = if calls == Some("harmony") { in_runtime(reading) } else { ready(reading) };
    let (calls, content) = read.map_err(|error| error.to_string())?;
    answer.content = content.unwrap_or_default();
    answer.calls =
        calls.into_iter().map(|call| (call.function.name, call.function.arguments)).collect();
    Ok(answer)
}

type Chunk = Annotated<CreateChatCompletionStreamResponse>;

/// Reasoning has a reader for pieces, and calls have none: a stream holds back their text, and
/// reads it completely at their end.
fn read_streamed(
    chunks: &[&str],
    thoughts: Option<&str>,
    calls: Option<&str>,
    tools: &[ToolDefinition],
) -> Reading {
    let mut answer = Answer::default();
    let mut parser = thoughts.map(ReasoningParserType::get_reasoning_parser_from_name);
    let Some(calls) = calls else {
        if let Some(parser) = &mut parser {
            for chunk in chunks {
                let split = parser.parse_reasoning_streaming_incremental(chunk, &[]);
                answer.reasoning.push_str(&split.reasoning_text);
                answer.content.push_str(&split.normal_text);
            }
            let split = parser.finish_reasoning_stream();
            answer.reasoning.push_str(&split.reasoning_text);
            answer.content.push_str(&split.normal_text);
        }
        return Ok(answer);
    };
    let Answer { reasoning, content, .. } = &mut answer;
    let mut calls_read = Answer::default();
    let pieces = chunks.iter().map(Some).chain([None]).filter_map(|chunk| match &mut parser {
        None => Some(piece(chunk.map(|chunk| (*chunk).to_owned()))),
        Some(parser) => {
            let split = match chunk {
                Some(chunk) => parser.parse_reasoning_streaming_incremental(chunk, &[]),
                None => parser.finish_reasoning_stream(),
            };
            reasoning.push_str(&split.reasoning_text);
            let is_last = chunk.is_none();
            (is_last || !split.normal_text.is_empty())
                .then(|| piece((!split.normal_text.is_empty()).then_some(split.normal_text)))
        }
    });
    // The end of a stream whose last piece has text.
    let mut pieces: Vec<Chunk> = pieces.collect();
    if pieces.last().is_some_and(|last| !is_end(last)) {
        pieces.push(piece(None));
    }
    let jail = JailedStream::builder().tool_call_parser(calls).tool_definitions(tools.to_vec());
    let stream = jail.build().apply(futures::stream::iter(pieces));
    let reading = stream.for_each(|chunk| {
        let choices = chunk.data.map_or(vec![], |data| data.choices);
        for choice in choices {
            if let Some(ChatCompletionMessageContent::Text(text)) = choice.delta.content {
                content.push_str(&text);
            }
            for call in choice.delta.tool_calls.unwrap_or_default() {
                let function = call.function.unwrap_or_default();
                let arguments = function.arguments.unwrap_or_default();
                add_call(&mut calls_read, call.index as usize, function.name, &arguments);
            }
        }
        std::future::ready(())
    });
    if calls == "harmony" {
        in_runtime(reading)
    } else {
        ready(reading)
    }
    answer.calls = calls_read.calls;
    answer.argument_pieces = calls_read.argument_pieces;
    Ok(answer)
}

fn is_end(chunk: &Chunk) -> bool {
    let choice = chunk.data.as_ref().and_then(|data| data.choices.first());
    choice.is_some_and(|choice| choice.finish_reason.is_some())
}

/// A piece of text as a chunk of the chat API; without text, the end of the stream.
fn piece(text: Option<String>) -> Chunk {
    let finish_reason = text.is_none().then_some(FinishReason::Stop);
    let choice = ChatChoiceStream {
        index: 0,
        delta: ChatCompletionStreamResponseDelta {
            role: Some(Role::Assistant),
            content: text.map(ChatCompletionMessageContent::Text),
            tool_calls: None,
            function_call: None,
            refusal: None,
            reasoning_content: None,
        },
        finish_reason,
        logprobs: None,
    };
    let response = CreateChatCompletionStreamResponse {
        id: String::new(),
        choices: vec![choice],
        created: 0,
        model: String::new(),
        system_fingerprint: None,
        object: String::new(),
        usage: None,
        service_tier: None,
    };
    Annotated { data: Some(response), id: None, event: None, comment: None, error: None }
}

fn second_version<'input>(
    input: &'input Input,
    chunks: &'input [&'input str],
) -> Vec<Peer<'input>> {
    let tools: Vec<Tool> = input
        .tools
        .iter()
        .map(|tool| Tool {
            name: tool["function"]["name"].as_str().unwrap_or_default().to_owned(),
            description: None,
            parameters: tool["function"].get("parameters").cloned().unwrap_or(Json::Null),
            strict: None,
        })
        .collect();
    let mut peers = Vec::new();
    if input.writing == Writing::TaggedCalls {
        let (first, second) = (tools.clone(), tools.clone());
        peers.push(Peer {
            name: "dynamo-parsers-v2 0.9.6, tools",
            complete: Some(Box::new(move || read_calls(&[&input.text], &first))),
            streamed: Some(Box::new(move || read_calls(chunks, &second))),
        });
    }
    let family = match input.writing {
        Writing::Text | Writing::TaggedCalls => "qwen3",
        Writing::Headers => "gpt_oss",
        Writing::JsonCalls | Writing::Other => return peers,
    };
    let (first, second) = (tools.clone(), tools);
    peers.push(Peer {
        name: "dynamo-parsers-v2 0.9.6, unified",
        complete: Some(Box::new(move || read_unified(family, &[&input.text], &first))),
        streamed: Some(Box::new(move || read_unified(family, chunks, &second))),
    });
    peers
}

fn read_calls(chunks: &[&str], tools: &[Tool]) -> Reading {
    let error = |error: &dyn std::fmt::Display| error.to_string();
    let mut answer = Answer::default();
    let mut parser =
        create_tool_parser_for_family("qwen3_coder", tools).map_err(|it| error(&it))?;
    for chunk in chunks.iter().map(Some).chain([None]) {
        let read = match chunk {
            Some(chunk) => parser.push(chunk),
            None => parser.finish(),
        };
        let read = read.map_err(|it| error(&it))?;
        answer.content.push_str(&read.normal_text);
        for call in read.calls {
            add_call(&mut answer, call.tool_index, call.name, &call.arguments);
        }
    }
    Ok(answer)
}

fn read_unified(family: &str, chunks: &[&str], tools: &[Tool]) -> Reading {
    let error = |error: &dyn std::fmt::Display| error.to_string();
    let mut answer = Answer::default();
    let mut parser = create_unified_parser_for_family(family, tools).map_err(|it| error(&it))?;
    parser.initialize_request(UnifiedParserInit::default()).map_err(|it| error(&it))?;
    let mut output = UnifiedParserOutput::default();
    for chunk in chunks.iter().map(Some).chain([None]) {
        match chunk {
            Some(chunk) => parser.parse_into(chunk, &mut output).map_err(|it| error(&it))?,
            None => output.append(&mut parser.finish().map_err(|it| error(&it))?),
        }
        for event in output.events.drain(..) {
            match event {
                UnifiedParserEvent::Text(text) => answer.content.push_str(&text),
                UnifiedParserEvent::Reasoning(text) => answer.reasoning.push_str(&text),
                UnifiedParserEvent::ToolCall(call) => {
                    add_call(&mut answer, call.tool_index, call.name, &call.arguments);
                }
                UnifiedParserEvent::MessageStart(_) | UnifiedParserEvent::MessageEnd => {}
            }
        }
    }
    Ok(answer)
}
