//! An input in a block, whose names are those of its value.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { name: &str, words: &[&str] },
    "
user:
{{#each words}}{{this}} for {{name}}{{/each}} {{name}}
"
);

fn main() {}
