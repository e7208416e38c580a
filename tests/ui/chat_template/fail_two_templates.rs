//! A path and a text.

use typed_prompty::chat_template;

chat_template!(Local, "./template.jinja", source = "{{ messages }}");

fn main() {}
