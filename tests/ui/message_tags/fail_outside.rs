//! Text and values outside of messages.

use typed_prompty::prompt;

use typed_prompty::Message;

prompt!(
    #[prompt(parser = "message-tags")]
    Ask { question: &str, history: &[Message] },
    "
Be brief.
<message role=\"system\">Answer.</message>
{{ history }}
{{ question }}
"
);

fn main() {}
