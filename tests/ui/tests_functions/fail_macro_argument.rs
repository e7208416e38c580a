//! A macro with an argument that it does not take.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% macro greet(who) %}Hello {{ who }}{% endmacro %}{{ greet(whom=name) }}
"
);

fn main() {}
