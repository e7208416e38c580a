//! A thread from outside that may give instructions, behind a name that hides it, in a prompt that the
//! engine renders.

use typed_prompty::{Message, Untrusted, prompt};

type Conversation = Untrusted<Vec<Message>>;

prompt!(
    Ask {
        #[prompt(kind = "thread", roles(developer))]
        history: Option<Conversation>,
        words: &[String],
    },
    "
{{ history }}

user:
{{ words | sort | join }}
"
);

fn main() {}
