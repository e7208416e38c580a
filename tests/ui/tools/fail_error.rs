//! An error that cannot be printed.

use typed_prompty::tools::tool;

struct Full;

/// Sends.
#[tool]
fn send(text: String) -> Result<usize, Full> {
    Ok(text.len())
}

fn main() {}
