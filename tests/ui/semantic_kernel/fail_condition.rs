//! A condition, as Handlebars has it.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel")]
    Ask { name: Option<&str> },
    r#"
user:
{{#if name}}Hello {{$name}}{{/if}}
"#
);

fn main() {}
