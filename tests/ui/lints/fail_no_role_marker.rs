//! Templates without role markers whose author does not say what they are.

#![deny(deprecated)]

use typed_prompty::{Prompt, prompt};

prompt!(Skills { has: bool }, "{% if has %}Skills{% endif %}");

#[derive(Prompt)]
#[prompt(source = "Summarize it:\n{{ page }}\n")]
struct Summarize {
    page: String,
}

prompt!(#[prompt(allow(no_role_marker))] Allowed { has: bool }, "{% if has %}Skills{% endif %}");

fn main() {}
