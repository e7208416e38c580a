//! Roles of prompts that cannot have them.

use typed_prompty::prompt;

prompt!(#[prompt(role = "usr")] Unknown { name: &str }, "{{ name }}");

prompt!(
    #[prompt(role = "user")]
    Marked { name: &str },
    "
system:
Be brief.
user:
{{ name }}
"
);

prompt!(
    #[prompt(role = "user", parser = "message-tags")]
    Tagged { name: &str },
    "<message role=\"user\">{{ name }}</message>"
);

prompt!(InFile, "---
template: {parser: {role: boss}}
---
Hi
");

prompt!(#[prompt(white_space = "all")] Kept { name: &str }, "user:\n{{ name }}\n");

fn main() {}
