//! A misspelt `template`: nothing is said of a template in another language.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs:
  name: { kind: string, required: true }
tempalte: mustache
---
user:
{{#name}}Hello {{name}}{{/name}}
"
);

fn main() {}
