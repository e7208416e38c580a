//! smg's tool-parser and reasoning-parser.

use std::cell::RefCell;

use openai_protocol::common::Tool;
use reasoning_parser::{ParserFactory as ReasoningFactory, ReasoningParser};
use tool_parser::{ParserFactory as ToolFactory, ToolParser};
use typed_prompty_benches::replies::{Answer, Input, Writing};

use super::run::{add_call, ready};
use super::{Peer, Reading};

type CallParser = RefCell<Box<dyn ToolParser>>;
type ThoughtParser = RefCell<Box<dyn ReasoningParser>>;

pub(super) fn peers<'input>(
    input: &'input Input,
    chunks: &'input [&'input str],
) -> Vec<Peer<'input>> {
    let tools: Vec<Tool> = input
        .tools
        .iter()
        .map(|tool| serde_json::from_value(tool.clone()).expect("a tool of the chat API"))
        .collect();
    let calls = || ToolFactory::new().registry().create_parser(family(input)?).map(RefCell::new);
    let thinks = input.text.starts_with("<think>") || !input.has_calls();
    let thoughts = || {
        let parser = ReasoningFactory::new().registry().create_parser("qwen3").map(RefCell::new);
        parser.filter(|_| thinks && input.writing != Writing::Headers)
    };
    let mut peers = Vec::new();
    if !input.has_calls() {
        if let Some(parser) = thoughts() {
            peers.push(Peer {
                name: "smg reasoning-parser 1.10.0",
                complete: Some(Box::new(move || {
                    read_complete(&input.text, Some(&parser), None, &[])
                })),
                streamed: thoughts().map(|parser| -> Box<dyn Fn() -> Reading> {
                    Box::new(move || read_streamed(chunks, Some(&parser), None, &[]))
                }),
            });
        }
    }
    let plain = !input.text.starts_with("<think>");
    if input.has_calls() || (plain && !input.tools.is_empty()) {
        let thoughts = || thoughts().filter(|_| !plain);
        if let (Some(parser), Some(again)) = (calls(), calls()) {
            let (first, second) = (thoughts(), thoughts());
            let name = if first.is_some() {
                "smg reasoning- + tool-parser 1.10.0"
            } else {
                "smg tool-parser 1.10.0"
            };
            let offered = tools.clone();
            peers.push(Peer {
                name,
                complete: Some(Box::new(move || {
                    read_complete(&input.text, first.as_ref(), Some(&parser), &offered)
                })),
                streamed: Some(Box::new(move || {
                    read_streamed(chunks, second.as_ref(), Some(&again), &tools)
                })),
            });
        }
    }
    peers
}

fn family(input: &Input) -> Option<&'static str> {
    match input.writing {
        Writing::Text | Writing::JsonCalls => Some("qwen"),
        Writing::TaggedCalls => Some("qwen_xml"),
        Writing::Headers | Writing::Other => None,
    }
}

fn read_complete(
    text: &str,
    thoughts: Option<&ThoughtParser>,
    calls: Option<&CallParser>,
    tools: &[Tool],
) -> Reading {
    let mut answer = Answer::default();
    let rest = match thoughts {
        Some(parser) => {
            let mut parser = parser.borrow_mut();
            parser.reset();
            let split = parser.detect_and_parse_reasoning(text).map_err(|it| it.to_string())?;
            answer.reasoning = split.reasoning_text;
            Some(split.normal_text)
        }
        None => None,
    };
    let Some(parser) = calls else {
        answer.content = rest.unwrap_or_default();
        return Ok(answer);
    };
    let parser = parser.borrow();
    let (content, calls) =
        ready(parser.parse_complete_with_tools(rest.as_deref().unwrap_or(text), tools))
            .map_err(|error| error.to_string())?;
    answer.content = content;
    answer.calls =
        calls.into_iter().map(|call| (call.function.name, call.function.arguments)).collect();
    Ok(answer)
}

fn read_streamed(
    chunks: &[&str],
    thoughts: Option<&ThoughtParser>,
    calls: Option<&CallParser>,
    tools: &[Tool],
) -> Reading {
    let mut answer = Answer::default();
    let mut thoughts = thoughts.map(RefCell::borrow_mut);
    let mut calls = calls.map(RefCell::borrow_mut);
    if let Some(parser) = &mut thoughts {
        parser.reset();
    }
    if let Some(parser) = &mut calls {
        parser.reset();
    }
    let mut read_calls = |text: &str, answer: &mut Answer| -> Result<(), String> {
        let Some(parser) = &mut calls else {
            answer.content.push_str(text);
            return Ok(());
        };
        let read = ready(parser.parse_incremental(text, tools)).map_err(|it| it.to_string())?;
        answer.content.push_str(&read.normal_text);
        for call in read.calls {
            add_call(answer, call.tool_index, call.name, &call.parameters);
        }
        Ok(())
    };
    for chunk in chunks {
        let Some(parser) = &mut thoughts else {
            read_calls(chunk, &mut answer)?;
            continue;
        };
        let split = parser
            .parse_reasoning_streaming_incremental(chunk)
            .map_err(|error| error.to_string())?;
        answer.reasoning.push_str(&split.reasoning_text);
        if !split.normal_text.is_empty() {
            read_calls(&split.normal_text, &mut answer)?;
        }
    }
    if let Some(parser) = &mut thoughts {
        let split = parser.flush().map_err(|error| error.to_string())?;
        answer.reasoning.push_str(&split.reasoning_text);
        if !split.normal_text.is_empty() {
            read_calls(&split.normal_text, &mut answer)?;
        }
    }
    if let Some(parser) = &mut calls {
        for call in parser.get_unstreamed_tool_args().unwrap_or_default() {
            add_call(&mut answer, call.tool_index, call.name, &call.parameters);
        }
        answer.content.push_str(&parser.take_unstreamed_normal_text());
    }
    Ok(answer)
}
