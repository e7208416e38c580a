//! A message that is never closed.

use typed_prompty::prompt;

prompt!(
    #[prompt(parser = "message-tags")]
    Ask { question: &str },
    "
<message role=\"system\">Be brief.
<message role=\"user\">{{ question }}</message>
"
);

fn main() {}
