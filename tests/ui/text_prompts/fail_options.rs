//! Options that a text prompt cannot have.

use typed_prompty::{Prompt, prompt};

prompt!(#[prompt(parser = "message-tags")] text Tags { name: &str }, "{{ name }}");

prompt!(#[prompt(role = "user")] text Ask { name: &str }, "{{ name }}");

prompt!(text InFile, "---
template: {parser: {kind: text, role: user}}
---
Hi
");

#[derive(Prompt)]
#[prompt(text = "Hello, {{ name }}")]
struct Hello {
    name: String,
}

fn main() {}
