//! A prompt without fault gives no warning.

#![deny(deprecated)]

use typed_prompty::prompt;

prompt!(
    Ask { name: &str, count: u8 },
    "
system:
Be brief.

user:
{{ name }} {{ count }}
"
);

#[test]
fn main() {
    let _ = Ask { name: "x", count: 1 };
}
