//! A parameter that may not be there.

use typed_prompty::tools::tool;

/// Sends.
#[tool]
fn send(text: String, #[cfg(all())] owner: usize) -> usize {
    text.len() + owner
}

fn main() {}
