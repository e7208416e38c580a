//! A block with a name that the extended file does not have.
#![deny(warnings)]

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
{% extends 'task.jinja' %}
{% block taks %}{{ name }}{% endblock %}
"
);

fn main() {}
