//! Names that a template binds itself are no inputs.

use typed_prompty::{Map, prompt};

prompt!(
    Ask { names: &[&str], map: Map },
    "
user:
{% set all = names %}{% with first = all[0] %}{{ first }}{% endwith %}
{% for name in all %}{{ name }}{{ loop.last }}{% endfor %}
{% for key, value in map | items %}{{ key }}: {{ value }}{% endfor %}
"
);

#[test]
fn main() {}
