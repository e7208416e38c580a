//! A key of fields on the type.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\n{{ name }}", rename = "ask")]
struct Ask {
    name: String,
}

fn main() {}
