//! Prints the analysis of a chat template step by step: its probes, its findings, and the regions
//! of a reply.
//!
//! `cargo run --example debug_template -- TEMPLATE`
//!
//! It prints each probe with the output or the error of the template, the findings of each step,
//! the format of the parser, and an assistant turn of the template as the parser reads it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use std::process::ExitCode;

use typed_prompty::chat::{ChatTemplates, PromptOptions};
use typed_prompty::message::{ContentPart, Message, Role, ToolCall, ToolSpec};
use typed_prompty::reply::ReplyOptions;
use typed_prompty::{Error, Map, Value};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: debug_template TEMPLATE");
        return ExitCode::from(2);
    };
    match debug(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn debug(path: &str) -> Result<(), Error> {
    let templates = ChatTemplates::from_path(path)?;
    let template = templates.choose(None, true)?;
    let analysis = template.analysis()?;
    println!("== probes");
    for probe in analysis.probes() {
        println!("\n-- {}", probe.name);
        match (&probe.rendered, &probe.refusal) {
            (Some(text), _) => println!("{}", indented(text)),
            (None, said) => {
                println!("    refused or failed: {}", said.as_deref().unwrap_or_default());
            }
        }
    }
    println!("\n== findings");
    for finding in analysis.findings() {
        println!("{}: {}", finding.step, finding.found);
    }
    println!(
        "\n== format\n{}",
        serde_json::to_string_pretty(analysis.format()).unwrap_or_default()
    );

    println!("\n== an assistant turn of the template, parsed");
    let question = Message::user("What is the weather in Bonn?");
    let tools = [weather()];
    let options = PromptOptions::new().with_generation_prompt(false);
    let prompt = template.prompt(std::slice::from_ref(&question), &tools, &options)?;
    let said = template.prompt(&[question, answer()], &tools, &options)?;
    let turn = said.text.strip_prefix(&*prompt.text).unwrap_or(&said.text);
    let reply = turn.strip_prefix(&*analysis.format().turn.open).unwrap_or(turn);
    let parser = template.parser_for_prompt("", &tools, &ReplyOptions::default())?;
    for (channel, text) in parser.regions(reply) {
        println!(
            "{:>10} | {}",
            format!("{channel:?}").to_lowercase(),
            text.replace('\n', "\n           | ")
        );
    }
    Ok(())
}

/// A message with reasoning, content and a call.
fn answer() -> Message {
    let call = ToolCall::new("call00001", "weather", r#"{"city": "Bonn", "days": 2}"#);
    let parts = vec![
        ContentPart::Reasoning("The user asks for Bonn.".to_owned()),
        ContentPart::Text("One moment.".to_owned()),
        ContentPart::ToolCall(call),
    ];
    Message::new(Role::Assistant, parts)
}

fn weather() -> ToolSpec {
    let text = |description: &str| {
        Value::from(Map::from([("type", "string"), ("description", description)]))
    };
    let days = Value::from(Map::from([("type", "integer"), ("description", "How many days")]));
    let properties = Map::from([("city", text("The city")), ("days", days)]);
    let parameters =
        Map::from([("type", Value::from("object")), ("properties", Value::from(properties))]);
    ToolSpec::new("weather", parameters).with_description("The weather of the next days")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect::<String>().trim_end().to_owned()
}
