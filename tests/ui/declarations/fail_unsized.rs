//! An input whose type must be borrowed.

use typed_prompty::prompt;

prompt!(Ask { question: str }, "user:\n{{ question }}");

fn main() {}
