//! What a branch opens may be instructions, so what follows it does not go to the user alone.

use typed_prompty::{Prompt, Untrusted};

#[derive(Prompt)]
#[prompt(source = "user:\nHi\n{% if strict %}\nsystem:\nBe strict.\n{% endif %}\n{{ question }}\n")]
struct Ask<'a> {
    strict: bool,
    question: Untrusted<&'a str>,
}

fn main() {}
