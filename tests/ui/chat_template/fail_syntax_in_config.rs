//! A mistake in a template of a configuration is shown in the template.

use typed_prompty::chat_template;

chat_template!(Local, "./model", name = "broken");

fn main() {}
