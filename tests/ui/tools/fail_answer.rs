//! An answer that cannot be written.

use typed_prompty::tools::tool;

struct Sent;

/// Sends.
#[tool]
fn send(text: String) -> Sent {
    drop(text);
    Sent
}

fn main() {}
