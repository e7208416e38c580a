//! A part of a value.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel")]
    Ask { user: &str },
    r#"
user:
Hello {{$user.name}}
"#
);

fn main() {}
