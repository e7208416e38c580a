//! A type without a length.

use typed_prompty::prompt;

pub struct Author;

prompt!(Ask { author: &Author }, "
user:
{{ author | length }}
");

fn main() {}
