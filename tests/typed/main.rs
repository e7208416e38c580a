//! Typed prompts: every form and every kind of input. Each agrees with the same prompt that is
//! loaded at run time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "in a test, a panic is a failure, and the output is for people"
)]

mod agreement;
mod declared;
mod definition;
mod derive;
mod generated_types;
mod kinds;
mod one_message;
mod options;
mod outputs;
mod role_loops;
mod text_prompts;
mod threads;
mod turns;

use typed_prompty::{Message, Prompt};

/// The role and the text of each message.
fn shown(prompt: &impl Prompt) -> Vec<(String, String)> {
    pairs(&prompt.messages().unwrap())
}

fn pairs(messages: &[Message]) -> Vec<(String, String)> {
    messages.iter().map(|message| (message.role.to_string(), message.text())).collect()
}

/// The text of the only message.
fn text(prompt: &impl Prompt) -> String {
    match shown(prompt).as_slice() {
        [(_, text)] => text.clone(),
        other => panic!("expected one message, found {other:?}"),
    }
}
