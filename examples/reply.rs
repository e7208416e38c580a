//! Parses the reply of a model, with the model's chat template as the only other input.
//!
//! `cargo run --example reply -- TEMPLATE [--tools FILE] [--messages FILE] [--thinking on|off]
//! [--start content|reasoning] [--stream N] < REPLY` prints the reply as JSON. With `--stream` it
//! prints the events of a stream in chunks of N characters, one event per line.
//!
//! `cargo run --example reply -- --batch CASES.jsonl` reads one object per line with the fields
//! `template` (a path), `tools`, `messages`, `thinking`, `start`, `stream`, `options` and `reply`.
//! For each it prints one line with the reply, or an object with `error`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]
#![allow(clippy::indexing_slicing, reason = "a key that is missing gives null")]

use std::collections::HashMap;
use std::io::Read;
use std::process::ExitCode;

use serde_json::{Value as Json, json};
use typed_prompty::chat::{ChatTemplate, ChatTemplates, Continuation, PromptOptions};
use typed_prompty::message::{ToolChoice, messages_from_openai, tools_from_openai};
use typed_prompty::reply::{CallsInReasoning, FinishReason, Reply, ReplyOptions, ReplyParser};
use typed_prompty::{Error, ErrorKind, Message, Value};

const USAGE: &str = "usage: reply TEMPLATE [--tools FILE] [--messages FILE] [--thinking on|off]
             [--start content|reasoning] [--stream N] < REPLY
       reply --batch CASES.jsonl";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [batch, file] if batch == "--batch" => read_file(file).map(|cases| print_batch(&cases)),
        [template, flags @ ..] if !template.starts_with("--") => parse_one(template, flags),
        _ => Err(usage(USAGE)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Reads one reply from the standard input.
fn parse_one(template: &str, flags: &[String]) -> Result<(), Error> {
    let mut case = serde_json::Map::new();
    case.insert("template".to_owned(), template.into());
    for pair in flags.chunks(2) {
        let [flag, value] = pair else { return Err(usage(USAGE)) };
        let name = flag.trim_start_matches("--");
        let value = match name {
            "tools" | "messages" => parse_json(&read_file(value)?)?,
            "thinking" | "start" => value.as_str().into(),
            "stream" => parse_json(value)?,
            _ => return Err(usage(USAGE)),
        };
        case.insert(name.to_owned(), value);
    }
    let mut reply = String::new();
    std::io::stdin().read_to_string(&mut reply).map_err(|error| usage(&error.to_string()))?;
    case.insert("reply".to_owned(), reply.into());
    let case = Json::Object(case);
    let parser = parser(&case, &load(template)?)?;
    match case["stream"].as_u64() {
        Some(length) => stream(&parser, text(&case, "reply"), length, |event| println!("{event}")),
        None => println!("{:#}", parse_complete(&parser, text(&case, "reply"))),
    }
    Ok(())
}

fn print_batch(cases: &str) {
    // Each template is compiled and analysed once.
    let mut templates = HashMap::new();
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let answer = batch_case(line, &mut templates);
        println!("{}", answer.unwrap_or_else(|error| json!({ "error": format!("{error:#}") })));
    }
}

fn batch_case(line: &str, templates: &mut HashMap<String, ChatTemplate>) -> Result<Json, Error> {
    let case = parse_json(line)?;
    for (name, value) in case.as_object().into_iter().flatten() {
        let fits = match name.as_str() {
            "template" | "reply" => value.is_string(),
            "options" => value.is_object(),
            "stream" => value.is_u64(),
            // Other keys are checked later, or belong to the caller.
            _ => true,
        };
        if !fits && !value.is_null() {
            return Err(usage(&format!("invalid value {value} of the field `{name}`")));
        }
    }
    let path = text(&case, "template");
    if path.is_empty() {
        return Err(usage("expected an object with the path of a `template`"));
    }
    if !templates.contains_key(path) {
        templates.insert(path.to_owned(), load(path)?);
    }
    let template = templates.get(path).ok_or_else(|| usage("the template was not loaded"))?;
    let parser = parser(&case, template)?;
    let reply = text(&case, "reply");
    match case["stream"].as_u64().filter(|length| *length > 0) {
        None => Ok(parse_complete(&parser, reply)),
        Some(length) => {
            let mut collected = Reply::default();
            let mut stream = parser.stream();
            for piece in pieces(reply, length) {
                stream.push(piece).for_each(|event| collected.add(event));
            }
            stream.finish(FinishReason::End).for_each(|event| collected.add(event));
            Ok(json!(collected))
        }
    }
}

fn parse_complete(parser: &ReplyParser, reply: &str) -> Json {
    json!(parser.parse(reply))
}

