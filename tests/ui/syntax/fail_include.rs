//! A template that includes another: there is nothing to load.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{% include 'greeting.txt' %}
Hello {{ name }}
"
);

fn main() {}
