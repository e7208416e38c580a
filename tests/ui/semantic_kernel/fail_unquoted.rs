//! A value without quotation marks.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel", functions("mail.send"))]
    Ask { text: &str },
    r#"
user:
{{mail.send $text to=Ada}}
"#
);

fn main() {}
