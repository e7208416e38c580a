//! The messages of an expression with a thread, taken without a look at the error.

use typed_prompty::{Message, prompt};

fn main() {
    let history: Vec<Message> = Vec::new();
    let messages: Vec<Message> = prompt!(..history, user: "Why?");
    drop(messages);
}
