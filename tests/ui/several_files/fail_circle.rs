//! Files that include each other.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
user:
{{ name }} {% include 'first.jinja' %}
"
);

fn main() {}
