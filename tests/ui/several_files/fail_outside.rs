//! A file outside of the folder.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
user:
{{ name }} {% include '../fail_circle.rs' %}
"
);

fn main() {}
