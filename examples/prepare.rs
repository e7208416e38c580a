//! Renders a prompt that is known only at run time.
//!
//! `cargo run --example prepare -- FILE.prompty INPUTS.json` prints the messages as a JSON array.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use std::process::ExitCode;

use typed_prompty::{Definition, Map, Pipeline};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [prompt, inputs] = arguments.as_slice() else {
        eprintln!("usage: prepare FILE.prompty INPUTS.json");
        return ExitCode::from(2);
    };
    match prepare(prompt, inputs) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            // The alternate form also prints the place and the help text of our errors.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn prepare(prompt: &str, inputs: &str) -> Result<String, Box<dyn std::error::Error>> {
    let definition = Definition::from_path(prompt)?;
    let inputs: Map = serde_json::from_str(&std::fs::read_to_string(inputs)?)?;
    let messages = Pipeline::new(&definition)?.prepare(&inputs)?;
    Ok(serde_json::to_string_pretty(&messages)?)
}
