//! A key that there is not.

use typed_prompty::chat_template;

chat_template!(Local, "./template.jinja", eos_tokn = "</s>");

fn main() {}
