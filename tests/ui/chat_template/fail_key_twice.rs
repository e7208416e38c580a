//! A key that stands twice.

use typed_prompty::chat_template;

chat_template!(Local, "./model", name = "default", name = "tool_use");

fn main() {}
