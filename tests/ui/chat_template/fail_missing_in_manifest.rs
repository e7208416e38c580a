//! A file that does not exist, relative to the manifest.

use typed_prompty::chat_template;

chat_template!(Local, "prompts/chat-templates.txt");

fn main() {}
