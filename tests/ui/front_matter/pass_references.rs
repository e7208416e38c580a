//! References stay in the program; none is resolved while compiling.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
model:
  id: ${env:MODEL_THAT_NOBODY_SET}
  connection: { kind: key, apiKey: \"${env:KEY_THAT_NOBODY_SET}\" }
---
user:
Hello
"
);

#[test]
fn main() {}
