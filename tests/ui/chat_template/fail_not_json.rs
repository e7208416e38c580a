//! A configuration that is no JSON.

use typed_prompty::chat_template;

chat_template!(Local, "./not.json");

fn main() {}
