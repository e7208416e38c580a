//! A model calls tools that are Rust types, and gets their results.
//!
//! `cargo run --example tools --features local,tools` runs a conversation with a scripted model:
//! each prompt is made with the model's chat template, and each reply is parsed by the parser of
//! that prompt. The first reply contains a wrong call, which the model then corrects.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use serde::Serialize;
use typed_prompty::chat::{ChatTemplates, PromptOptions};
use typed_prompty::message::ToolResult;
use typed_prompty::reply::ReplyCall;
use typed_prompty::tools::{Call, Tool, ToolError, ToolSet, tool};
use typed_prompty::{Error, Message};

/// The weather of the next days in a city.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    /// The city's name.
    city: String,
    /// The number of days; 1 if it is missing.
    days: Option<u8>,
}

#[derive(Serialize)]
struct Day {
    degrees: i8,
    sky: &'static str,
}

/// Sends a message to one of the user's friends.
#[tool]
fn send(
    #[tool(context)] friends: &[&str],
    /// The friend's name.
    to: String,
    /// The text of the message.
    text: String,
) -> Result<String, String> {
    match friends.contains(&to.as_str()) {
        true => Ok(format!("sent {} characters to {to}", text.len())),
        false => Err(format!("unknown friend `{to}`, available friends: {}", friends.join(", "))),
    }
}

/// The actions that the model may take.
#[derive(ToolSet)]
enum Action {
    Weather(Weather),
    Send(SendArguments),
}

/// Executes a call. The types determine which calls are possible.
fn execute(call: &ReplyCall, friends: &[&str]) -> Result<ToolResult, ToolError> {
    match Action::from_call(call)? {
        Action::Weather(Weather { city, days }) => {
            let degrees = if city == "Bonn" { 18 } else { 12 };
            let day = || Day { degrees, sky: "clear" };
            let days: Vec<Day> = (0..days.unwrap_or(1)).map(|_| day()).collect();
            call.answer(&days)
        }
        Action::Send(send) => call.answer(&send.answer(friends)?),
    }
}

/// The replies of the model.
const SCRIPT: [&str; 3] = [
    "I need the weather.\n</muse>\n\nOne moment.\n\
     <call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bonn\", \"days\": \"two\"}}\n</call>\n\
     <call>\n{\"name\": \"send\", \"arguments\": {\"to\": \"Bob\", \"text\": \"Hello\"}}\n</call>",
    "Days are a number, and it is Ada.\n</muse>\n\n\n\
     <call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bonn\", \"days\": 2}}\n</call>\n\
     <call>\n{\"name\": \"send\", \"arguments\": {\"to\": \"Ada\", \"text\": \"Come!\"}}\n</call>",
    "Done.\n</muse>\n\nIt is warm, and Ada knows.",
];

fn main() -> Result<(), Error> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/chat_template.jinja");
    let templates = ChatTemplates::from_path(path)?;
    let template = templates.choose(None, true)?;
    let mut messages = vec![Message::user("If Bonn is warm this weekend, invite my friend there.")];
    for written in SCRIPT {
        let turn = template.apply(&messages, &Action::tools(), &PromptOptions::new())?;
        // A real program sends `turn.prompt` to the model here.
        let reply = turn.parser.parse(written);
        messages.push(Message::from(&reply));
        println!("assistant: {}", reply.content().trim());
        for call in reply.calls() {
            println!("  calls {}({})", call.name, call.arguments);
            let result = execute(call, &["Ada"]).unwrap_or_else(|error| error.to_result(call));
            let text: String = result.content.iter().filter_map(|part| part.as_text()).collect();
            println!("    {}", text.replace('\n', "\n    "));
            messages.push(result.into());
        }
    }
    Ok(())
}
