//! Values have filters, not methods.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
user:
{{ name.upper() }}
"
);

fn main() {}
