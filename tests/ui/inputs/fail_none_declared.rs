//! A prompt that declares no inputs, and uses one.

use typed_prompty::prompt;

prompt!(Ask, "user:\n{{ question }}");

fn main() {}
