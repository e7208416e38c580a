//! A named argument behind a message.

use typed_prompty::prompt;

fn main() {
    let name = "Ada";
    let _ = prompt!(user: "Hello {first}", first = name);
}
