//! An argument that borrows.

use typed_prompty::tools::tool;

/// Sends.
#[tool]
fn send(text: &str) -> usize {
    text.len()
}

fn main() {}
