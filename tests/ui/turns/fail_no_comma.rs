//! Messages without a comma between them.

use typed_prompty::prompt;

fn main() {
    let name = "Ada";
    let _ = prompt!(system: "Be brief." user: "Hello {name}");
}
