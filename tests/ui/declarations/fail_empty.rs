//! Nothing at all.

use typed_prompty::prompt;

prompt!();

fn main() {}
