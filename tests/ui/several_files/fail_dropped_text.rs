//! Text beside the blocks of a file that extends another.
#![deny(warnings)]

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
{% extends 'rules.jinja' %}
user:
Hello!
"
);

fn main() {}
