//! A message without a colon after its role.

use typed_prompty::prompt;

fn main() {
    let _ = prompt!(user "Hi");
}
