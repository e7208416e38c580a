//! Lifetimes, parameters and bounds of the struct, and fields of ordinary types.

use std::fmt::{self, Display};

use typed_prompty::slots::{Attach, SlotPrompt};
use typed_prompty::{Prompt, ToValue};

#[derive(Prompt)]
#[prompt(slots(system = "Speak as ${persona}. The facts are ${facts}."))]
struct Ask<'a, 'b: 'a, T: ToValue, D, A, const COUNT: usize>
where
    D: Display,
    A: Attach,
{
    persona: D,
    #[prompt(slot = "info")]
    facts: [T; COUNT],
    #[prompt(slot = "input")]
    question: &'a &'b str,
    #[prompt(slot = "attachment")]
    attached: Vec<A>,
}

struct Pirate;

impl Display for Pirate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pirate")
    }
}

#[test]
fn main() {
    let ask = Ask { persona: Pirate, facts: [1, 2], question: &"Why?", attached: vec!["a text"] };
    assert_eq!(ask.to_messages().unwrap()[0].text(), "Speak as a pirate. The facts are [1, 2].");
}
