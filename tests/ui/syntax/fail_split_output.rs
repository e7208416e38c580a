//! An output whose braces are apart.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
Hi { {name} }, {{ name }}
"
);

fn main() {}
