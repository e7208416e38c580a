//! What a loop sets ends with each turn.

use typed_prompty::prompt;

prompt!(
    Ask { names: &[&str] },
    "
user:
{% for name in names %}{% set last = name %}{{ name }}{% endfor %}{{ last }}
"
);

fn main() {}
