//! A file of a template that does not exist.

use typed_prompty::prompt;

prompt!(Ask, "./files/main.prompty");

fn main() {
    let _ = Ask::new("Ada");
}
