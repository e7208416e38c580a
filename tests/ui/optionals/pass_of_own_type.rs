//! An optional value of a type that is only there or not.

use typed_prompty::prompt;

pub struct Opaque;

prompt!(
    Ask { first: Option<Opaque>, second: Option<Opaque> },
    "
user:
{% if first %}yes{% endif %}{% if not second %}no{% endif %}
"
);

#[test]
fn main() {}
