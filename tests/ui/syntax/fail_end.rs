//! A block that ends as in other languages.

use typed_prompty::prompt;

prompt!(
    List { items: &[String] },
    "
user:
{% for item in items %}{{ item }}{% end %}
"
);

fn main() {}
