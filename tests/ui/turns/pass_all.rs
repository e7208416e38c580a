//! Roles as tokens, captures, format options, threads and braces.

use typed_prompty::{Message, Prompt, prompt};

prompt!(
    /// Greets.
    pub Greet { company: &str, question: &str, price: f64, history: &[Message] },
    system: "You help {company}. {{literal}} {price:>8}",
    ..history,
    user: "{question}",
);

#[test]
fn main() -> Result<(), typed_prompty::Error> {
    let name = "Ada";
    let history = prompt!(user: "I am {name}", assistant: "Hello {name:?}", developer: "x");
    let history = &history[..2];
    Greet { company: "C", question: "Why?", price: 2.0, history }.messages()?;
    Ok(())
}
