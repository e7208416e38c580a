//! A type without a text.

use typed_prompty::prompt;

prompt!(Ask { name: &str });

fn main() {}
