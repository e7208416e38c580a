//! A misspelt input in an included file is shown in that file.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
user:
{% include 'greeting.jinja' %}
"
);

fn main() {}
