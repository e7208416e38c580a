//! A mistake in the syntax of an included file is shown in that file.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
{% include 'broken.jinja' %}
"
);

fn main() {}
