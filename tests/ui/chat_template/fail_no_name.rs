//! The type needs a name.

use typed_prompty::chat_template;

chat_template!("./template.jinja");

fn main() {}
