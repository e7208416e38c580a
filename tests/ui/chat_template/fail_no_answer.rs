//! A template that writes no answers.

use typed_prompty::chat_template;

chat_template!(Local, source = "{{ messages[0].content }}");

fn main() {}
