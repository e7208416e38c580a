//! A name that no template has.

use typed_prompty::chat_template;

chat_template!(Local, "./model", name = "tool_used");

fn main() {}
