//! A value from outside in the instructions, however it is wrapped.

use std::sync::Arc;

use typed_prompty::{Untrusted, prompt};

prompt!(
    Ask { page: Arc<Box<Untrusted<String>>> },
    system: "Use {page}",
    user: "Why?",
);

fn main() {}
