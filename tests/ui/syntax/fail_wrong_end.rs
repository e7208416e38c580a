//! A loop that ends like a condition.

use typed_prompty::prompt;

prompt!(
    Ask { names: &[&str] },
    "
user:
{% for name in names %}{{ name }}{% endif %}
"
);

fn main() {}
