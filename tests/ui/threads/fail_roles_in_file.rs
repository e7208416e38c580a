//! Roles in a front matter that do not work.

use typed_prompty::prompt;

prompt!(
    Ask,
    "
---
inputs:
  history: { kind: thread, roles: [user, asistant] }
  earlier: { kind: thread, roles: [] }
  later: { kind: thread, roles: system }
  question: { kind: string, required: true, roles: [user] }
---
{{ history }}
{{ earlier }}
{{ later }}

user:
{{ question }}
"
);

fn main() {}
