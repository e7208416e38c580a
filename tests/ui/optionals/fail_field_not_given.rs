//! The same for inputs that are declared in Rust.

use typed_prompty::prompt;

prompt!(Ask { name: &str, age: u8 }, "user:\n{{ name }} {{ age }}");

fn main() {
    let _ = Ask { age: 3 };
}
