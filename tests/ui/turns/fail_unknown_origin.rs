//! A type parameter that may come from outside, in the instructions.

use typed_prompty::{Print, prompt};

prompt!(
    Ask<T: Print> { page: T },
    system: "Use {page}",
);

fn main() {}
