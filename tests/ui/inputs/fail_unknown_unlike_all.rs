//! A variable that is no input, and like none.

use typed_prompty::prompt;

prompt!(
    Support { company: &str, question: &str },
    "
user:
{{ company }}: {{ question }} {{ weather }}
"
);

fn main() {}
