//! A block that does not end.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel")]
    Ask { name: &str },
    r#"
user:
Hello {{$name}} {{$name
"#
);

fn main() {}
