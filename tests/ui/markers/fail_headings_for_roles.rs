//! Roles as headings.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str },
    "
### System
Be kind.

### User
{{ name }}
"
);

fn main() {}
