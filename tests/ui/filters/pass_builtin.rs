//! Filters on values of their types.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str, names: &[&str], count: f64 },
    "
user:
{{ name | trim | upper }} {{ names | join(', ') }} {{ count | round(1) }} {{ names | length }}
"
);

#[test]
fn main() {}
