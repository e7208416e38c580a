//! A thread with three dots.

use typed_prompty::prompt;

fn main() {
    let history: Vec<typed_prompty::Message> = Vec::new();
    let _ = prompt!(...history, user: "Hello");
}