fn stream(parser: &ReplyParser, reply: &str, length: u64, mut print: impl FnMut(Json)) {
    let mut stream = parser.stream();
    for piece in pieces(reply, length.max(1)) {
        stream.push(piece).for_each(|event| print(json!(event)));
    }
    stream.finish(FinishReason::End).for_each(|event| print(json!(event)));
}

/// Splits a text into chunks of `length` characters.
fn pieces(text: &str, length: u64) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The parser for the reply of a case.
fn parser(case: &Json, template: &ChatTemplate) -> Result<ReplyParser, Error> {
    let messages = match &case["messages"] {
        Json::Null => vec![Message::user("Hello")],
        messages => messages_from_openai(&Value::from_serialize(messages)?)?,
    };
    let tools = match &case["tools"] {
        Json::Null => Vec::new(),
        tools => tools_from_openai(&Value::from_serialize(tools)?)?,
    };
    let mut options = prompt_options(&case["options"])?;
    options.thinking = match &case["thinking"] {
        Json::Null => None,
        Json::Bool(yes) => Some(*yes),
        Json::String(word) if word == "on" => Some(true),
        Json::String(word) if word == "off" => Some(false),
        _ => return Err(usage("expected `on` or `off` for `thinking`")),
    };
    let turn = template.apply(&messages, &tools, &options)?;
    match case["start"].as_str() {
        None => Ok(turn.parser),
        Some("content") => Ok(turn.parser.starting_in_content()),
        Some("reasoning") => Ok(turn.parser.starting_in_reasoning()),
        Some(_) => Err(usage("expected `content` or `reasoning` for `start`")),
    }
}

fn prompt_options(json: &Json) -> Result<PromptOptions, Error> {
    let mut options = PromptOptions::new();
    let mut reply = ReplyOptions::default();
    for (name, value) in json.as_object().into_iter().flatten() {
        let yes = value == true;
        let is_switch = !matches!(
            name.as_str(),
            "content_schema" | "calls_in_reasoning" | "continue" | "tool_choice" | "variables"
        );
        if is_switch && !value.is_boolean() && !value.is_null() {
            return Err(usage(&format!("invalid option `{name}` with the value {value}")));
        }
        match (name.as_str(), value.as_str()) {
            ("reasoning_in_content", _) => reply = reply.with_reasoning_in_content(yes),
            ("prepend_continued", _) => reply = reply.with_prepend_continued(yes),
            ("stop_at_first_call", _) => reply = reply.with_stop_at_first_call(yes),
            ("content_schema", _) if value.is_null() => {}
            ("content_schema", _) => {
                reply = reply.with_content_schema(Value::from_serialize(value)?);
            }
            ("calls_in_reasoning", Some("by_opener") | None) => {}
            ("calls_in_reasoning", Some("end")) => {
                reply = reply.with_calls_in_reasoning(CallsInReasoning::End);
            }
            ("calls_in_reasoning", Some("text")) => {
                reply = reply.with_calls_in_reasoning(CallsInReasoning::Text);
            }
            ("continue", None) => {}
            ("continue", Some("content")) => {
                options = options.with_continuation(Continuation::Content);
            }
            ("continue", Some("reasoning")) => {
                options = options.with_continuation(Continuation::Reasoning);
            }
            ("tool_choice", Some("none")) => options = options.with_tool_choice(ToolChoice::None),
            ("tool_choice", Some("required")) => {
                options = options.with_tool_choice(ToolChoice::Required);
            }
            ("tool_choice", Some("auto") | None) => {}
            ("tool_choice", Some(name)) => {
                options = options.with_tool_choice(ToolChoice::Tool(name.to_owned()));
            }
            ("add_generation_prompt", _) => options = options.with_generation_prompt(yes),
            ("variables", _) => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    options = options.with_variable(name, Value::from_serialize(value)?);
                }
            }
            _ => return Err(usage(&format!("invalid option `{name}` with the value {value}"))),
        }
    }
    Ok(options.with_reply(reply))
}

fn load(path: &str) -> Result<ChatTemplate, Error> {
    Ok(ChatTemplates::from_path(path)?.choose(None, true)?.clone())
}

fn text<'case>(case: &'case Json, name: &str) -> &'case str {
    case[name].as_str().unwrap_or_default()
}

fn parse_json(text: &str) -> Result<Json, Error> {
    serde_json::from_str(text).map_err(|error| Error::new(ErrorKind::Conversion, error.to_string()))
}

fn read_file(path: &str) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| {
        Error::new(ErrorKind::FileNotFound, format!("cannot read `{path}`: {error}"))
    })
}

fn usage(message: &str) -> Error {
    Error::new(ErrorKind::WrongInput, message)
}
