//! Inputs of every kind.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
name: all
description: Every kind.
inputs:
  text: { kind: string, required: true }
  count: { kind: integer, default: 3 }
  ratio: { kind: float, default: 0.5 }
  polite: { kind: boolean, default: true }
  tags: { kind: array, items: { kind: string }, default: [a, b] }
  any: { kind: array, required: true }
  free: { kind: object, required: true }
  user:
    kind: object
    required: true
    properties:
      name: { kind: string, required: true }
      age: { kind: integer }
  tone: { kind: string, enumValues: [warm, cold], default: warm }
  history: { kind: thread }
  photo: { kind: image }
  page: { kind: file }
  sound: { kind: audio }
---
{{ history }}
user:
{{ text }} {{ count }} {{ ratio }} {{ polite }} {{ tags | join }} {{ any }} {{ free }}
{{ user.name }} {{ tone }} {{ photo }} {{ page }} {{ sound }}
"
);

#[test]
fn main() {}
