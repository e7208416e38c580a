//! The facade under another path, and names of the prelude that the program has taken.
#![no_implicit_prelude]
#![allow(non_camel_case_types, dead_code)]

mod facade {
    pub use ::typed_prompty::*;
}

struct Vec;
struct Result;
struct Option;
struct Ok;
struct String;
struct str;

#[derive(facade::Prompt)]
#[prompt(crate = facade, slots(system = "Help customers of ${company}."))]
struct Ask<'a> {
    company: &'a ::core::primitive::str,
    #[prompt(slot = "input")]
    question: &'a ::core::primitive::str,
}

#[test]
fn main() {
    use facade::slots::SlotPrompt;
    let ask = Ask { company: "Contoso", question: "Why?" };
    ::core::assert!(ask.to_messages().is_ok());
}
