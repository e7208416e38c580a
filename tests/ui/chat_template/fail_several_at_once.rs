//! All that is wrong with the keys is told at once.

use typed_prompty::chat_template;

chat_template!(Local, "./refuses.jinja", nme = "default", eos = "</s>");

fn main() {}
