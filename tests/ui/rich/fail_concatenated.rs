//! An image joined to a text.

use typed_prompty::{message::Media, prompt};

prompt!(
    Ask { #[prompt(kind = "image")] photo: &Media },
    "
user:
{{ 'Look: ' ~ photo }}
"
);

fn main() {}
