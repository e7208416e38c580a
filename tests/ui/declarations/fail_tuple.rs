//! Inputs need names.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(source = "user:\nHello")]
struct Ask(String);

fn main() {}
