//! A block that must be filled.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
user:
{% block name required %}{% endblock %} {{ name }}
"
);

fn main() {}
