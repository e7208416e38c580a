//! An input without its sign is a function that nobody has.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel")]
    Ask { name: &str },
    r#"
user:
Hello {{name}}
"#
);

fn main() {}
