//! A thread from outside among messages, with more roles than it may have.

use typed_prompty::{Message, Untrusted, prompt};

prompt!(
    Ask {
        #[prompt(roles(system, user))]
        history: Untrusted<Vec<Message>>,
    },
    ..history,
    user: "Why?",
);

fn main() {
    let history: Untrusted<Vec<Message>> = Untrusted::new(Vec::new());
    let _ = prompt!(#[prompt(roles(system))] ..history, user: "Why?");
}
