//! An expression behind a message.

use typed_prompty::prompt;

fn main() {
    let name = "Ada";
    let _ = prompt!(user: "Hello {}", name.len());
}
