//! A file beside the program.

use typed_prompty::{Prompt, prompt};

prompt!(
    /// Asks.
    pub Ask,
    "./ask.prompty"
);

#[derive(Prompt)]
#[prompt(path = "./ask.prompty")]
struct Derived<'a> {
    name: &'a str,
}

#[test]
fn main() {
    assert_eq!(Ask::DEFINITION.inputs.len(), 1);
    let _ = Derived { name: Ask::new("Ada").name };
}
