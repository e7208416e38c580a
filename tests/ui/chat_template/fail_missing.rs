//! A file that does not exist.

use typed_prompty::chat_template;

chat_template!(Local, "./templat.jinja");

fn main() {}
