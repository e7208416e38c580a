//! A place in a raw literal is the place in the program.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    r#"
user:
Say "hi" to {{ nme }} and {{ name }}
"#
);

fn main() {}
