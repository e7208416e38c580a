//! A block whose name no file has.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
user:
{% block name %}{{ name }}{% endblock %} {{ self.nmae() }}
"
);

fn main() {}
