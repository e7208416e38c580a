//! A role in quotes.

use typed_prompty::prompt;

fn main() {
    let name = "Ada";
    let _ = prompt!("user": "Hello {name}");
}
