//! A text that does not end makes text of all that follows.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel")]
    Ask { name: &str },
    r#"
user:
Hello {{$name}} {{ "dear }} and {{$name}}
"#
);

fn main() {}
