//! A function that the host does not have.

use typed_prompty::prompt;

prompt!(
    #[prompt(format = "semantic-kernel", functions("time.now", "mail.send"))]
    Ask { name: &str },
    r#"
user:
{{$name}}, it is {{time.nwo}}.
"#
);

fn main() {}
