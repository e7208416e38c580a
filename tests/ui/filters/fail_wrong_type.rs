//! A filter of lists on a number.

use typed_prompty::prompt;

prompt!(
    Ask { count: u32 },
    "
user:
{{ count | join(', ') }}
"
);

fn main() {}
