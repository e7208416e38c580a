//! Texts that are nearly front matter, and names that are nearly key words.

use typed_prompty::prompt;

prompt!(
    Rule { city: &str },
    "
user:
name: {{ city }}
---
Where is it?
"
);

prompt!(
    Names,
    "---
inputs:
  in: { kind: string, required: true }
  nothing: { kind: string, required: true }
  kind: { kind: string, required: true }
---
user:
{{ in }} {{ nothing }} {{ kind }}
"
);

#[test]
fn main() {}
