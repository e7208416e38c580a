//! A function that says nothing to the model.

use typed_prompty::tools::tool;

#[tool]
fn send(text: String) -> usize {
    text.len()
}

fn main() {}
