//! A type of one's own that lacks a field that the template reads.

use typed_prompty::prompt;

prompt!(
    #[prompt(types(passages = Passage))]
    Order,
    "./order.prompty"
);

struct Passage {
    titel: String,
}

fn main() {}
