//! A tag that swallows the line break behind a marker.

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
system:
Be brief.

user:
{{- name }}
"
);

fn main() {}
