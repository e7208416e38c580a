//! A text has no name.

use typed_prompty::chat_template;

chat_template!(Local, source = "{{ messages }}", name = "default");

fn main() {}
