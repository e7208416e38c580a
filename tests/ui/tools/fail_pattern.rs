//! An argument without a name.

use typed_prompty::tools::tool;

/// Sends.
#[tool]
fn send((to, text): (String, String)) -> usize {
    to.len() + text.len()
}

fn main() {}
