//! Roles that no message has, and roles that an input would give.

use typed_prompty::prompt;

prompt!(
    #[prompt(parser = "message-tags")]
    Ask { question: &str, role: &str },
    "
<message role=\"usr\">{{ question }}</message>
<message role=\"{{ role }}\">{{ question }}</message>
<message>{{ question }}</message>
"
);

fn main() {}
