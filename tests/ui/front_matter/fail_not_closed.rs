//! Front matter that does not end.

use typed_prompty::prompt;

prompt!(Ask, "---
name: ask
user:
Hello
");

fn main() {}
