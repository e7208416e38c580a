//! A mistake in a file is shown in that file.

use typed_prompty::chat_template;

chat_template!(pub Local, "./wrong.jinja");

fn main() {}
