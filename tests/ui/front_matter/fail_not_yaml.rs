//! Front matter that is not YAML.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
name: [ask
inputs:
---
user:
Hello
"
);

fn main() {}
