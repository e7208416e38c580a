//! Names that are keywords, and what `format!` can say of a value.

use typed_prompty::{Prompt, prompt};

prompt!(
    Row { r#type: &str, number: u32 },
    user: "{type:>4}|{number:03}|{number:#x}|{type:?}",
);

#[test]
fn main() {
    let messages = Row { r#type: "a", number: 7 }.messages().unwrap();
    assert_eq!(messages[0].text(), "   a|007|0x7|\"a\"");
}
