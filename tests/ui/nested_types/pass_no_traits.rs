//! A type that is only read needs no trait of ours.

use typed_prompty::prompt;

pub struct Opaque {
    pub name: &'static str,
    pub callback: fn(),
}

prompt!(Ask { opaque: &Opaque, list: Vec<Opaque> }, "user:\n{{ opaque.name }}{{ list[0].name }}");

#[test]
fn main() {
    let opaque = Opaque { name: "x", callback: main };
    let _ = opaque.callback;
    let _ = Ask { opaque: &opaque, list: Vec::new() };
}
