//! Sections, inverted sections and comments.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "mustache")]
    Ask { names: &[&str], polite: bool },
    "
user:
{{! a comment }}{{#names}}{{.}} {{/names}}{{^names}}nobody{{/names}}{{#polite}}Please.{{/polite}}
"
);

#[test]
fn main() {}
