//! An image that an expression chooses.

use typed_prompty::{Media, prompt};

prompt!(
    Ask { #[prompt(kind = "image")] photo: Option<Media> },
    "
user:
{{ photo or 'no photo' }}
"
);

fn main() {}
