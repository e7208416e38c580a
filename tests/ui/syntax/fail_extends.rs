//! A template that extends another.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
{% extends 'base' %}
user:
Hello {{ name }}
"
);

fn main() {}
