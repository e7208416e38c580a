//! Two inputs that would be one field.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  userName: { kind: string, required: true }
  user_name: { kind: string, required: true }
---
user:
{{ userName }} {{ user_name }}
"
);

fn main() {}
