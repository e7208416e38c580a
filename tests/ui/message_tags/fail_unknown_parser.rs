//! A parser that does not exist.

use typed_prompty::prompt;

prompt!(
    #[prompt(parser = "message-tag")]
    Ask { question: &str },
    "<message role=\"user\">{{ question }}</message>"
);

fn main() {}
