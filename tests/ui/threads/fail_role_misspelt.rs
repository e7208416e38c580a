//! A role that is nearly one.

use typed_prompty::{Message, prompt};

prompt!(
    Ask {
        #[prompt(roles(sytem, user))]
        history: &[Message],
    },
    "
{{ history }}

user:
Why?
"
);

fn main() {
    let history: Vec<Message> = Vec::new();
    let _ = prompt!(#[prompt(roles(users))] ..history, user: "Why?");
}
