//! A tag that swallows the line break before a marker.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
system:
Be {{ name -}}
user:
Hello
"
);

fn main() {}
