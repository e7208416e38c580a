//! A prompt whose inputs cannot be read is one error, however it is used.

use typed_prompty::prompt;

prompt!(
    Ask,
    "---
inputs: name
---
user:
Hello {{ name }}
"
);

fn main() {
    println!("{:?}", Ask::new("Ada").messages());
}
