//! Places in a literal with escapes of all kinds.

use typed_prompty::prompt;

prompt!(Ask { name: &str }, "user:\n\
    \u{4f60}\u{597d} \x41 {{ nme }}\n\
    {{ name | uper }}\n");

fn main() {}
