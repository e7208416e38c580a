//! An argument behind a message, as `format!` takes it.

use typed_prompty::prompt;

fn main() {
    let name = "Ada";
    let _ = prompt!(user: "Hello {}", name);
}
