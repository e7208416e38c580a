//! A function of any type.

use typed_prompty::tools::tool;

/// Sends.
#[tool]
fn send<T: ToString>(text: T) -> usize {
    text.to_string().len()
}

fn main() {}
