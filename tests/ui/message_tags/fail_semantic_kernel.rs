//! Calls of `message` in the basic language of Semantic Kernel.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel", parser = "message-tags")]
    Ask { question: &str },
    "
{{message role='system'}}
Be brief.
{{message role='system'}}
{{message role=$question}}
{{$question}}
{{message role=$question}}
"
);

fn main() {}
