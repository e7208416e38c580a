//! Structs, enums, tuples, parameters.

use typed_prompty::ToValue;

#[derive(ToValue)]
enum Tone {
    #[prompt(rename = "warm")]
    Warm,
    Cold,
}

#[derive(ToValue)]
struct Id(u64);

#[derive(ToValue)]
struct Pair(u8, String);

#[derive(ToValue)]
struct Unit;

#[derive(ToValue)]
struct Book<'a, T> {
    title: &'a str,
    r#type: Option<T>,
    #[prompt(rename = "theTone")]
    tone: Tone,
    #[prompt(skip)]
    secret: fn(),
    id: Id,
    pair: Pair,
}

#[test]
fn main() {
    let book = Book {
        title: "x",
        r#type: Some(vec![1]),
        tone: Tone::Warm,
        secret: main,
        id: Id(1),
        pair: Pair(1, String::new()),
    };
    let _ = (book.to_value(), Tone::Cold.to_value(), Unit.to_value(), book.secret);
}
