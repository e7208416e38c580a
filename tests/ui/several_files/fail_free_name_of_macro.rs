//! A macro that reads a name of the template which imports it.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
{% import 'macros.jinja' as macros %}
user:
{{ macros.signed(name) }}
"
);

fn main() {}
