//! An absolute path works on one machine only.

use typed_prompty::chat_template;

chat_template!(Local, "/models/chat_template.jinja");

fn main() {}
