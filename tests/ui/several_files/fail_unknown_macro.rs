//! A macro that its file does not define.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
{% from 'macros.jinja' import singed with context %}
user:
{{ singed(name) }}
"
);

fn main() {}
