//! An argument of any type.

use typed_prompty::tools::tool;

/// Sends.
#[tool]
fn send(text: impl ToString) -> usize {
    text.to_string().len()
}

fn main() {}
