//! Items that are texts cannot be taken apart.

use typed_prompty::prompt;

prompt!(
    Ask { names: &[&str] },
    "
user:
{% for first, last in names %}{{ first }}{{ last }}{% endfor %}
"
);

fn main() {}
