//! Roles of an input that has no messages, on the type, none, and twice.

use typed_prompty::{Message, prompt};

prompt!(
    #[prompt(roles(system))]
    Ask {
        #[prompt(roles(system))]
        question: &str,
        #[prompt(roles())]
        none: &[Message],
        #[prompt(roles(user), roles(system))]
        twice: &[Message],
    },
    "
{{ none }}
{{ twice }}

user:
{{ question }}
"
);

fn main() {}
