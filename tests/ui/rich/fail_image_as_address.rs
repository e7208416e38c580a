//! An image where Markdown has an address.

#![deny(deprecated)]

use typed_prompty::{message::Media, prompt};

prompt!(
    Ask { #[prompt(kind = "image")] photo: &Media },
    "
user:
![a photo]({{ photo }})
"
);

fn main() {}
