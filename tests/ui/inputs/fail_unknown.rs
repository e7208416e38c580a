//! A variable that is no input, and is like one.

use typed_prompty::prompt;

prompt!(
    Support { passages: &[&str] },
    "
user:
{% for p in passges %}{{ p }}{% endfor %}
{{ passages | join }}
"
);

fn main() {}
