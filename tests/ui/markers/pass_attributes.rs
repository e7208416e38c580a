//! Attributes of markers.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
system[priority=3]:
Be brief.

user:
{{ name }}
"
);

#[test]
fn main() {}
