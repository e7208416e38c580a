//! Threads and media in conditions: whether they hold something.

use typed_prompty::{Media, Message, prompt};

prompt!(
    Ask { history: &[Message], #[prompt(kind = "file")] page: Option<Media> },
    "
{% if history %}
{{ history }}
{% endif %}
user:
{% if page and not history %}Go on{% elif page %}{{ page }}{% endif %}.
"
);

#[test]
fn main() {}
