//! All mistakes of a template are shown at once.

use typed_prompty::prompt;

prompt!(
    Support { company: &str },
    "
system:
{{ compny }} {{ company | uper }}

user:
{{ question }}
"
);

fn main() {}
