//! Helpers with arguments that they do not take.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "handlebars")]
    Ask { name: &str, count: u32 },
    "
user:
{{json name count}} {{add name 1}}
"
);

fn main() {}
