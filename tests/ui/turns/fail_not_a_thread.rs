//! Something else where a thread is spread.

use typed_prompty::prompt;


fn main() {
    let history = "Hello";
    let _ = prompt!(..history, user: "Go on.");
}
