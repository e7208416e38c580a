//! A fixed text that is longer than its author allows, and a long marker in a block, whose text is
//! not fixed.

use typed_prompty::Prompt;

#[derive(Prompt)]
#[prompt(
    source = "user:
It has thirty-one characters.
{% if polite %}
assistant[name=the_assistant_with_a_very_long_name]:
Please.
{% endif %}",
    max_chars = 20
)]
struct Ask {
    polite: bool,
}

fn main() {}
