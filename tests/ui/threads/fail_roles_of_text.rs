//! Roles of an input that has no messages, on the type, none, and twice.

use typed_prompty::{Message, prompt};

prompt!(
    #[prompt(roles(system))]
    Ask {
        #[prompt(roles(system))]
        question: &str,
        #[prompt(roles())]
        nobody: &[Message],
        #[prompt(roles(user), roles(system))]
        twice: &[Message],
    },
    "
{{ nobody }}
{{ twice }}

user:
{{ question }}
"
);

fn main() {}
