//! A name alone is no template.

use typed_prompty::chat_template;

chat_template!(Local);

fn main() {}
