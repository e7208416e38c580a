//! A file of samples must be in the prompt's folder.

use typed_prompty::prompt;

prompt!(
    #[prompt(allow(first_version))]
    Outside,
    "./outside.prompty"
);

prompt!(
    #[prompt(allow(first_version))]
    InText,
    "---
sample: sample.json
---
user:
{{ question }}
"
);

fn main() {}
