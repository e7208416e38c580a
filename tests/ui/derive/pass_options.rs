//! Everything that a field can be told.

use typed_prompty::{Prompt, Registry, message::Media};

fn registry() -> Registry {
    Registry::new()
}

#[derive(Prompt)]
#[prompt(
    source = "user:\n{{ firstName }} {{ tone | shout }} {{ photo }} {{ type }}",
    registry = registry,
    filters(shout),
    strict,
    crate = "::typed_prompty"
)]
struct Ask<'a> {
    #[prompt(rename = "firstName")]
    first_name: &'a str,
    #[prompt(default = "warm")]
    tone: Option<&'a str>,
    #[prompt(kind = "image")]
    photo: Option<Media>,
    #[prompt(skip)]
    cache: Vec<u8>,
    r#type: &'a str,
}

#[test]
fn main() {
    let ask = Ask { first_name: "A", tone: None, photo: None, cache: Vec::new(), r#type: "x" };
    let _ = (ask.messages(), &ask.cache);
}
