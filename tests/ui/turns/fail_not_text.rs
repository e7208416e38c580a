//! A message that is no literal.

use typed_prompty::prompt;


fn main() {
    let text = "Hello";
    let _ = prompt!(user: text);
}
