//! Parameters where the front matter declares the inputs.

use typed_prompty::prompt;

prompt!(Ask<T>, "---
name: ask
---
user:
Hello
");

fn main() {}
