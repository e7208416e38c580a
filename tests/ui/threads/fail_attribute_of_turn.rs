//! Attributes among messages that have no meaning.

use typed_prompty::{Message, prompt};

fn main() {
    let history: Vec<Message> = Vec::new();
    let _ = prompt!(#[prompt(role(system))] ..history, user: "Why?");
    let _ = prompt!(#[inline] ..history, user: "Why?");
    let _ = prompt!(user: "Hi", #[prompt(roles(system))] user: "Why?");
}
