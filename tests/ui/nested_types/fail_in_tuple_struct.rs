//! A type with no such field at all.

use typed_prompty::prompt;

pub struct Id(pub u64);

prompt!(
    Ask { id: Id },
    "
user:
{{ id.value }}
"
);

fn main() {}
