//! Front matter between lines of two dashes.

use typed_prompty::prompt;

prompt!(
    Ask,
    "--
name: ask
--
user:
Hello
"
);

fn main() {}
