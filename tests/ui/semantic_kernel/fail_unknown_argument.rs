//! An argument that the function does not take.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel", functions("mail.send"(text, to)))]
    Ask { text: &str },
    r#"
user:
{{mail.send $text too='Ada'}}
"#
);

fn main() {}
