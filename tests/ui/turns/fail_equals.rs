//! A role and its text with an equals sign between them.

use typed_prompty::prompt;

fn main() {
    let name = "Ada";
    let _ = prompt!(user = "Hello {name}");
}
