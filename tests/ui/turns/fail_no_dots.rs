//! A thread without dots.

use typed_prompty::prompt;

fn main() {
    let history: Vec<typed_prompty::Message> = Vec::new();
    let _ = prompt!(system: "Be brief.", history, user: "Hello");
}
