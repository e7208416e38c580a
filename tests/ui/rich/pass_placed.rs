//! Threads and media in places of their own.

use typed_prompty::{Message, message::Media, prompt};

prompt!(
    Ask { history: Option<&[Message]>, #[prompt(kind = "image")] photo: &Media, #[prompt(kind = "file")] page: Option<Media> },
    "
{{ history }}

user:
What is this? {{ photo }} And this? {{ page }}
"
);

#[test]
fn main() {}
