//! The name of a file that an input would choose.

use typed_prompty::prompt;

prompt!(
    #[prompt(templates = "./files")]
    Ask { name: &str },
    "
user:
{% include name %}
"
);

fn main() {}
