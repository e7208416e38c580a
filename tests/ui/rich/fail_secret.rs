//! A secret in a prompt.

use typed_prompty::{Secret, prompt};

prompt!(
    Ask { key: Secret<String> },
    "
user:
{{ key }}
"
);

fn main() {}
