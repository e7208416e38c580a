//! Typed values out of replies as models really write them: damaged, cut off, or not what was asked for.
//!
//! Each reply of `prompts/replies.txt` comes in small pieces. The value is shown as it grows; then what was
//! mended, or the message that asks the model to answer again.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use typed_prompty::output::{Output, OutputEvent};

/// A ticket for the help desk.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "it is printed")]
struct Ticket {
    title: String,
    /// From 1 (some day) to 5 (now).
    #[schemars(range(min = 1, max = 5))]
    urgency: u8,
    labels: Vec<String>,
    assignee: Option<String>,
}

fn main() {
    let output = Output::<Ticket>::new();
    for reply in include_str!("../prompts/replies.txt").split("=====\n") {
        println!("--- The model writes:\n{}\n", reply.trim());
        let mut stream = output.stream();
        for piece in pieces(reply, 12) {
            stream.push(piece).iter().for_each(show);
        }
        match stream.finish() {
            Ok(parsed) => {
                println!("\n{:#?}", parsed.value);
                for repair in &parsed.repairs {
                    println!("mended: {repair}");
                }
                if parsed.truncated {
                    println!("The reply ended inside of the value.");
                }
            }
            Err(error) => println!("\nTo the model: {}", error.correction().text()),
        }
        println!();
    }
}

fn show(event: &OutputEvent) {
    match event {
        OutputEvent::Text { path, delta } => println!("{path} += {delta:?}"),
        OutputEvent::Scalar { path, value } => println!("{path} = {value}"),
        OutputEvent::Done { path, .. } if !path.steps().is_empty() => println!("{path} is whole"),
        OutputEvent::Restarted => println!("another value is meant"),
        _ => {}
    }
}

/// A text in pieces of some characters.
fn pieces(text: &str, length: usize) -> Vec<&str> {
    let mut at: Vec<usize> = text.char_indices().step_by(length).map(|(at, _)| at).collect();
    at.push(text.len());
    at.windows(2).filter_map(|it| text.get(*it.first()?..*it.last()?)).collect()
}
