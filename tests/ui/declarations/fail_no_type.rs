//! An input without a type.

use typed_prompty::prompt;

prompt!(Ask { name }, "user:\n{{ name }}");

fn main() {}
