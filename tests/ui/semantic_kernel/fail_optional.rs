//! An input that may be missing is printed.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel")]
    Ask { name: Option<&str> },
    r#"
user:
Hello {{$name}}
"#
);

fn main() {}
