//! A key that does not exist on a parameter.

use typed_prompty::tools::tool;

/// Sends.
#[tool]
fn send(#[tool(contxt)] text: String) -> usize {
    text.len()
}

fn main() {}
