//! Prints how a model writes its replies, as detected from its chat template.
//!
//! `cargo run --example template_analysis -- TEMPLATE [--json]`
//!
//! TEMPLATE is a Jinja file, a `tokenizer_config.json` or a model's folder. `--json` prints the
//! classification and the markers as JSON.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use std::process::ExitCode;

use typed_prompty::Error;
use typed_prompty::chat::ChatTemplates;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = arguments.iter().any(|argument| argument == "--json");
    let Some(path) = arguments.iter().find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: template_analysis TEMPLATE [--json]");
        return ExitCode::from(2);
    };
    match describe(path, as_json) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn describe(path: &str, as_json: bool) -> Result<String, Error> {
    let templates = ChatTemplates::from_path(path)?;
    let result = templates.choose(None, true)?.analysis()?.result();
    let json = serde_json::to_value(&result).unwrap_or_default();
    if as_json {
        return Ok(format!("{json:#}"));
    }
    Ok(table(&json, ""))
}

/// One line for each field that has a value.
fn table(json: &serde_json::Value, name: &str) -> String {
    match json {
        serde_json::Value::Object(fields) => {
            let lines = fields.iter().map(|(field, value)| table(value, field));
            lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
        }
        serde_json::Value::String(text) if text.is_empty() => String::new(),
        serde_json::Value::Array(items) if items.is_empty() => String::new(),
        value => format!("{name:>25}: {value}"),
    }
}
