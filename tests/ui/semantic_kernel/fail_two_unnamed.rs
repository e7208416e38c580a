//! A second argument without a name.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel", functions("mail.send"))]
    Ask { text: &str },
    r#"
user:
{{mail.send $text 'Ada'}}
"#
);

fn main() {}
