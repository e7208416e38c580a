//! A type for objects that the file does not declare.

use typed_prompty::prompt;

prompt!(
    #[prompt(types(passage = Passage, question = String))]
    Order,
    "./order.prompty"
);

struct Passage {
    title: String,
}

fn main() {}
