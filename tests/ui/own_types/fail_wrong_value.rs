//! A value of another type, and an `Option` of a text that is not borrowed.

use typed_prompty::prompt;

prompt!(
    Greet { name: Option<&str>, times: Option<u32> },
    "user:\n{{ name or '' }}{{ times or 0 }}"
);

fn main() {
    let _ = Greet::new().with_times("three");
    let _ = Greet::new().with_name(Some(String::from("Ada")));
}
