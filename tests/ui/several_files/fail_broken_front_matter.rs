//! An included prompt whose front matter is never closed.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
user:
{% include 'open.prompty' %} {{ name }}
"
);

fn main() {}
