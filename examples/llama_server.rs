//! Talks to a local model through the completion endpoint of llama-server, with the text of the
//! prompt, a grammar for tool calls, and the streaming parser.
//!
//! `cargo run --example llama_server -- TEMPLATE [URL] [QUESTION]`
//!
//! TEMPLATE is the model's chat template. URL is the address of `llama-server -m MODEL.gguf`; the
//! default is `http://127.0.0.1:8080`. The test of this example talks to a scripted server.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]
#![allow(clippy::indexing_slicing, reason = "a key that is missing gives null")]

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;

use serde_json::{Value as Json, json};
use typed_prompty::Message;
use typed_prompty::chat::{ChatTemplates, ChatTurn, PromptOptions};
use typed_prompty::message::{ToolSpec, tools_from_openai};
use typed_prompty::reply::grammar::{GrammarOptions, Trigger};
use typed_prompty::reply::{Event, FinishReason, Reply};

#[allow(dead_code, reason = "the test of this example has its own `main`")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(template) = arguments.first() else {
        eprintln!("usage: llama_server TEMPLATE [URL] [QUESTION]");
        return ExitCode::from(2);
    };
    let url = arguments.get(1).map_or("http://127.0.0.1:8080", String::as_str);
    let question = arguments.get(2).map_or("Is it warm in Bonn?", String::as_str);
    match ask(template, url, question) {
        Ok(reply) => {
            for call in reply.calls() {
                println!("\n-> {}({})", call.name, call.arguments);
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Asks the model a question, prints reasoning and content as they arrive, and returns the reply.
pub(crate) fn ask(template: &str, url: &str, question: &str) -> Result<Reply, Box<dyn Error>> {
    let templates = ChatTemplates::from_path(template)?;
    let template = templates.choose(None, true)?;
    let options = PromptOptions::new().with_grammar(GrammarOptions::new());
    let turn = template.apply(&[Message::user(question)], &tools()?, &options)?;

    let mut response = ureq::post(format!("{url}/completion"))
        .config()
        .http_status_as_error(false)
        .build()
        .header("content-type", "application/json")
        .send(request(&turn).to_string())
        .map_err(|error| format!("{url}: {error}; start it: `llama-server -m MODEL.gguf`"))?;
    // The body of an error response contains the reason, such as an invalid grammar.
    if !response.status().is_success() {
        return Err(format!("the server reports: {}", response.body_mut().read_to_string()?).into());
    }
    let lines = BufReader::new(response.body_mut().as_reader()).lines();

    let mut stream = turn.parser.stream();
    let mut reply = Reply::default();
    let mut reason = FinishReason::Cancelled;
    for line in lines {
        let line = line?;
        if let Some(error) = line.strip_prefix("error: ") {
            return Err(format!("the server reports: {error}").into());
        }
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let chunk: Json = serde_json::from_str(data)?;
        for event in stream.push(chunk["content"].as_str().unwrap_or_default()) {
            print(&event)?;
            reply.add(event);
        }
        if chunk["stop"] == true {
            reason = match chunk["stop_type"].as_str() {
                Some("limit") => FinishReason::Length,
                Some("word") => FinishReason::Stop,
                _ => FinishReason::End,
            };
        }
    }
    for event in stream.finish(reason) {
        print(&event)?;
        reply.add(event);
    }
    Ok(reply)
}

/// The body of a completion request.
fn request(turn: &ChatTurn) -> Json {
    let mut body = json!({
        "prompt": turn.prompt,
        "stop": turn.stops,
        "preserved_tokens": turn.preserved_tokens,
        "stream": true,
        "n_predict": 1024,
    });
    if let Some(grammar) = &turn.grammar {
        body["grammar"] = grammar.to_gbnf().into();
        body["grammar_lazy"] = grammar.lazy.into();
        let triggers = grammar.triggers.iter().filter_map(|trigger| match trigger {
            Trigger::Word(word) => Some(json!({ "type": 1, "value": word })),
            Trigger::Pattern(pattern) => Some(json!({ "type": 2, "value": pattern })),
            _ => None,
        });
        body["grammar_triggers"] = triggers.collect();
    }
    body
}

fn tools() -> Result<Vec<ToolSpec>, typed_prompty::Error> {
    let weather = r#"[{"type": "function", "function": {
        "name": "weather",
        "description": "The weather of the next days in a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city."},
                "days": {"type": "integer", "description": "How many days."}
            },
            "required": ["city"]
        }
    }}]"#;
    tools_from_openai(&typed_prompty::Value::from_json(weather)?)
}

fn print(event: &Event<'_>) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    match event {
        Event::Reasoning { text } | Event::Content { text } => out.write_all(text.as_bytes())?,
        Event::CallStarted { name, .. } => writeln!(out, "\n[calls {name}]")?,
        _ => {}
    }
    out.flush()
}
