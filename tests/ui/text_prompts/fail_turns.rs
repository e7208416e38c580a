//! A text prompt that is written as messages.

use typed_prompty::prompt;

prompt!(text Ask { name: &str }, user: "{name}");

fn main() {}
