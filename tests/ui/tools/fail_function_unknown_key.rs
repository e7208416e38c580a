//! A key that does not exist on a function.

use typed_prompty::tools::tool;

/// Sends.
#[tool(nam = "post")]
fn send(text: String) -> usize {
    text.len()
}

fn main() {}
