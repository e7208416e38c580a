//! Types of one's own in the place of generated ones, and what constructors take.

use std::fmt;

use typed_prompty::{Prompt, prompt};

prompt!(
    #[prompt(types(passages = Passage<'_>, tone = Tone))]
    #[non_exhaustive]
    pub Order,
    "./order.prompty"
);

pub struct Passage<'a> {
    title: &'a str,
}

pub enum Tone {
    Own,
}

impl fmt::Display for Tone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("own")
    }
}

prompt!(
    #[derive(Debug)]
    Ask<T: typed_prompty::ToValue> { first: T, second: Option<Vec<T>>, opaque: Option<Opaque> },
    "user:\n{{ first }}{{ second or [] }}{% if opaque %}!{% endif %}"
);

#[derive(Debug)]
pub struct Opaque;

#[test]
fn main() {
    let question = String::from("Why?");
    let order = Order::new(&[Passage { title: "a" }], &question).with_tone(Tone::Own);
    assert_eq!(order.messages().unwrap()[0].text(), "own Why?\na");
    let ask = Ask::new(1).with_second(vec![2]).with_second(None).with_opaque(Opaque);
    assert!(format!("{ask:?}").contains("first: 1"));
}
