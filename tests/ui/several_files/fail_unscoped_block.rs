//! A block that reads the variable of the loop around it.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { items: &[&str] },
    "
{% extends 'base.jinja' %}
"
);

fn main() {}
