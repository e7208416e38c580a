//! A list of one's own structs where the file's declaration has made a type.

use typed_prompty::{Prompt, prompt};

prompt!(Order, "./order.prompty");

struct Passage {
    title: String,
}

fn main() {
    let passages = vec![Passage { title: "Returns".into() }];
    let _ = Order::new(&passages, "Why?").messages();
}
