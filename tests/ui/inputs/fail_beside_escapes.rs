//! A place behind escaped quotes.

use typed_prompty::prompt;

prompt!(Ask { name: &str }, "
system:
Say \"hi\".

user:
\"{{ nme }}\" {{ name }}
");

fn main() {}
