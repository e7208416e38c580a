//! A field of a type of one's own that may be missing, where the file declares that it is there.

use typed_prompty::prompt;

prompt!(
    #[prompt(types(passages = Passage))]
    Order,
    "./order.prompty"
);

struct Passage {
    title: Option<String>,
}

fn main() {}
