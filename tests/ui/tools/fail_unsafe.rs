//! An unsafe function.

use typed_prompty::tools::tool;

/// Sends.
#[tool]
unsafe fn send(text: String) -> usize {
    text.len()
}

fn main() {}
