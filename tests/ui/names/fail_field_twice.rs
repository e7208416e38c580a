//! Two inputs with one name.

use typed_prompty::prompt;

prompt!(Ask { question: &str, question: &str }, "user:\n{{ question }}");

fn main() {}
