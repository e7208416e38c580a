//! An attribute that `loop` does not have.

use typed_prompty::prompt;

prompt!(
    Ask { names: &[&str] },
    "
user:
{% for name in names %}{{ loop.indx }} {{ name }}{% endfor %}
"
);

fn main() {}
