//! A field that a struct of the program does not have, read in an included file.

use typed_prompty::prompt;

struct Passage {
    title: String,
}

prompt!(
    #[prompt(templates = "./files")]
    Ask { passages: &[Passage] },
    "
user:
{% include 'titles.jinja' %}
"
);

fn main() {
    let _ = Passage { title: String::new() }.title;
}
