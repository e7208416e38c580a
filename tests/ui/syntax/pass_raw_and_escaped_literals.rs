//! A template may stand in any kind of string literal.

use typed_prompty::prompt;

prompt!(
    Hashes { name: &str },
    r##"
user:
Say "hello" to #{{ name }}.
"##
);
prompt!(Escaped { name: &str }, "user:\n\u{2603} \"{{ name }}\"\n");

#[test]
fn main() {}
