//! Typed values from replies with the defects of real models: damaged, cut off, or of another form.
//!
//! Each reply of `prompts/replies.txt` arrives in small pieces. The typed value is shown while it
//! grows. Then the repairs are shown, or the message that asks the model to answer again.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use typed_prompty::output::{Output, OutputEvent, Partial};

/// A ticket for the help desk.
#[derive(Debug, Partial, serde::Deserialize, schemars::JsonSchema)]
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
        let mut stream = output.stream().with_partial();
        for piece in pieces(reply, 12) {
            let events = stream.push(piece);
            if events.contains(&OutputEvent::Restarted) {
                println!("(the model starts another value)");
            }
            if let (false, Partial::Growing(ticket)) = (events.is_empty(), stream.partial()) {
                println!("{}", line(ticket));
            }
        }
        match stream.finish() {
            Ok(parsed) => {
                println!("\n{:#?}", parsed.value);
                for repair in &parsed.repairs {
                    println!("repaired: {repair}");
                }
            }
            Err(error) => {
                if let Some(partial) = error.partial() {
                    println!("\nThe reply ended inside of the value: {partial}");
                }
                println!("\nTo the model: {}", error.correction().text());
            }
        }
        println!();
    }
}

/// The display of a ticket that may be incomplete.
fn line(ticket: &PartialTicket) -> String {
    let title = match &ticket.title {
        Partial::Absent => "no title yet".to_owned(),
        Partial::Growing(title) => format!("{title}…"),
        Partial::Done(title) => title.clone(),
    };
    let urgency = match ticket.urgency.done() {
        Some(urgency) => "!".repeat(usize::from(*urgency)),
        None => "?".to_owned(),
    };
    let labels = match &ticket.labels {
        Partial::Absent => String::new(),
        Partial::Growing(labels) => {
            let labels: Vec<&str> = labels.iter().map(Partial::text).collect();
            format!(" [{}…", labels.join(", "))
        }
        Partial::Done(labels) => format!(" [{}]", labels.join(", ")),
    };
    format!("{urgency} {title}{labels}")
}

/// A text in pieces of `length` characters.
fn pieces(text: &str, length: usize) -> Vec<&str> {
    let mut at: Vec<usize> = text.char_indices().step_by(length).map(|(at, _)| at).collect();
    at.push(text.len());
    at.windows(2).filter_map(|it| text.get(*it.first()?..*it.last()?)).collect()
}
