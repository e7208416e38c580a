//! A template in the program has no files unless their folder is named.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name }} {% include 'rules.jinja' %}
"
);

fn main() {}
