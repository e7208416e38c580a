//! Two prompts from one wrong file are two errors each, and no more.

use typed_prompty::prompt;

prompt!(Wrong, "./wrong.prompty");

fn main() {
    let wrong = Wrong::new("Ada");
    println!("{}", wrong.name);
}
