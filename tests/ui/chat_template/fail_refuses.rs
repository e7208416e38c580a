//! A template that refuses what it must write says so in its own words.

use typed_prompty::chat_template;

chat_template!(Local, "./refuses.jinja");

fn main() {}
