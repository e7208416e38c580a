//! The path must be a literal.

use typed_prompty::chat_template;

const PATH: &str = "./template.jinja";

chat_template!(Local, source = PATH);

fn main() {}
