//! A call of `message` stands by itself, and a tag is written whole.

use typed_prompty::prompt;

prompt!(
    #[prompt(parser = "message-tags")]
    Ask { question: &str },
    "
{{ message('system')|upper }}
<message role=\"user\" {{ question }}>Why?</message>
<!-- {{ message('user') }} -->
"
);

fn main() {}
