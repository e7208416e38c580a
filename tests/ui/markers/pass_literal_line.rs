//! A line that looks like a marker, written as text.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
Write this:
{{ 'user:' }}
{{ name }}
"
);

#[test]
fn main() {}
