//! A required input that is not given does not compile.

use typed_prompty::prompt;

prompt!(Ask, "---
inputs:
  name: { kind: string, required: true }
  age: { kind: integer, default: 3 }
---
user:
{{ name }} {{ age }}
");

fn main() {
    let _ = Ask::new();
}
