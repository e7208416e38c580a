//! Loops in loops.

use typed_prompty::prompt;

prompt!(
    Ask { rows: &[Vec<i64>] },
    "
user:
{% for row in rows %}{% for cell in row %}{{ cell }} {% endfor %}
{% endfor %}
"
);

#[test]
fn main() {}
