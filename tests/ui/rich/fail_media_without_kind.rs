//! A medium whose kind is not said.

use typed_prompty::{message::Media, prompt};

prompt!(Ask { photo: &Media }, "user:\n{{ photo }}");

fn main() {}
