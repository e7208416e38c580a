//! A folder without a chat template.

use typed_prompty::chat_template;

chat_template!(Local, "./empty");

fn main() {}
