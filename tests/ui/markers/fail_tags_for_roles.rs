//! Roles as tags.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
<system>
Be kind.
</system>
<user>
{{ name }}
</user>
"
);

fn main() {}
