//! Nothing at all.

use typed_prompty::chat_template;

chat_template!();

fn main() {}
